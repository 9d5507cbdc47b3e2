package io.naru.queue;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What happens when, by the clock of whoever decides. A time that comes undoes nothing that an
 * operator did: these are facts beside those of {@link State}.
 *
 * @param lobbyOpensAt from then on people enter, but nobody has a place: at {@code opensAt} all of
 *     them are drawn into an order
 * @param opensAt nobody enters before it, but into the lobby, and nobody is admitted
 * @param notBefore nobody is admitted before it, by hand either
 * @param closesAt from then on nobody enters; those who wait go on being admitted
 * @param endsAt then the queue ends
 */
public record Times(
    Optional<Instant> lobbyOpensAt,
    Optional<Instant> opensAt,
    Optional<Instant> notBefore,
    Optional<Instant> closesAt,
    Optional<Instant> endsAt) {

  /** A moment that does not come. */
  public static final long NEVER = Long.MAX_VALUE;

  private static final Field<Times, Optional<Instant>> LOBBY_OPENS_AT =
      Field.instant("lobbyOpensAt", Times::lobbyOpensAt).withLedger();
  private static final Field<Times, Optional<Instant>> OPENS_AT =
      Field.instant("opensAt", Times::opensAt).withLedger();
  private static final Field<Times, Optional<Instant>> NOT_BEFORE =
      Field.instant("notBefore", Times::notBefore).withLedger();
  private static final Field<Times, Optional<Instant>> CLOSES_AT =
      Field.instant("closesAt", Times::closesAt).withLedger();
  private static final Field<Times, Optional<Instant>> ENDS_AT =
      Field.instant("endsAt", Times::endsAt).withLedger();

  static final List<Field<Times, ?>> FIELDS =
      List.of(LOBBY_OPENS_AT, OPENS_AT, NOT_BEFORE, CLOSES_AT, ENDS_AT);

  public static final Times DEFAULT =
      new Times(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public Times {
    LOBBY_OPENS_AT.check(lobbyOpensAt);
    OPENS_AT.check(opensAt);
    NOT_BEFORE.check(notBefore);
    CLOSES_AT.check(closesAt);
    ENDS_AT.check(endsAt);
    if (lobbyOpensAt.isPresent() && opensAt.isEmpty()) {
      throw new InvalidValue("opensAt", "an instant where lobbyOpensAt is one", "is null");
    }
    requireBefore(LOBBY_OPENS_AT, lobbyOpensAt, OPENS_AT, opensAt);
    requireBefore(OPENS_AT, opensAt, CLOSES_AT, closesAt);
    requireBefore(OPENS_AT, opensAt, ENDS_AT, endsAt);
    requireBefore(NOT_BEFORE, notBefore, ENDS_AT, endsAt);
    if (closesAt.isPresent() && endsAt.isPresent() && endsAt.get().isBefore(closesAt.get())) {
      throw new InvalidValue("endsAt", "not before closesAt", "is before closesAt");
    }
  }

  private static void requireBefore(
      Field<Times, ?> first,
      Optional<Instant> earlier,
      Field<Times, ?> second,
      Optional<Instant> later) {
    if (earlier.isPresent() && later.isPresent() && !earlier.get().isBefore(later.get())) {
      throw new InvalidValue(
          second.name(), "after " + first.name(), "is not after " + first.name());
    }
  }

  static Times of(Map<String, ? extends @Nullable Object> values) {
    return new Times(
        LOBBY_OPENS_AT.read(values),
        OPENS_AT.read(values),
        NOT_BEFORE.read(values),
        CLOSES_AT.read(values),
        ENDS_AT.read(values));
  }

  /** From when on people may enter, in microseconds as the others; 0 if always. */
  public long entryFrom() {
    return lobbyOpensAt.or(() -> opensAt).map(Micros::of).orElse(0L);
  }

  /** From when on those who enter stand in line; 0 if always. */
  public long opening() {
    return opensAt.map(Micros::of).orElse(0L);
  }

  /** From when on nobody may enter any more; {@link #NEVER} if always. */
  public long entryUntil() {
    return Math.min(closesAt.map(Micros::of).orElse(NEVER), end());
  }

  /** From when on people are admitted; 0 if always. */
  public long admissionFrom() {
    return Math.max(opening(), notBefore.map(Micros::of).orElse(0L));
  }

  /** When the queue ends; {@link #NEVER} if no time does it. */
  public long end() {
    return endsAt.map(Micros::of).orElse(NEVER);
  }

  /** Whether people may enter at {@code now}. */
  public boolean letsEnter(long now) {
    return now >= entryFrom() && now < entryUntil();
  }

  /** When that is different from what it is at {@code now}, or all is over. */
  public long turnAfter(long now) {
    if (now < entryFrom()) {
      return entryFrom();
    }
    return now < entryUntil() ? entryUntil() : end();
  }

  /**
   * @param before what was set until now
   * @throws InvalidValue if this end is set when it is past: it would be over for everybody by a
   *     slip, and cannot be undone
   */
  public void requireEndToCome(Times before, long now) {
    if (end() <= now && end() != before.end()) {
      throw new InvalidValue("endsAt", "null, or an instant to come", "is past");
    }
  }
}
