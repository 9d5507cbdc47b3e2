package io.naru.server.keys;

import io.naru.audit.Act;
import io.naru.keys.KeyStore;
import io.naru.keys.KeyStore.Text;
import io.naru.pass.Algorithm;
import io.naru.pass.KeySource;
import io.naru.pass.PassKey;
import io.naru.pass.PassSigner;
import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Secret;
import io.naru.server.keys.RingKey.State;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of this line as this server knows them. Reading what it knows costs nothing; {@link
 * #refresh}, {@link #rotate} and {@link #revoke} ask the store, which all servers share, and block.
 */
public final class SigningKeys implements KeySource, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SigningKeys.class);

  private static final int MAX_TRIES = 8;

  private static final Told NOBODY = (_, _) -> null;

  /**
   * Gates ask for revocations every three seconds, and what is revoked on one server is to be
   * refused everywhere before five are over.
   */
  private static final Duration BEAT = Duration.ofSeconds(1);

  private final KeyStore store;
  private final RingText text;
  private final Policy policy;
  private final InstantSource clock;
  private volatile Known known;
  private boolean isSilent;
  private final Beat beat = new Beat("naru-keys", BEAT, this::refresh);

  /**
   * How keys are made.
   *
   * @param algorithm of keys made from now on
   * @param maxAge after which the next key takes over by itself
   */
  public record Policy(Algorithm algorithm, Duration maxAge) {

    /** Retired keys are kept for a day, and there is a bound on how many. */
    private static final Duration MIN_AGE = Duration.ofHours(1);

    private static final Duration MAX_AGE = Duration.ofDays(3_650);

    public static final Policy DEFAULT = new Policy(Algorithm.ES256, Duration.ofDays(30));

    public Policy {
      if (maxAge.compareTo(MIN_AGE) < 0 || maxAge.compareTo(MAX_AGE) > 0) {
        throw new InvalidValue("key-max-age", "1h..3650d", "is " + maxAge);
      }
    }
  }

  /** What was last read, ready to be used. */
  private record Known(
      Text kept, KeyRing ring, PassSigner signer, Map<String, PassKey> published, String jwks) {

    static Known of(Text kept, KeyRing ring) {
      Map<String, PassKey> published = new LinkedHashMap<>();
      ring.published().forEach(key -> published.put(key.id(), key));
      return new Known(
          kept,
          ring,
          new PassSigner(ring.inUse().key()),
          published,
          PassKey.jwks(published.values()));
    }
  }

  /**
   * Reads the keys, or makes the first ones.
   *
   * @throws QueueUnavailable if the store cannot be asked
   * @throws IllegalArgumentException if what is kept cannot be read with this secret
   */
  public SigningKeys(KeyStore store, Secret secret, Policy policy, InstantSource clock) {
    this.store = store;
    this.text = new RingText(secret);
    this.policy = policy;
    this.clock = clock;
    known = makeFirst();
    if (known.ring.next().key().algorithm() != policy.algorithm()
        && known.ring.inUse().key().algorithm() != policy.algorithm()) {
      change(ring -> ring.replaceNext(fresh(), clock.instant()), NOBODY);
      log.info("the next signing key is for {}; rotate to use it", policy.algorithm());
    }
  }

  private Known makeFirst() {
    for (int i = 0; i < MAX_TRIES; i++) {
      Text kept = store.read();
      if (kept.version() > 0) {
        return read(kept);
      }
      KeyRing first = KeyRing.first(this::fresh, clock.instant());
      var made = new Text(1, text.write(first));
      // Another server may be first; then its keys are ours.
      if (store.replace(kept, made)) {
        return Known.of(made, first);
      }
    }
    throw contended();
  }

  private Known read(Text kept) {
    return Known.of(kept, text.read(kept.content()));
  }

  private PassKey fresh() {
    return PassKey.generate(policy.algorithm());
  }

  public KeyRing ring() {
    return known.ring;
  }

  public PassSigner signer() {
    return known.signer;
  }

  /** The public keys, as a JWKS document. */
  String jwks() {
    return known.jwks;
  }

  @Override
  public @Nullable PassKey find(String keyId) {
    return known.published.get(keyId);
  }

  @Override
  public boolean keyRevoked(String keyId) {
    return known.ring.find(keyId).filter(key -> key.is(State.REVOKED)).isPresent();
  }

  @Override
  public boolean passRevoked(String passId) {
    return known.ring.revokedPasses().containsKey(passId);
  }

  /** Begins to follow what other servers do. */
  public void start() {
    beat.start();
  }

  @Override
  public void close() {
    beat.close();
  }

  /** Learns what other servers did, and does what is due by age. Outlives any failure. */
  public void refresh() {
    try {
      learn();
      KeyRing ring = known.ring;
      Instant now = clock.instant();
      if (ring.inUse().since().plus(policy.maxAge()).isBefore(now)) {
        String old = ring.inUse().id();
        change(
            current -> current.inUse().id().equals(old) ? rotated(current) : current,
            rotation(Actor.SYSTEM));
        log.info("signing key {} is retired by age; {} signs", old, known.ring.inUse().id());
      } else if (!ring.tidy(now).equals(ring)) {
        change(current -> current, NOBODY);
      }
      if (isSilent) {
        log.info("the signing keys are read again");
      }
      isSilent = false;
    } catch (RuntimeException e) {
      if (!isSilent && !beat.isClosed()) {
        // A store that is away says so in a line; anything else is to be looked into.
        @Nullable Throwable unforeseen = e instanceof QueueUnavailable ? null : e;
        log.warn(
            "the signing keys cannot be read, what is known of them goes on: {}",
            e.getMessage(),
            unforeseen);
        isSilent = true;
      }
    }
  }

  private synchronized void learn() {
    Text kept = store.read();
    if (kept.version() < known.kept.version()) {
      // The store was emptied, or an older one took over: what gates know must not be forgotten.
      store.replace(kept, known.kept);
    } else if (!kept.equals(known.kept)) {
      known = read(kept);
    }
  }

  public KeyRing rotate(Actor by) {
    return change(this::rotated, rotation(by));
  }

  private KeyRing rotated(KeyRing ring) {
    return ring.rotate(this::fresh, clock.instant());
  }

  private static Told rotation(Actor by) {
    return (before, after) ->
        new Act(
            by,
            Act.Kind.ROTATE_KEY,
            null,
            Map.of("kid", before.inUse().id()),
            Map.of("kid", after.inUse().id()));
  }

  /** Empty if there is no such key. */
  public Optional<KeyRing> revoke(String keyId, Actor by) {
    KeyRing after =
        change(
            ring ->
                ring.find(keyId).isPresent()
                    ? ring.revoke(keyId, this::fresh, clock.instant())
                    : ring,
            (_, _) -> new Act(by, Act.Kind.REVOKE_KEY, null, Map.of(), Map.of("kid", keyId)));
    return after.find(keyId).isPresent() ? Optional.of(after) : Optional.empty();
  }

  /**
   * @param queue whose pass it is; null if that is not known
   */
  public void revokePass(String passId, @Nullable QueueId queue, Actor by) {
    change(
        ring -> ring.revokePass(passId, clock.instant()),
        (_, _) -> new Act(by, Act.Kind.REVOKE_PASS, queue, Map.of(), Map.of("jti", passId)));
  }

  /** What a change is in the audit; null for nothing. */
  private interface Told {
    @Nullable Act act(KeyRing before, KeyRing after);
  }

  /**
   * Reads, changes, and writes if nobody else did in between; else once more. If the store does not
   * say whether it has written, it is looked up: what is kept is sealed anew each time, so it is
   * ours or it is not.
   */
  private synchronized KeyRing change(UnaryOperator<KeyRing> step, Told told) {
    @Nullable Text unanswered = null;
    @Nullable QueueUnavailable failure = null;
    for (int i = 0; i < MAX_TRIES; i++) {
      learn();
      Known before = known;
      if (before.kept.equals(unanswered)) {
        return before.ring;
      }
      if (failure != null && failure.kind() == QueueUnavailable.Kind.TIMEOUT) {
        // Whoever asks has waited long enough.
        throw failure;
      }
      KeyRing done = step.apply(before.ring);
      KeyRing after = done.tidy(clock.instant());
      if (after.equals(before.ring)) {
        return after;
      }
      var next = new Text(before.kept.version() + 1, text.write(after));
      Act act = done.equals(before.ring) ? null : told.act(before.ring, after);
      try {
        if (store.replace(before.kept, next, act)) {
          known = Known.of(next, after);
          return after;
        }
      } catch (QueueUnavailable e) {
        if (failure != null) {
          throw e;
        }
        failure = e;
        unanswered = next;
      }
    }
    throw contended();
  }

  private static QueueUnavailable contended() {
    return new QueueUnavailable(
        QueueUnavailable.Kind.OVERLOADED, "too many servers change the signing keys at once");
  }
}
