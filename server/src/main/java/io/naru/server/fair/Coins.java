package io.naru.server.fair;

import io.naru.fair.Drand;
import io.naru.queue.InvalidValue;
import java.net.URI;
import java.util.Arrays;
import java.util.List;

/**
 * Where public coins come from.
 *
 * @param relays that are asked, the first that tells the truth is believed; if none, an operator
 *     brings coins by hand
 * @param chain whose coins they are
 */
public record Coins(List<URI> relays, Drand chain) {

  /** Nobody is asked. */
  public static final Coins BY_HAND = new Coins(List.of(), Drand.QUICKNET);

  private static final String OPTION = "coin-relays";
  private static final String ALLOWED = "at most 16 https:// addresses, separated by commas";
  private static final int MAX_RELAYS = 16;

  public Coins {
    relays = List.copyOf(relays);
  }

  /** As an option has them. */
  public static Coins parse(String relays) {
    List<URI> all = Arrays.stream(relays.split(",", -1)).map(Coins::relay).toList();
    if (all.size() > MAX_RELAYS) {
      throw new InvalidValue(OPTION, ALLOWED, "are " + all.size());
    }
    return new Coins(all, Drand.QUICKNET);
  }

  /** Whatever a relay says is verified; TLS is for those who would rather it said nothing. */
  private static URI relay(String text) {
    URI relay;
    try {
      relay = URI.create(text.strip());
    } catch (IllegalArgumentException e) {
      throw new InvalidValue(OPTION, ALLOWED, "has " + text.strip());
    }
    boolean isHere = "localhost".equals(relay.getHost()) || "127.0.0.1".equals(relay.getHost());
    boolean isGood =
        relay.getHost() != null
            && relay.getUserInfo() == null
            && relay.getRawQuery() == null
            && relay.getRawFragment() == null
            && ("https".equals(relay.getScheme()) || ("http".equals(relay.getScheme()) && isHere));
    if (!isGood) {
      throw new InvalidValue(OPTION, ALLOWED, "has " + text.strip());
    }
    String address = relay.toString();
    return address.endsWith("/") ? URI.create(address.substring(0, address.length() - 1)) : relay;
  }
}
