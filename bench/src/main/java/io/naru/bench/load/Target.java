package io.naru.bench.load;

import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** Where requests go and how the replies are read. */
public record Target(InetSocketAddress address, Supplier<ReplyParser> parser) {

  public static Target http(InetSocketAddress address) {
    return new Target(address, HttpParser::new);
  }

  public static Target redis(InetSocketAddress address) {
    return new Target(address, RespParser::new);
  }
}
