package io.naru.server.doors;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.queue.Doors;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.Secret;
import io.naru.server.doors.Altcha.Effort;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is to be proved, and whether it was. Nothing is kept of either. */
public final class Proofs implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Proofs.class);

  /** About half a second on a phone; making a challenge takes a fifth of a millisecond. */
  static final Effort EFFORT = new Effort(300, 150, 250);

  /** Long enough for the slowest phone, and for a page that was put to sleep meanwhile. */
  static final long LIFE_SECONDS = 600;

  private static final int THREADS = 2;
  private static final int MAX_WAITING = 1_000;
  private static final int MAX_PAYLOAD = 4_096;
  private static final int NAME_BYTES = 16;

  private final Altcha altcha;
  private final Secret names;
  private final EntryTokens tokens;
  private final InstantSource clock;
  private final @Nullable Verifier verifier;
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong down = new AtomicLong();

  private final ThreadPoolExecutor workers =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          10,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_WAITING),
          Thread.ofPlatform().daemon().name("naru-proof-", 0).factory());

  /**
   * @param secret the same on all servers of a queue
   * @param verifier null if there is none: then work is asked for in its place
   */
  public Proofs(
      Secret secret,
      EntryTokens tokens,
      InstantSource clock,
      SiteVerify.@Nullable Config verifier) {
    this.altcha = new Altcha(secret.derive("challenge"), secret.derive("key"));
    this.names = secret.derive("entry");
    this.tokens = tokens;
    this.clock = clock;
    this.verifier = verifier == null ? null : new SiteVerify(verifier);
    workers.allowCoreThreadTimeOut(true);
  }

  /** A challenge for one entry, as JSON; empty if too many are being made. */
  public CompletionStage<Optional<Buffer>> challenge(EntryKey entry) {
    long until = now() + LIFE_SECONDS;
    try {
      return CompletableFuture.supplyAsync(
          () -> Optional.of(json(altcha.challenge(EFFORT, nameOf(entry), until))), workers);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedStage(Optional.empty());
    }
  }

  private static Buffer json(Altcha.Challenge challenge) {
    return Buffer.buffer("{\"kind\":\"work\"," + challenge.json().substring(1));
  }

  /** Whether this solves a challenge for this entry. */
  public boolean isGood(String payload, EntryKey entry) {
    Altcha.Verdict verdict = Altcha.Verdict.MALFORMED;
    if (payload.length() <= MAX_PAYLOAD) {
      try {
        String json = new String(Base64.getDecoder().decode(payload), UTF_8);
        verdict = altcha.verify(io.naru.queue.Json.readObject(json), nameOf(entry), now());
      } catch (IllegalArgumentException e) {
        // Neither Base64 nor JSON.
      }
    }
    if (verdict != Altcha.Verdict.GOOD) {
      refused.incrementAndGet();
      log.debug("a proof was refused: {}", verdict);
    }
    return verdict == Altcha.Verdict.GOOD;
  }

  /** What an entry is called in a challenge, which others may see. */
  private String nameOf(EntryKey entry) {
    byte[] token = tokens.tokenOf(entry).getBytes(UTF_8);
    return HexFormat.of().formatHex(names.mac(token, token.length), 0, NAME_BYTES);
  }

  private long now() {
    return clock.instant().getEpochSecond();
  }

  /** Whose scripts and frames the page needs where people owe the word of a verifier. */
  public List<String> verifierOrigins() {
    return verifier == null ? List.of() : verifier.shown().origins();
  }

  public Verifier.@Nullable Shown shown() {
    return verifier == null ? null : verifier.shown();
  }

  public Buffer verifierJson() {
    Verifier.Shown shown = Objects.requireNonNull(shown());
    return Json.object(
        json -> {
          json.writeStringProperty("kind", "verifier");
          json.writeStringProperty("siteKey", shown.siteKey());
          json.writeStringProperty("script", shown.script());
        });
  }

  public CompletionStage<Verifier.Verdict> verify(String response) {
    return Objects.requireNonNull(verifier)
        .verify(response)
        .thenApply(
            verdict -> {
              if (verdict == Verifier.Verdict.BAD) {
                refused.incrementAndGet();
              }
              return verdict;
            });
  }

  /** Counts that somebody was let through, or not, since nobody could be asked. */
  public void noteDown(Doors.Down rule) {
    if (down.getAndIncrement() == 0) {
      log.warn(
          "the verifier cannot be asked: whoever owes its word {}",
          rule == Doors.Down.OPEN ? "counts as proven" : "keeps the place and tries again");
    }
  }

  /** How many proofs were refused, since the start. */
  public double refused() {
    return refused.get();
  }

  /** A minute is over. */
  public void minute() {
    long times = down.getAndSet(0);
    if (times > 1) {
      log.warn("the verifier could not be asked {} times within a minute", times);
    }
  }

  @Override
  public void close() {
    workers.shutdownNow();
  }
}
