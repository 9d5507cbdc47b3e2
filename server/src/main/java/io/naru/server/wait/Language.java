package io.naru.server.wait;

import io.naru.line.InLane;
import io.naru.net.Accepted;
import io.naru.queue.Lanes;
import io.naru.server.content.WebFile;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.text.NumberFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A language of the page, and what the page says in it. */
final class Language {

  private static final long MINUTE = 60;
  private static final long HOUR = 3_600;
  private static final long DAY = 24 * HOUR;

  static final Language ENGLISH = new Language("en");
  static final List<Language> ALL = List.of(ENGLISH, new Language("ko"), new Language("ja"));
  private static final List<String> TAGS = ALL.stream().map(Language::tag).toList();

  private final String tag;
  private final Map<String, String> strings;
  private final String json;
  private final Map<String, String> fair;
  private final String fairJson;

  private Language(String tag) {
    this.tag = tag;
    this.strings = read("strings." + tag + ".json");
    this.json = json(strings);
    this.fair = read("fair." + tag + ".json");
    this.fairJson = json(fair);
  }

  /** What a browser asks for with {@code Accept-Language}; English if we have none of it. */
  static Language of(@Nullable String accepted) {
    return Accepted.language(accepted, TAGS).flatMap(Language::tagged).orElse(ENGLISH);
  }

  /** The one with this tag; empty if we have none. */
  static Optional<Language> tagged(String tag) {
    return ALL.stream().filter(one -> one.tag.equals(tag)).findFirst();
  }

  static String tags() {
    return String.join(", ", TAGS);
  }

  String tag() {
    return tag;
  }

  Map<String, String> strings() {
    return strings;
  }

  String say(String key) {
    String text = strings.get(key);
    if (text == null) {
      throw new IllegalStateException("no " + key + " in " + tag);
    }
    return text;
  }

  /** All of it, to be put into a page for its scripts. */
  String json() {
    return json;
  }

  /** What the page says that explains the order. */
  Map<String, String> fair() {
    return fair;
  }

  /** The same, for its scripts. */
  String fairJson() {
    return fairJson;
  }

  String number(long n) {
    return NumberFormat.getIntegerInstance(Locale.of(tag)).format(n);
  }

  String ahead(long n) {
    if (n == 0) {
      return say("ahead.none");
    }
    return counted("ahead", n);
  }

  String behind(long n) {
    return n == 0 ? "" : counted("behind", n);
  }

  /** In which lane somebody stands, and what is promised there; as {@code words.js}. */
  String lane(InLane lane) {
    if (lane.name().isEmpty() || lane.name().equals(Lanes.FALLBACK)) {
      return lane.name().isEmpty() ? "" : say("lane.fallback");
    }
    String promise =
        lane.atMostBefore().isPresent()
            ? counted("lane.most", lane.atMostBefore().getAsLong())
            : say("lane.strict");
    return say("lane.name").replace("{lane}", lane.name()) + " · " + promise;
  }

  /** A wait in words, no more exact than it is known; as {@code words.js}. */
  String estimate(long from, long to) {
    if (to <= 55) {
      return say("estimate.soon");
    }
    if (from > DAY) {
      return say("estimate.days");
    }
    boolean isMinutes = to < 90 * MINUTE;
    long a = isMinutes ? minutes(from) : hours(from);
    long b = isMinutes ? minutes(to) : hours(to);
    String unit = isMinutes ? "estimate.minutes" : "estimate.hours";
    // Close together is one number, the later one: better early than late.
    if (a * 1.4 >= b) {
      return counted(unit, b);
    }
    return say(unit + ".range").replace("{a}", number(a)).replace("{b}", number(b));
  }

  /** Whole below 20, fives above. */
  private static long minutes(long seconds) {
    long n = Math.max(1, Math.ceilDiv(seconds - 12, MINUTE));
    return n < 20 ? n : Math.ceilDiv(n, 5L) * 5;
  }

  private static long hours(long seconds) {
    return Math.max(1, Math.ceilDiv(seconds - 720, HOUR));
  }

  /** How long something lasts that is known exactly; as {@code words.js}. */
  String duration(long seconds) {
    if (seconds < 2 * MINUTE && seconds != MINUTE) {
      return say("duration.seconds").replace("{n}", number(seconds));
    }
    boolean isMinutes = seconds < 2 * HOUR && seconds != HOUR;
    return isMinutes
        ? counted("duration.minutes", seconds / MINUTE)
        : counted("duration.hours", seconds / HOUR);
  }

  private String counted(String key, long n) {
    return n == 1 ? say(key + ".one") : say(key + ".many").replace("{n}", number(n));
  }

  private static Map<String, String> read(String name) {
    Map<String, String> strings = new LinkedHashMap<>();
    Json.read(Buffer.buffer(WebFile.bytes(name)))
        .forEach((key, value) -> strings.put(key, String.valueOf(value)));
    return strings;
  }

  private static String json(Map<String, String> strings) {
    return Json.object(out -> strings.forEach(out::writeStringProperty))
        .toString()
        // Else a text could end the element that it is in.
        .replace("<", "\\u003c");
  }
}
