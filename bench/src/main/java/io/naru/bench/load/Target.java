package io.naru.bench.load;

import io.naru.load.wire.HttpParser;
import io.naru.load.wire.ReplyParser;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Where requests go and how the replies are read.
 *
 * @param addresses over which the connections are spread evenly
 */
public record Target(List<InetSocketAddress> addresses, Supplier<ReplyParser> parser) {

  public Target {
    addresses = List.copyOf(addresses);
  }

  public static Target http(InetSocketAddress... addresses) {
    return new Target(List.of(addresses), HttpParser::new);
  }

  public static Target redis(InetSocketAddress address) {
    return new Target(List.of(address), RespParser::new);
  }

  /** This and the other together, as many connections to each address. */
  public Target and(Target other) {
    return new Target(Stream.concat(addresses.stream(), other.addresses.stream()).toList(), parser);
  }

  /** The same, with the token of each entry that is answered handed on. */
  public Target handingOn(Consumer<String> tokens) {
    return new Target(addresses, () -> new TokenParser(tokens));
  }

  /** Where the n-th connection goes. */
  InetSocketAddress address(int n) {
    return addresses.get(n % addresses.size());
  }
}
