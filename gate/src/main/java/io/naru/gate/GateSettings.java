package io.naru.gate;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a gate is told about its site and its Naru.
 *
 * @param url where the gate reaches Naru
 * @param publicUrl where visitors reach Naru, and what passes have as issuer
 * @param queue such as {@code TIMEDEAL/123}
 * @param audience the queue's setting of that name, or the queue
 * @param protect which paths need a pass
 * @param clockSkew how far clocks may be apart
 * @param pollEvery how often the revocations are asked for
 */
public record GateSettings(
    String url,
    String publicUrl,
    String queue,
    String audience,
    List<String> protect,
    Duration clockSkew,
    Duration pollEvery) {

  private static final Pattern QUEUE =
      Pattern.compile("[A-Z][A-Z0-9_]{0,31}/[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  public GateSettings {
    url = address("url", url);
    publicUrl = address("publicUrl", publicUrl);
    protect = List.copyOf(protect);
    require(QUEUE.matcher(queue).matches(), "queue must be TYPE/id, is '%s'", queue);
    require(!audience.isBlank(), "audience must not be empty%s", "");
    require(!protect.isEmpty(), "protect must name at least one path, such as /** for all%s", "");
    require(
        !clockSkew.isNegative() && clockSkew.compareTo(Duration.ofMinutes(5)) <= 0,
        "clockSkew must be 0 s..5 min, is %s",
        clockSkew);
    require(
        pollEvery.compareTo(Duration.ofMillis(100)) >= 0
            && pollEvery.compareTo(Duration.ofMinutes(1)) <= 0,
        "pollEvery must be 100 ms..1 min, is %s",
        pollEvery);
  }

  /** The page where visitors wait for this queue. */
  public String waitingPage() {
    return publicUrl + "/wait/" + queue;
  }

  private static String address(String name, String value) {
    try {
      URI uri = new URI(value);
      require(
          ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
              && uri.getHost() != null
              && uri.getRawUserInfo() == null
              && uri.getRawQuery() == null
              && uri.getRawFragment() == null,
          "%s must be an http or https address without user, query and fragment",
          name);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(name + " is not an address: " + e.getReason(), e);
    }
    return value.endsWith("/") ? value.substring(0, value.length() - 1) : value;
  }

  private static void require(boolean fulfilled, String otherwise, Object value) {
    if (!fulfilled) {
      throw new IllegalArgumentException(otherwise.formatted(value));
    }
  }
}
