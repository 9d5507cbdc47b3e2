package io.naru.gate;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.naru.pass.EndedTurns;
import io.naru.pass.KeySource;
import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import io.naru.pass.Reason;
import io.naru.pass.Revocations;
import io.naru.pass.Revocations.Checked;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What Naru published, as last seen: keys, revocations, and whose turn is over. Before all three
 * have arrived once, nobody gets in. While Naru is away the last ones serve on, since whoever has a
 * pass has waited for it; unless the site has said how old they may be.
 */
final class Trust implements KeySource {

  private static final System.Logger LOG = System.getLogger(Trust.class.getName());

  static final Duration KEYS_EVERY = Duration.ofSeconds(60);
  static final Duration UNKNOWN_KEY_EVERY = Duration.ofSeconds(30);

  private final NaruClient naru;
  private final String queue;
  private final @Nullable Duration maxAge;
  private final OverTurns turns;
  private final String issuer;
  private final InstantSource clock;
  private final Executor fetcher;
  private final AtomicReference<@Nullable Instant> askedForUnknown = new AtomicReference<>();

  private volatile Map<String, PassKey> keys = Map.of();
  private volatile @Nullable Instant keysAt;
  private volatile @Nullable Revocations revocations;
  private volatile @Nullable Instant revocationsAt;
  private volatile @Nullable Instant turnsAt;
  private volatile boolean isOlderNaru;
  private volatile @Nullable String problem;

  /**
   * @param fetcher where a key is asked for that somebody came with and that is not known
   */
  Trust(NaruClient naru, GateSettings settings, InstantSource clock, Executor fetcher) {
    this.naru = naru;
    this.issuer = settings.publicUrl();
    this.queue = settings.queue();
    this.maxAge = settings.maxKnowledgeAge();
    this.turns = new OverTurns(settings.clockSkew(), OverTurns.MAX_PASSES);
    this.clock = clock;
    this.fetcher = fetcher;
  }

  @Override
  public boolean ready() {
    return !keys.isEmpty() && revocations != null && (turnsAt != null || isOlderNaru);
  }

  @Override
  public @Nullable Reason refusal(Pass pass) {
    if (turns.isOver(pass)) {
      return Reason.TURN_OVER;
    }
    return isStale() ? Reason.STALE : null;
  }

  /**
   * Failing open or closed is for the site to say: without a limit it stays open to those with a
   * pass for as long as Naru is away, with one nobody gets in on knowledge that is older.
   */
  private boolean isStale() {
    Instant revoked = revocationsAt;
    Instant over = isOlderNaru ? revoked : turnsAt;
    return maxAge != null
        && (revoked == null || over == null || past(revoked, maxAge) || past(over, maxAge));
  }

  @Override
  public @Nullable PassKey find(String keyId) {
    return find(keyId, fetcher);
  }

  private @Nullable PassKey find(String keyId, Executor fetcher) {
    PassKey key = keys.get(keyId);
    if (key == null && !keyRevoked(keyId) && mayAskForUnknown()) {
      fetcher.execute(() -> attempt(this::fetchKeys));
      return keys.get(keyId);
    }
    return key;
  }

  @Override
  public boolean keyRevoked(String keyId) {
    Revocations current = revocations;
    return current != null && current.keyIds().contains(keyId);
  }

  @Override
  public boolean passRevoked(String passId) {
    Revocations current = revocations;
    return current == null || current.passIds().contains(passId);
  }

  GateStatus status() {
    return new GateStatus(
        ready() && !isStale(), keys.size(), keysAt, revocationsAt, turnsAt, problem);
  }

  /** One round of looking for news; never throws. */
  void poll() {
    String noKeys = keys.isEmpty() ? attempt(this::fetchKeys) : null;
    String noRevocations = attempt(this::fetchRevocations);
    String noTurns = attempt(this::fetchTurns);
    // Last, so that a slow answer does not hold up the news that a pass counts no more.
    if (noKeys == null && !keys.isEmpty() && (keysAreOld() || keysLackTheNext())) {
      noKeys = attempt(this::fetchKeys);
    }
    report(noKeys != null ? noKeys : noRevocations != null ? noRevocations : noTurns);
  }

  private boolean keysAreOld() {
    Instant fetched = keysAt;
    return fetched != null && past(fetched, KEYS_EVERY);
  }

  /** Keys were rotated: the one that will sign after the next rotation must be here by then. */
  private boolean keysLackTheNext() {
    Revocations current = revocations;
    return current != null && !keys.containsKey(current.nextKeyId());
  }

  /** One of those who ask, in half a minute, gets to fetch; the others are refused at once. */
  private boolean mayAskForUnknown() {
    Instant last = askedForUnknown.get();
    return (last == null || past(last, UNKNOWN_KEY_EVERY))
        && askedForUnknown.compareAndSet(last, clock.instant());
  }

  private boolean past(Instant since, Duration span) {
    // Absolute: a clock that was set back must not stop us for as long as it was set back.
    return Duration.between(since, clock.instant()).abs().compareTo(span) >= 0;
  }

  private void fetchKeys() throws IOException {
    Map<String, PassKey> fetched;
    try {
      fetched = PassKey.parseJwks(naru.get("/.well-known/jwks.json"));
    } catch (IllegalArgumentException e) {
      throw new IOException("the published keys cannot be read", e);
    }
    if (fetched.isEmpty()) {
      throw new IOException("no usable keys are published");
    }
    keys = Map.copyOf(fetched);
    keysAt = clock.instant();
  }

  private void fetchRevocations() throws IOException {
    String list = naru.get("/.well-known/naru-revocations");
    Checked checked = Revocations.verify(list, new ForLists(), issuer, clock.instant());
    if (checked instanceof Checked.Valid valid) {
      Revocations known = revocations;
      // One that is older may have been kept, so it takes nothing back; nor is it refused, since
      // clocks of servers are apart, and are set back.
      revocations = known == null ? valid.revocations() : known.and(valid.revocations());
      revocationsAt = clock.instant();
    } else if (checked instanceof Checked.Refused refused) {
      throw new IOException("the revocations were refused: " + explain(refused.reason()));
    }
  }

  /** What is new since the last time; the first time all of it, in parts. */
  private void fetchTurns() throws IOException {
    String cursor = "";
    while (!cursor.equals(turns.cursor())) {
      cursor = turns.cursor();
      String part;
      try {
        part = naru.get("/queue/" + queue + "/ended?after=" + cursor, EndedTurns.MAX_LENGTH);
      } catch (NaruClient.Answered e) {
        if (e.status == 404) {
          noteOlderNaru();
          return;
        }
        throw e;
      }
      Instant now = clock.instant();
      EndedTurns.Checked checked = EndedTurns.verify(part, new ForLists(), issuer, queue, now);
      if (checked instanceof EndedTurns.Checked.Refused refused) {
        throw new IOException("the turns that are over were refused: " + explain(refused.reason()));
      }
      EndedTurns valid = ((EndedTurns.Checked.Valid) checked).turns();
      turns.take(valid, now);
      isOlderNaru = false;
      if (!valid.more()) {
        turnsAt = now;
        return;
      }
    }
    throw new IOException("the turns that are over come to no end");
  }

  /** The gate may be newer than its Naru: it is then what gates were before. */
  private void noteOlderNaru() {
    if (!isOlderNaru) {
      LOG.log(WARNING, "this Naru does not tell whose turn is over; passes count until they end");
    }
    isOlderNaru = true;
  }

  private String explain(Reason reason) {
    return reason == Reason.ISSUER
        ? "%s (expected %s; set publicUrl to Naru's --public-url)".formatted(reason.text(), issuer)
        : reason.text();
  }

  /** Why it failed; null if it did not. */
  private @Nullable String attempt(Fetch fetch) {
    try {
      fetch.run();
      return null;
    } catch (IOException | RuntimeException e) {
      // Whatever it was, it must not end the polling; what is known stays as it is.
      return String.valueOf(e.getMessage());
    }
  }

  private void report(@Nullable String failure) {
    if (failure != null && !failure.equals(problem)) {
      LOG.log(
          WARNING,
          "cannot fetch from Naru: {0}; {1}",
          failure,
          ready() ? "what is known serves on" : "everybody is refused until it works");
    } else if (failure == null && problem != null) {
      LOG.log(INFO, "what Naru publishes arrives again");
    }
    problem = failure;
  }

  private interface Fetch {
    void run() throws IOException;
  }

  /** For reading the list itself, which must come before anything is ready. */
  private final class ForLists implements KeySource {
    @Override
    public @Nullable PassKey find(String keyId) {
      return Trust.this.find(keyId, Runnable::run);
    }

    @Override
    public boolean keyRevoked(String keyId) {
      return Trust.this.keyRevoked(keyId);
    }

    @Override
    public boolean passRevoked(String passId) {
      return false;
    }
  }
}
