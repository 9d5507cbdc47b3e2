package io.naru.server.identity;

import static io.netty.handler.ipfilter.IpFilterRuleType.ACCEPT;

import io.naru.queue.InvalidValue;
import io.naru.server.http.Exchange;
import io.naru.server.limits.Callers;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The proxies in front of us: what they say about where a visitor comes from is believed, and,
 * where there is a {@link UserHeader}, who it is. By default that is the same machine.
 */
public final class TrustedProxies implements Callers {

  private static final String ALLOWED = "a comma-separated list like 10.0.0.0/8,fd00::/8";

  /** Where nobody is listed: a proxy on the same machine, or somebody who tries things there. */
  public static final TrustedProxies SAME_MACHINE =
      new TrustedProxies(parseAll("127.0.0.0/8,::1"), true);

  private final List<IpSubnetFilterRule> networks;
  private final boolean isAlsoCaller;

  /**
   * @param isAlsoCaller whether what comes from them without an address was asked by themselves
   */
  private TrustedProxies(List<IpSubnetFilterRule> networks, boolean isAlsoCaller) {
    this.networks = networks;
    this.isAlsoCaller = isAlsoCaller;
  }

  public static TrustedProxies parse(String cidrs) {
    return new TrustedProxies(parseAll(cidrs), false);
  }

  private static List<IpSubnetFilterRule> parseAll(String cidrs) {
    return Arrays.stream(cidrs.split(",", -1))
        .map(String::strip)
        .map(TrustedProxies::network)
        .toList();
  }

  private static IpSubnetFilterRule network(String cidr) {
    String[] parts = cidr.split("/", 2);
    // Stricter than Java, which takes 10 for 0.0.0.10: nobody means that who writes 10/8.
    byte[] address = NetUtil.createByteArrayFromIpAddressString(parts[0]);
    try {
      if (address == null || parts[0].contains("%")) {
        throw new UnknownHostException(parts[0]);
      }
      int bits = parts.length == 1 ? 8 * address.length : Integer.parseInt(parts[1]);
      return new IpSubnetFilterRule(InetAddress.getByAddress(address), bits, ACCEPT);
    } catch (UnknownHostException | IllegalArgumentException e) {
      throw new InvalidValue(
          "trusted-proxies", ALLOWED, "has an entry that is not a network: " + cidr);
    }
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
        .findFirst()
        .or(() -> isAlsoCaller ? Optional.of(peer) : Optional.empty());
  }

  private static boolean isAddress(String text) {
    try {
      return InetAddress.ofLiteral(text).getAddress().length > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Whether this address is one of theirs. */
  public boolean include(String peer) {
    var address = new InetSocketAddress(InetAddress.ofLiteral(peer), 0);
    return networks.stream().anyMatch(network -> network.matches(address));
  }
}
