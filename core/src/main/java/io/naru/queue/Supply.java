package io.naru.queue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What there is for those who go in.
 *
 * @param stock how the {@link Stock} that the site pushes bounds admission; if it is not there,
 *     there is no such bound
 */
public record Supply(Optional<Bound> stock) {

  private static final String ALLOWED =
      "null, or {\"perVisitor\": 1..1000, \"lowAt\": 0..10000000, \"staleSeconds\": 1..86400,"
          + " \"whenStale\": HOLD or PAUSE}, any of them left out";

  private static final Field<Supply, Optional<Bound>> STOCK =
      Field.<Supply, Optional<Bound>>of(
              "stock",
              ALLOWED,
              Supply::stock,
              "is no such object",
              given ->
                  switch (given) {
                    case null -> Optional.empty();
                    case Map<?, ?> members -> Optional.of(Bound.of(members));
                    default -> null;
                  })
          .withLedger();

  static final List<Field<Supply, ?>> FIELDS = List.of(STOCK);

  public static final Supply DEFAULT = new Supply(Optional.empty());

  static Supply of(Map<String, ? extends @Nullable Object> values) {
    return new Supply(STOCK.read(values));
  }

  /** How many may be inside, by what there is; where that does not matter, any number. */
  int mostInside(Units units) {
    return stock.map(bound -> bound.mostInside(units)).orElse(Integer.MAX_VALUE);
  }

  /** Whether there is less than one visitor takes, so that nobody goes in, whoever leaves. */
  public boolean isGone(Units units) {
    return mostInside(units) == 0;
  }

  /** Whether nobody goes in because nobody knows what there is. */
  public boolean isDoubted(Units units, long now) {
    return stock.isPresent() && stock.get().isDoubted(units, now);
  }

  /**
   * The same, as it is shown by a clock that may be a bit behind the one that decides: what was
   * just said is not said in the future.
   */
  public boolean seemsDoubted(Units units, long now) {
    return isDoubted(units, Math.max(now, units.at()));
  }

  /** Whether nobody goes in, because there is nothing or nobody seems to know. */
  public boolean isOut(Units units, long now) {
    return stock.isPresent() && (isGone(units) || seemsDoubted(units, now));
  }

  /**
   * How much of the rate is left: less and less below {@link Bound#lowAt}, so that the last units
   * are not overrun.
   */
  public double slowing(Units units) {
    int lowAt = stock.map(Bound::lowAt).orElse(0);
    return units.remaining() >= lowAt ? 1 : (double) units.remaining() / lowAt;
  }

  /**
   * How many may be inside, by what there is.
   *
   * @param perVisitor how many units a visitor takes
   * @param lowAt with fewer units left the rate falls in proportion; 0 for never
   * @param staleSeconds for how long figures say something
   * @param whenStale what happens after that
   */
  public record Bound(int perVisitor, int lowAt, int staleSeconds, WhenStale whenStale) {

    private static final Field<Bound, Integer> PER_VISITOR =
        Field.whole("stock.perVisitor", 1, 1_000, Bound::perVisitor);
    private static final Field<Bound, Integer> LOW_AT =
        Field.whole("stock.lowAt", 0, Stock.MOST, Bound::lowAt);
    private static final Field<Bound, Integer> STALE_SECONDS =
        Field.whole("stock.staleSeconds", 1, 86_400, Bound::staleSeconds);
    private static final Field<Bound, WhenStale> WHEN_STALE =
        Field.oneOf("stock.whenStale", WhenStale.class, Bound::whenStale);

    private static final List<Field<Bound, ?>> FIELDS =
        List.of(PER_VISITOR, LOW_AT, STALE_SECONDS, WHEN_STALE);

    public static final Bound DEFAULT = new Bound(1, 0, 10, WhenStale.HOLD);

    public Bound {
      PER_VISITOR.check(perVisitor);
      LOW_AT.check(lowAt);
      STALE_SECONDS.check(staleSeconds);
    }

    private static Bound of(Map<?, ?> members) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      FIELDS.forEach(field -> values.put(field.name(), field.plain(DEFAULT)));
      members.forEach(
          (name, value) -> {
            if (values.replace("stock." + name, value) == null) {
              throw new InvalidValue("stock." + name, ALLOWED, "is not known");
            }
          });
      return new Bound(
          PER_VISITOR.read(values),
          LOW_AT.read(values),
          STALE_SECONDS.read(values),
          WHEN_STALE.read(values));
    }

    /** Those who hold units are inside, too. With none left it is for nobody to go in and look. */
    private int mostInside(Units units) {
      long all = units.remaining() == 0 ? 0 : units.remaining() + units.held();
      return (int) Math.min(Integer.MAX_VALUE, all / perVisitor);
    }

    private boolean isDoubted(Units units, long now) {
      return !units.isKnown() || (whenStale == WhenStale.PAUSE && isStale(units, now));
    }

    /** A clock that went back says nothing about how old they are. */
    private boolean isStale(Units units, long now) {
      return now < units.at() || now >= units.at() + staleSeconds * Micros.PER_SECOND;
    }

    /** As JSON has it. */
    Map<String, Object> plain() {
      Map<String, Object> plain = new LinkedHashMap<>();
      plain.put("perVisitor", perVisitor);
      plain.put("lowAt", lowAt);
      plain.put("staleSeconds", staleSeconds);
      plain.put("whenStale", whenStale.name());
      return plain;
    }
  }

  /** What is believed of figures that are old. */
  public enum WhenStale {
    /** That they still hold. */
    HOLD,
    /** Nothing: nobody is admitted until there are new ones. */
    PAUSE
  }
}
