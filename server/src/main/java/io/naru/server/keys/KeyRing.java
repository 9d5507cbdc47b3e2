package io.naru.server.keys;

import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import io.naru.pass.Revocations;
import io.naru.server.keys.RingKey.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * All keys of a line and what was revoked. Pure: each act makes another ring. There is always one
 * key in use and one that is next.
 *
 * @param keys newest first
 * @param revokedPasses by id, with when they were revoked
 */
public record KeyRing(List<RingKey> keys, Map<String, Instant> revokedPasses) {

  /**
   * For how long a retired or revoked key is kept: no pass lives longer, and another server may
   * have signed with it for a moment more.
   */
  static final Duration KEPT = Duration.ofSeconds(Pass.MAX_LIFE_SECONDS).plusMinutes(1);

  /** Verifiers take a document of limited size; so many rotations a day are enough. */
  static final int MAX_RETIRED = 50;

  /** The act would leave more behind than verifiers take. */
  public static final class TooMany extends RuntimeException {
    TooMany(String message) {
      super(message);
    }
  }

  public KeyRing {
    keys = List.copyOf(keys);
    revokedPasses = Map.copyOf(revokedPasses);
    require(keys, State.IN_USE);
    require(keys, State.NEXT);
  }

  private static void require(List<RingKey> keys, State state) {
    long count = keys.stream().filter(key -> key.is(state)).count();
    if (count != 1) {
      throw new IllegalArgumentException(count + " keys are " + state);
    }
  }

  static KeyRing first(Supplier<PassKey> fresh, Instant now) {
    RingKey inUse = RingKey.next(fresh.get(), now).to(State.IN_USE, now);
    return new KeyRing(List.of(RingKey.next(fresh.get(), now), inUse), Map.of());
  }

  public RingKey inUse() {
    return only(State.IN_USE);
  }

  RingKey next() {
    return only(State.NEXT);
  }

  private RingKey only(State state) {
    return in(state).getFirst();
  }

  List<RingKey> in(State state) {
    return keys.stream().filter(key -> key.is(state)).toList();
  }

  Optional<RingKey> find(String id) {
    return keys.stream().filter(key -> key.id().equals(id)).findFirst();
  }

  /** Those that verify. */
  List<PassKey> published() {
    return keys.stream().filter(key -> !key.is(State.REVOKED)).map(RingKey::key).toList();
  }

  /** The next key signs from now on, and another one is published. */
  KeyRing rotate(Supplier<PassKey> fresh, Instant now) {
    return succeed(State.RETIRED, fresh, now);
  }

  /** Another key is published instead of the one that was. It has signed nothing yet. */
  KeyRing replaceNext(PassKey fresh, Instant now) {
    return with(without(key -> key.is(State.NEXT)), RingKey.next(fresh, now));
  }

  /** Nothing that this key signed counts any more; if it is in use, the next one signs at once. */
  KeyRing revoke(String id, Supplier<PassKey> fresh, Instant now) {
    RingKey key = find(id).orElseThrow();
    return switch (key.state()) {
      case REVOKED -> this;
      case IN_USE -> succeed(State.REVOKED, fresh, now);
      case NEXT ->
          with(replaced(key, key.to(State.REVOKED, now)), RingKey.next(fresh.get(), now)).bounded();
      case RETIRED ->
          new KeyRing(replaced(key, key.to(State.REVOKED, now)), revokedPasses).bounded();
    };
  }

  private KeyRing succeed(State oldOne, Supplier<PassKey> fresh, Instant now) {
    List<RingKey> changed = new ArrayList<>();
    for (RingKey key : keys) {
      changed.add(
          switch (key.state()) {
            case NEXT -> key.to(State.IN_USE, now);
            case IN_USE -> key.to(oldOne, now);
            case RETIRED, REVOKED -> key;
          });
    }
    return with(changed, RingKey.next(fresh.get(), now)).bounded();
  }

  private List<RingKey> replaced(RingKey key, RingKey by) {
    return keys.stream().map(each -> each.equals(key) ? by : each).toList();
  }

  private List<RingKey> without(Predicate<RingKey> which) {
    return keys.stream().filter(which.negate()).toList();
  }

  private KeyRing with(List<RingKey> others, RingKey next) {
    List<RingKey> all = new ArrayList<>();
    all.add(next);
    all.addAll(others);
    return new KeyRing(all, revokedPasses);
  }

  KeyRing revokePass(String id, Instant now) {
    if (revokedPasses.containsKey(id)) {
      return this;
    }
    Map<String, Instant> more = new LinkedHashMap<>(revokedPasses);
    more.put(id, now);
    return new KeyRing(keys, more).bounded();
  }

  private KeyRing bounded() {
    if (in(State.RETIRED).size() > MAX_RETIRED) {
      throw new TooMany(
          "there are " + MAX_RETIRED + " retired keys already; they are forgotten after a day");
    }
    if (in(State.REVOKED).size() > Revocations.MAX_KEY_IDS) {
      throw new TooMany(
          "there are "
              + Revocations.MAX_KEY_IDS
              + " revoked keys already; they are forgotten after a day");
    }
    if (revokedPasses.size() > Revocations.MAX_PASS_IDS) {
      throw new TooMany(
          "there are "
              + Revocations.MAX_PASS_IDS
              + " revoked passes already; they are forgotten after a day. A revoked key takes all"
              + " its passes with it");
    }
    return this;
  }

  /** Without what nobody can ask for any more. */
  KeyRing tidy(Instant now) {
    Instant before = now.minus(KEPT);
    Map<String, Instant> passes = new LinkedHashMap<>(revokedPasses);
    passes.values().removeIf(at -> at.isBefore(before));
    List<RingKey> kept =
        without(
            key ->
                (key.is(State.RETIRED) || key.is(State.REVOKED)) && key.since().isBefore(before));
    return kept.size() == keys.size() && passes.size() == revokedPasses.size()
        ? this
        : new KeyRing(kept, passes);
  }
}
