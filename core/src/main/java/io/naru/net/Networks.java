package io.naru.net;

import io.naru.queue.InvalidValue;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Networks of proxies that somebody listed, and whom they say that they speak for. */
public final class Networks {

  /** A proxy on the same machine, or somebody who tries things there. */
  public static final Networks SAME_MACHINE = parse("", "127.0.0.0/8,::1");

  private static final String ALLOWED = "a comma-separated list like 10.0.0.0/8,fd00::/8";

  private final List<Network> networks;

  /** The first bits of an address. */
  private record Network(List<Byte> address, int bits) {

    boolean has(byte[] other) {
      if (other.length != address.size()) {
        return false;
      }
      for (int i = 0; i < bits; i++) {
        int mask = 0x80 >> i % 8;
        if ((other[i / 8] & mask) != (address.get(i / 8) & mask)) {
          return false;
        }
      }
      return true;
    }
  }

  private Networks(List<Network> networks) {
    this.networks = networks;
  }

  /**
   * @param field what the list is called where it was given
   * @throws InvalidValue which names the entry that is no network
   */
  public static Networks parse(String field, String cidrs) {
    return new Networks(
        Arrays.stream(cidrs.split(",", -1))
            .map(String::strip)
            .map(cidr -> network(field, cidr))
            .toList());
  }

  private static Network network(String field, String cidr) {
    String[] parts = cidr.split("/", 2);
    try {
      byte[] address = address(parts[0]);
      int bits = parts.length == 1 ? 8 * address.length : Integer.parseInt(parts[1]);
      if (bits < 0 || bits > 8 * address.length) {
        throw new IllegalArgumentException();
      }
      Byte[] boxed = new Byte[address.length];
      Arrays.setAll(boxed, i -> address[i]);
      return new Network(List.of(boxed), bits);
    } catch (IllegalArgumentException e) {
      throw new InvalidValue(field, ALLOWED, "has an entry that is not a network: " + cidr);
    }
  }

  /** Stricter than Java, which takes 10 for 0.0.0.10: nobody means that who writes 10/8. */
  private static byte[] address(String literal) {
    if (!Literal.PATTERN.matcher(literal).matches()) {
      throw new IllegalArgumentException(literal);
    }
    return InetAddress.ofLiteral(literal).getAddress();
  }

  /** Apart, since {@link #SAME_MACHINE} is read with it. */
  private static final class Literal {
    static final Pattern PATTERN =
        Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|(?=.*:)[0-9A-Fa-f:.]+");
  }

  /**
   * Whether this address is one of theirs.
   *
   * @param address a literal
   */
  public boolean include(String address) {
    byte[] bytes = InetAddress.ofLiteral(address).getAddress();
    return networks.stream().anyMatch(network -> network.has(bytes));
  }

  /**
   * The last address that listed proxies name and that is not one of theirs; empty if there is
   * none.
   *
   * @param forwardedFor the values of {@code X-Forwarded-For}, as they came from a listed proxy
   */
  public Optional<String> visitor(List<String> forwardedFor) {
    return forwardedFor.reversed().stream()
        .flatMap(header -> Arrays.asList(header.split(",", -1)).reversed().stream())
        .map(String::strip)
        .takeWhile(Networks::isAddress)
        .filter(address -> !include(address))
        .findFirst();
  }

  private static boolean isAddress(String text) {
    try {
      return InetAddress.ofLiteral(text).getAddress().length > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
