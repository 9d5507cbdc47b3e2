package io.naru.server.identity;

import io.naru.net.Networks;
import io.naru.server.http.Exchange;
import io.naru.server.limits.Callers;
import java.net.InetAddress;
import java.util.Optional;

/**
 * The proxies in front of us: what they say about where a visitor comes from is believed, and,
 * where there is a {@link UserHeader}, who it is. By default that is the same machine.
 */
public final class TrustedProxies implements Callers {

  /** Where nobody is listed: a proxy on the same machine, or somebody who tries things there. */
  public static final TrustedProxies SAME_MACHINE = new TrustedProxies(Networks.SAME_MACHINE, true);

  private final Networks networks;
  private final boolean isAlsoCaller;

  /**
   * @param isAlsoCaller whether what comes from them without an address was asked by themselves
   */
  private TrustedProxies(Networks networks, boolean isAlsoCaller) {
    this.networks = networks;
    this.isAlsoCaller = isAlsoCaller;
  }

  public static TrustedProxies parse(String cidrs) {
    return new TrustedProxies(Networks.parse("trusted-proxies", cidrs), false);
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
    return networks
        .visitor(exchange.request().headers().getAll("X-Forwarded-For"))
        .or(() -> isAlsoCaller ? Optional.of(peer) : Optional.empty());
  }

  /** Whether this address is one of theirs. */
  public boolean include(String peer) {
    return networks.include(peer);
  }
}
