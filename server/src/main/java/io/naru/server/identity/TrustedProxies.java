package io.naru.server.identity;

import io.naru.queue.InvalidValue;
import io.naru.server.http.Exchange;
import io.naru.server.limits.Callers;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The proxies in front of us: what they say about where a visitor comes from is believed, and,
 * where there is a {@link UserHeader}, who it is. Nobody is listed by default, not even the same
 * machine: what arrives from there may have come through a local nginx from anywhere.
 */
public final class TrustedProxies implements Callers {

  private static final String ALLOWED = "a comma-separated list like 10.0.0.0/8,fd00::/8";

  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  private final List<Network> networks;

  private static final class Network {
    private final byte[] address;
    private final int bits;

    private Network(byte[] address, int bits) {
      this.address = address;
      this.bits = bits;
    }

    static Network parse(String cidr) {
      int slash = cidr.indexOf('/');
      String literal = slash < 0 ? cidr : cidr.substring(0, slash);
      try {
        if (!isWritten(literal)) {
          throw new IllegalArgumentException("address");
        }
        byte[] address = InetAddress.ofLiteral(literal).getAddress();
        int bits = slash < 0 ? address.length * 8 : Integer.parseInt(cidr.substring(slash + 1));
        if (bits < 0 || bits > address.length * 8) {
          throw new IllegalArgumentException("prefix length");
        }
        return new Network(address, bits);
      } catch (IllegalArgumentException e) {
        throw new InvalidValue(
            "trusted-proxies", ALLOWED, "has an entry that is not a network: " + cidr);
      }
    }

    /**
     * Java also takes 10 for 0.0.0.10 and 10.0 for 10.0.0.0, which nobody means who writes 10/8.
     */
    private static boolean isWritten(String literal) {
      return literal.contains(":")
          ? !literal.contains("%")
          : literal.chars().filter(c -> c == '.').count() == 3;
    }

    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      int whole = bits / 8;
      if (!Arrays.equals(address, 0, whole, other, 0, whole)) {
        return false;
      }
      int rest = bits % 8;
      return rest == 0 || ((address[whole] ^ other[whole]) & 0xff) >>> (8 - rest) == 0;
    }
  }

  private TrustedProxies(List<Network> networks) {
    this.networks = networks;
  }

  public static TrustedProxies parse(String cidrs) {
    return new TrustedProxies(
        Arrays.stream(cidrs.split(",", -1)).map(String::strip).map(Network::parse).toList());
  }

  @Override
  public Optional<String> visitorAddress(Exchange exchange) {
    return callerAddress(exchange)
        .filter(address -> !InetAddress.ofLiteral(address).isLoopbackAddress());
  }

  /**
   * The peer's address, or the last one that listed proxies name. Empty if all that is known is a
   * proxy's own, which many share.
   */
  @Override
  public Optional<String> callerAddress(Exchange exchange) {
    String peer = exchange.request().remoteAddress().hostAddress();
    if (!include(peer)) {
      return Optional.of(peer);
    }
    return exchange.request().headers().getAll("X-Forwarded-For").reversed().stream()
        .flatMap(header -> Arrays.asList(header.split(",", -1)).reversed().stream())
        .map(String::strip)
        .takeWhile(TrustedProxies::isAddress)
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

  boolean include(String peer) {
    byte[] address = InetAddress.ofLiteral(peer).getAddress();
    for (Network network : networks) {
      if (network.contains(address)) {
        return true;
      }
    }
    return false;
  }
}
