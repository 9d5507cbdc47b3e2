package io.naru.gate;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a gate is told about its site and its Naru.
 *
 * @param url where the gate reaches Naru
 * @param publicUrl where visitors reach Naru, and what passes have as issuer
 * @param queue such as {@code TIMEDEAL/123}
 * @param audience the queue's setting of that name, or the queue
 * @param protect which paths need a pass
 * @param clockSkew how far clocks may be apart
 * @param pollEvery how often Naru is asked what is revoked and whose turn is over
 * @param maxKnowledgeAge how old the last answer may be before everybody is refused; null for any
 *     age
 * @param bindToSession whether a pass counts only for the first session that brings it
 * @param source what this application is called among those that tell how they answer
 */
public record GateSettings(
    String url,
    String publicUrl,
    String queue,
    String audience,
    List<String> protect,
    Duration clockSkew,
    Duration pollEvery,
    @Nullable Duration maxKnowledgeAge,
    boolean bindToSession,
    String source) {

  private static final Pattern QUEUE =
      Pattern.compile("[A-Z][A-Z0-9_]{0,31}/[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final Pattern SOURCE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final String ADDRESS =
      "an http or https address without user, query and fragment, such as https://naru.example";
  private static final Duration MAX_SKEW = Duration.ofMinutes(5);
  private static final Duration MIN_POLL_EVERY = Duration.ofMillis(100);
  private static final Duration MAX_POLL_EVERY = Duration.ofMinutes(1);
  private static final Duration MIN_KNOWLEDGE_AGE = Duration.ofSeconds(5);
  private static final Duration MAX_KNOWLEDGE_AGE = Duration.ofDays(1);

  public GateSettings {
    url = address("url", url);
    publicUrl = address("publicUrl", publicUrl);
    protect = List.copyOf(protect);
    checkQueue(queue);
    require(!audience.isBlank(), "audience", audience, "the audience of the queue, or left out");
    PathRules.check(protect);
    require(SOURCE.matcher(source).matches(), "source", source, "1..64 letters, digits and . _ -");
    requireBetween("clockSkew", clockSkew, Duration.ZERO, MAX_SKEW);
    requireBetween("pollEvery", pollEvery, MIN_POLL_EVERY, MAX_POLL_EVERY);
    if (maxKnowledgeAge != null) {
      requireBetween("maxKnowledgeAge", maxKnowledgeAge, MIN_KNOWLEDGE_AGE, MAX_KNOWLEDGE_AGE);
    }
  }

  /**
   * @throws WrongSetting if that is no name of a queue
   */
  public static void checkQueue(String queue) {
    require(
        QUEUE.matcher(queue).matches(),
        "queue",
        queue,
        "TYPE/id, such as TIMEDEAL/123: capital letters, digits and _, a slash,"
            + " then letters, digits and . _ -");
  }

  /** The page where visitors wait for this queue. */
  public String waitingPage() {
    return publicUrl + "/wait/" + queue;
  }

  private static String address(String name, String value) {
    require(isAddress(value), name, withoutSecrets(value), ADDRESS);
    return value.endsWith("/") ? value.substring(0, value.length() - 1) : value;
  }

  private static boolean isAddress(String value) {
    try {
      URI uri = new URI(value);
      return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** What is wrong with an address may be the password in it. */
  private static String withoutSecrets(String address) {
    return address.replaceAll("(?s)^([^/]*//)?.*@", "$1***@").replaceAll("(?s)\\?.*", "?***");
  }

  private static void requireBetween(String name, Duration value, Duration min, Duration max) {
    require(
        value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
        name,
        text(value),
        "%s..%s".formatted(text(min), text(max)));
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1_000 == 0
        ? duration.toSeconds() + "s"
        : duration.toMillis() + "ms";
  }

  private static void require(boolean fulfilled, String name, String value, String allowed) {
    if (!fulfilled) {
      throw new WrongSetting(name, value, allowed);
    }
  }
}
