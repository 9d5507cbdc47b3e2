package io.naru.queue;

import io.naru.admission.Pacing;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue. A value outside its range cannot exist; the error names the field and
 * the range. Names, ranges and defaults are here and nowhere else: HTTP and Redis borrow them.
 *
 * @param maxCapacity how many may be inside at once
 * @param entryBatchSize how many may go in per interval
 * @param entryIntervalSeconds how often the allowance is refilled
 * @param passTtlSeconds how long somebody may stay inside without completing
 * @param maxWaiting how many may wait; the next one is told that the line is full
 * @param newPlacesPerMinute how many new places one user may take per minute, 0 for no limit
 * @param onExpiry what becomes of somebody whose turn passes unused
 * @param once whether a user who has completed may not enter again
 * @param completedBy who may say that somebody inside is done
 * @param title what the queue is called in front of visitors
 * @param targetUrl where the admitted go, or empty; kept as it is sent, in ASCII
 * @param color of the brand, on the waiting page; {@code #rrggbb} or empty
 * @param logoUrl of the brand's picture on the waiting page, or empty
 * @param message what the operator tells those who wait, or empty
 * @param audience whom passes are for, as the gate there is told; empty for the queue's own name
 */
public record Settings(
    int maxCapacity,
    int entryBatchSize,
    int entryIntervalSeconds,
    int passTtlSeconds,
    int maxWaiting,
    int newPlacesPerMinute,
    OnExpiry onExpiry,
    boolean once,
    CompletedBy completedBy,
    String title,
    String targetUrl,
    String color,
    String logoUrl,
    String message,
    String audience) {

  private static final Range MAX_CAPACITY = new Range("maxCapacity", 1, 10_000_000);
  private static final Range ENTRY_BATCH_SIZE = new Range("entryBatchSize", 1, 100_000);
  private static final Range ENTRY_INTERVAL_SECONDS = new Range("entryIntervalSeconds", 1, 3_600);
  private static final Range PASS_TTL_SECONDS = new Range("passTtlSeconds", 10, 86_400);
  private static final Range MAX_WAITING = new Range("maxWaiting", 1, 10_000_000);
  private static final Range NEW_PLACES_PER_MINUTE = new Range("newPlacesPerMinute", 0, 1_000);
  private static final String ON_EXPIRY = "onExpiry";
  private static final String ONCE = "once";
  private static final String COMPLETED_BY = "completedBy";
  private static final int MAX_TITLE = 200;
  private static final String TARGET_URL = "targetUrl";
  private static final String LOGO_URL = "logoUrl";
  private static final int MAX_URL = 2_000;
  private static final int MAX_MESSAGE = 500;
  private static final int MAX_AUDIENCE = 200;
  private static final String URL_ALLOWED =
      "empty, or an absolute http:// or https:// URL of at most "
          + MAX_URL
          + " characters, percent-encoded";
  private static final String COLOR_ALLOWED = "empty, or #rrggbb";
  private static final Pattern COLOR = Pattern.compile("#[0-9A-Fa-f]{6}");

  public static final Settings DEFAULT =
      new Settings(
          1_000,
          100,
          1,
          300,
          10_000_000,
          3,
          OnExpiry.END,
          false,
          CompletedBy.VISITOR,
          "",
          "",
          "",
          "",
          "",
          "");

  /** What becomes of somebody whose turn passes unused. */
  public enum OnExpiry {
    /** Their entry has expired, and that was it; they may enter again. */
    END,
    /**
     * Their entry has expired, and with the same step they have a new one, at the end of the line.
     */
    REQUEUE
  }

  /** Who may say that somebody inside is done. */
  public enum CompletedBy {
    /** They themselves, with their pass; and the site. */
    VISITOR,
    /** The site alone, with its key and their pass. */
    SITE
  }

  public Settings {
    MAX_CAPACITY.check(maxCapacity);
    ENTRY_BATCH_SIZE.check(entryBatchSize);
    ENTRY_INTERVAL_SECONDS.check(entryIntervalSeconds);
    PASS_TTL_SECONDS.check(passTtlSeconds);
    MAX_WAITING.check(maxWaiting);
    NEW_PLACES_PER_MINUTE.check(newPlacesPerMinute);
    checkShown("title", title, MAX_TITLE);
    targetUrl = address(TARGET_URL, targetUrl, "is not an address that visitors can be sent to");
    checkColor(color);
    logoUrl = address(LOGO_URL, logoUrl, "is not the address of a picture");
    checkShown("message", message, MAX_MESSAGE);
    checkShown("audience", audience, MAX_AUDIENCE);
  }

  public Pacing pacing() {
    return new Pacing(entryBatchSize, entryIntervalSeconds);
  }

  public boolean requeues() {
    return onExpiry == OnExpiry.REQUEUE;
  }

  /** Whether this one may not say it. */
  public boolean keepsFromCompleting(CompletedBy by) {
    return completedBy == CompletedBy.SITE && by == CompletedBy.VISITOR;
  }

  /**
   * Every setting by its name, in the order people expect them: numbers as {@link Integer}, yes or
   * no as {@link Boolean}, everything else as text.
   */
  public Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(MAX_CAPACITY.field, maxCapacity);
    map.put(ENTRY_BATCH_SIZE.field, entryBatchSize);
    map.put(ENTRY_INTERVAL_SECONDS.field, entryIntervalSeconds);
    map.put(PASS_TTL_SECONDS.field, passTtlSeconds);
    map.put(MAX_WAITING.field, maxWaiting);
    map.put(NEW_PLACES_PER_MINUTE.field, newPlacesPerMinute);
    map.put(ON_EXPIRY, onExpiry.name());
    map.put(ONCE, once);
    map.put(COMPLETED_BY, completedBy.name());
    map.put("title", title);
    map.put(TARGET_URL, targetUrl);
    map.put("color", color);
    map.put(LOGO_URL, logoUrl);
    map.put("message", message);
    map.put("audience", audience);
    return map;
  }

  /**
   * These settings with some of them changed.
   *
   * @param changes by name, as they came from outside: any type, any name
   * @throws InvalidValue for an unknown name, a wrong type or a value out of range
   */
  public Settings with(Map<String, ? extends @Nullable Object> changes) {
    checkLength(TARGET_URL, changes.get(TARGET_URL));
    checkLength(LOGO_URL, changes.get(LOGO_URL));
    return merged(changes);
  }

  private Settings merged(Map<String, ? extends @Nullable Object> changes) {
    Map<String, @Nullable Object> merged = new LinkedHashMap<>(asMap());
    changes.forEach(
        (name, value) -> {
          if (!merged.containsKey(name)) {
            throw new InvalidValue(name, String.join(", ", merged.keySet()), "is not a setting");
          }
          merged.put(name, value);
        });
    return new Settings(
        MAX_CAPACITY.read(merged),
        ENTRY_BATCH_SIZE.read(merged),
        ENTRY_INTERVAL_SECONDS.read(merged),
        PASS_TTL_SECONDS.read(merged),
        MAX_WAITING.read(merged),
        NEW_PLACES_PER_MINUTE.read(merged),
        oneOf(OnExpiry.values(), merged, ON_EXPIRY),
        yesOrNo(merged, ONCE),
        oneOf(CompletedBy.values(), merged, COMPLETED_BY),
        text(merged, "title", atMost(MAX_TITLE)),
        text(merged, TARGET_URL, atMost(MAX_URL)),
        text(merged, "color", COLOR_ALLOWED),
        text(merged, LOGO_URL, atMost(MAX_URL)),
        text(merged, "message", atMost(MAX_MESSAGE)),
        text(merged, "audience", atMost(MAX_AUDIENCE)));
  }

  /** The inverse of {@link #asMap()} for a store that keeps text; what it lacks has its default. */
  public static Settings parse(Map<String, String> stored) {
    Map<String, Object> changes = new LinkedHashMap<>();
    DEFAULT
        .asMap()
        .forEach(
            (name, standard) -> {
              String value = stored.get(name);
              if (value != null) {
                changes.put(name, read(standard, value));
              }
            });
    return DEFAULT.merged(changes);
  }

  private static Object read(Object standard, String value) {
    return switch (standard) {
      case Integer _ -> Integer.valueOf(value);
      case Boolean _ -> Boolean.valueOf(value);
      default -> value;
    };
  }

  private static <E extends Enum<E>> E oneOf(
      E[] all, Map<String, @Nullable Object> values, String field) {
    for (E each : all) {
      if (each.name().equals(values.get(field))) {
        return each;
      }
    }
    String allowed = Arrays.stream(all).map(Enum::name).collect(Collectors.joining(" or "));
    throw new InvalidValue(field, allowed, "is neither of them");
  }

  private static boolean yesOrNo(Map<String, @Nullable Object> values, String field) {
    if (values.get(field) instanceof Boolean yes) {
      return yes;
    }
    throw new InvalidValue(field, "true or false", "is neither of them");
  }

  private static String text(Map<String, @Nullable Object> values, String field, String allowed) {
    if (values.get(field) instanceof String text) {
      return text;
    }
    throw new InvalidValue(field, allowed, "is not text");
  }

  private static String atMost(int max) {
    return "text of at most " + max + " characters";
  }

  private static void checkShown(String field, String text, int max) {
    // Half a surrogate pair is no character: no store could give it back.
    if (text.length() > max
        || text.codePoints().anyMatch(c -> Character.isISOControl(c) || isSurrogate(c))) {
      throw new InvalidValue(
          field,
          "at most " + max + " characters, none of them a control character",
          "is too long or has characters that cannot be shown");
    }
  }

  private static void checkColor(String color) {
    if (!color.isEmpty() && !COLOR.matcher(color).matches()) {
      throw new InvalidValue("color", COLOR_ALLOWED, "is not a colour");
    }
  }

  private static boolean isSurrogate(int codePoint) {
    return Character.getType(codePoint) == Character.SURROGATE;
  }

  /** An address, or none, as it is kept. */
  private static String address(String field, String given, String problem) {
    String url = WebAddress.encoded(given);
    if (!url.isEmpty() && !WebAddress.isOne(url)) {
      throw new InvalidValue(field, URL_ALLOWED, problem);
    }
    return url;
  }

  /** Only of what comes in: an earlier version kept addresses that are longer once encoded. */
  private static void checkLength(String field, @Nullable Object given) {
    if (given instanceof String url && WebAddress.encoded(url).length() > MAX_URL) {
      throw new InvalidValue(field, URL_ALLOWED, "is too long");
    }
  }

  /** The whole numbers that a setting may have. */
  private record Range(String field, int min, int max) {

    private InvalidValue refuse(String problem) {
      return new InvalidValue(field, min + ".." + max, problem);
    }

    void check(int value) {
      if (value < min || value > max) {
        throw refuse("is " + value);
      }
    }

    int read(Map<String, @Nullable Object> values) {
      return switch (values.get(field)) {
        case Integer i -> i;
        case Long l when l >= min && l <= max -> l.intValue();
        case Long l -> throw refuse("is " + l);
        case BigInteger huge -> throw refuse("is " + huge);
        case null, default -> throw refuse("is not a whole number");
      };
    }
  }
}
