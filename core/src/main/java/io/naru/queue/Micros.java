package io.naru.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/**
 * Time as Naru keeps it: microseconds since 2026-01-01T00:00:00Z. Small enough to stay exact in the
 * double of a Redis score for centuries.
 */
public final class Micros {

  public static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
  public static final long PER_SECOND = 1_000_000;
  private static final long EPOCH_SECOND = EPOCH.getEpochSecond();

  private Micros() {}

  public static long now(InstantSource clock) {
    return of(clock.instant());
  }

  /**
   * @throws ArithmeticException if it is some 290,000 years away: as a number it would be another
   *     time
   */
  public static long of(Instant instant) {
    long seconds = Math.subtractExact(instant.getEpochSecond(), EPOCH_SECOND);
    return Math.addExact(Math.multiplyExact(seconds, PER_SECOND), instant.getNano() / 1_000);
  }

  public static Instant toInstant(long micros) {
    return EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /**
   * ISO-8601 with six fraction digits always, so that text order is time order ({@link
   * Instant#toString()} drops zeros). Written by hand because every answer carries one.
   */
  public static String iso(long micros) {
    long seconds = Math.floorDiv(micros, PER_SECOND);
    int fraction = (int) Math.floorMod(micros, PER_SECOND);
    int secondOfDay = (int) Math.floorMod(seconds, 86_400L);
    // Days since 0000-03-01, then the civil date by 400-year eras (Howard Hinnant's algorithm).
    long days = Math.floorDiv(seconds + EPOCH_SECOND, 86_400L) + 719_468;
    int dayOfEra = (int) Math.floorMod(days, 146_097L);
    int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int shiftedMonth = (5 * dayOfYear + 2) / 153;
    int day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1;
    int month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
    int year = (int) (yearOfEra + Math.floorDiv(days, 146_097L) * 400) + (month <= 2 ? 1 : 0);
    byte[] text = "0000-00-00T00:00:00.000000Z".getBytes(StandardCharsets.ISO_8859_1);
    digits(text, 0, 4, year);
    digits(text, 5, 2, month);
    digits(text, 8, 2, day);
    digits(text, 11, 2, secondOfDay / 3_600);
    digits(text, 14, 2, secondOfDay / 60 % 60);
    digits(text, 17, 2, secondOfDay % 60);
    digits(text, 20, 6, fraction);
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private static void digits(byte[] text, int at, int count, int value) {
    for (int i = at + count - 1; i >= at; i--) {
      text[i] = (byte) ('0' + value % 10);
      value /= 10;
    }
  }
}
