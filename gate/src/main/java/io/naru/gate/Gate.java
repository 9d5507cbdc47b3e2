package io.naru.gate;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import io.naru.pass.Expected;
import io.naru.pass.Pass;
import io.naru.pass.PassVerifier;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import io.naru.pass.Verification.Refused;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells whose turn it is, for one queue. Verifies passes with keys that it fetched from Naru, so a
 * check asks nobody. Made once per application; may be used by many threads.
 *
 * <pre>{@code
 * Gate gate = Gate.builder("https://naru.example", "TIMEDEAL/123").protect("/reservations/**").open();
 * if (gate.check(token) instanceof Verification.Verified verified) { … verified.pass().user() … }
 * }</pre>
 */
public final class Gate implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Gate.class.getName());
  private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  private final GateSettings settings;
  private final Trust trust;
  private final NaruClient naru;
  private final PassVerifier verifier;
  private final Expected expected;
  private final PathRules paths;
  private final RefusalLog refusals;
  private final GateListener listener;
  private final ScheduledExecutorService poller;
  private final @Nullable Signals signals;
  private final @Nullable ScheduledExecutorService teller;

  /** What this gate shows that it is: secrets, each null for none. */
  record Keys(@Nullable String site, @Nullable String signal) {
    static final Keys NONE = new Keys(null, null);
  }

  /**
   * @param neverWaits whether a key that is not known is asked for aside
   */
  Gate(
      GateSettings settings,
      Keys keys,
      GateListener listener,
      InstantSource clock,
      boolean neverWaits) {
    this.settings = settings;
    this.listener = listener;
    this.naru = new NaruClient(settings.url(), keys.site());
    this.poller = thread("naru-gate " + settings.queue());
    this.trust = new Trust(naru, settings, clock, neverWaits ? poller : Runnable::run);
    this.verifier =
        new PassVerifier(trust, clock, settings.clockSkew(), PassVerifier.DEFAULT_REMEMBERED);
    this.expected = new Expected(settings.publicUrl(), settings.audience(), settings.queue());
    this.paths = new PathRules(settings.protect());
    this.refusals = new RefusalLog(settings.queue());
    this.signals =
        keys.signal() == null
            ? null
            : new Signals(
                naru, keys.signal(), settings.queue(), settings.source(), listener::signalled);
    // A thread of its own: that Naru is slow to say who is out must not age what it is told.
    this.teller = signals == null ? null : thread("naru-signals " + settings.queue());
  }

  private static ScheduledExecutorService thread(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        work -> {
          var thread = new Thread(work, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  /**
   * @param url where Naru is, such as {@code https://naru.example}
   * @param queue the queue whose passes count, such as {@code TIMEDEAL/123}
   */
  public static GateBuilder builder(String url, String queue) {
    return new GateBuilder(url, queue);
  }

  /** Fetches what it can get now, and goes on doing so; that Naru is away stops nothing. */
  Gate start() {
    trust.poll();
    long millis = settings.pollEvery().toMillis();
    poller.scheduleAtFixedRate(trust::poll, millis, millis, TimeUnit.MILLISECONDS);
    if (signals != null && teller != null) {
      long every = Signals.EVERY.toMillis();
      teller.scheduleAtFixedRate(signals::send, every, every, TimeUnit.MILLISECONDS);
    }
    return this;
  }

  /** Looks at a token that somebody sent. */
  public Verification check(String token) {
    long start = System.nanoTime();
    return judged(verify(token), start);
  }

  /** Tells Naru that the owner of the pass is done, so that the next one can come in. */
  public Answer complete(String token) {
    return call("complete", token, "");
  }

  /**
   * Tells Naru that the payment of the owner of the pass failed. With {@link Answer#DONE} the pass
   * is good for another try, for as long as the queue's {@code retrySeconds} say; after that, or
   * given up, the turn is over, and its owner stands in front of the line: send them to the waiting
   * page.
   *
   * @param givesUp whether there is no other try
   * @return {@link Answer#REFUSED} also if they came back too often: their turn goes on
   */
  public Answer giveBack(String token, boolean givesUp) {
    return call("return", token, "{\"giveUp\":" + givesUp + "}");
  }

  /**
   * Binds a pass to the first session that comes with it.
   *
   * @param session 1..128 letters, digits and {@code . _ ~ -}; rather not the secret itself that a
   *     session cookie has
   * @return let nobody in but for {@link Answer#DONE}
   */
  public Answer redeem(String token, String session) {
    if (!SESSION.matcher(session).matches()) {
      throw new IllegalArgumentException(
          "a session is 1..128 letters, digits and . _ ~ - (this has %s characters)"
              .formatted(session.length()));
    }
    return call("redeem", token, "{\"session\":\"" + session + "\"}");
  }

  /**
   * Notes how the application served somebody who was let in, for the {@code signalKey}'s signals.
   * The {@link GateFilter} does so by itself; who calls {@link #check} tells it here.
   *
   * @param isFailed whether it was the application's fault that nothing came of it, as with a 5xx
   */
  public void served(Duration took, boolean isFailed) {
    if (signals != null) {
      signals.served(took.toNanos(), isFailed);
    }
  }

  boolean isTelling() {
    return signals != null;
  }

  public GateStatus status() {
    return trust.status();
  }

  public GateSettings settings() {
    return settings;
  }

  @Override
  public void close() {
    poller.shutdownNow();
    if (teller != null) {
      teller.shutdownNow();
    }
  }

  Verification verify(String token) {
    Verification verification = verifier.verify(token, expected);
    if (verification instanceof Refused refused) {
      refusals.log(refused);
    }
    return verification;
  }

  /** For what the filter finds out beyond the pass itself. */
  Refused refuse(Reason reason, Pass pass) {
    var refused = new Refused(reason, pass.id());
    refusals.log(refused);
    return refused;
  }

  /**
   * Tells the listener.
   *
   * @param start by {@link System#nanoTime}
   */
  <V extends Verification> V judged(V verification, long start) {
    try {
      listener.judged(verification, Duration.ofNanos(System.nanoTime() - start));
    } catch (RuntimeException e) {
      // Who only measures decides nothing: neither that somebody gets in nor that nobody does.
      LOG.log(DEBUG, "the gate's listener failed", e);
    }
    return verification;
  }

  PathRules paths() {
    return paths;
  }

  Trust trust() {
    return trust;
  }

  private Answer call(String what, String token, String json) {
    // What no pass looks like never leaves the house: it could be anything, also a second header.
    // A key that we do not know is another matter: Naru may know it.
    if (verify(token) instanceof Refused refused
        && refused.passId() == null
        && refused.reason() != Reason.UNKNOWN_KEY) {
      return refused.reason() == Reason.NO_KEYS ? Answer.UNREACHABLE : Answer.REFUSED;
    }
    try {
      int status = naru.post("/queue/" + settings.queue() + "/" + what, token, json);
      if (status == 200) {
        return Answer.DONE;
      }
      if (status == 401) {
        // Nothing is wrong with the pass: it can be told again when the key is right.
        LOG.log(WARNING, "Naru does not take the site key of this gate; see naru.gate.site-key");
        return Answer.UNREACHABLE;
      }
      return status >= 400 && status < 500 && status != 429 ? Answer.REFUSED : Answer.UNREACHABLE;
    } catch (IOException e) {
      return Answer.UNREACHABLE;
    }
  }
}
