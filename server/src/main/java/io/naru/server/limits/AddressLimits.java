package io.naru.server.limits;

import io.naru.net.Address;
import io.naru.queue.InvalidValue;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one address may do in a while. Many people share an address, or a network of them: they are
 * slowed, and whoever has a place, a token or the key already is never refused for what others do.
 */
public final class AddressLimits {

  private static final int BURST_SECONDS = 10;
  private static final int MISSES = 20;

  /** A second; far too few to guess a key, and enough for who has one. */
  private static final int LOOKS = 10;

  public static final Problem TOO_MANY_NEWCOMERS =
      Problem.of(
          429,
          "too-many-newcomers",
          "Too many newcomers",
          "very many people come from where you come from; please try again in a moment");

  private static final Problem TOO_MANY_MISSES =
      Problem.of(
          429,
          "too-many-misses",
          "Too many misses",
          "too many tokens that are none came from this address");

  private static final Problem TOO_MANY_KEYS =
      Problem.of(
          429,
          "too-many-attempts",
          "Too many attempts",
          "too many wrong keys came from this address; no key is looked at until then");

  private final Callers callers;
  private final LongSupplier clock;
  private final @Nullable Buckets newPerAddress;
  private final @Nullable Buckets newPerNetwork;
  private final Buckets misses;

  /** Of queues that count places by address. */
  private final Map<String, Buckets> placesPerAddress = new ConcurrentHashMap<>();

  private final WrongKeys wrongKeys;
  private final Buckets looks;
  private final LimitLog newcomersLog = new LimitLog("more new visitors than allowed");
  private final LimitLog missesLog = new LimitLog("more forged entry tokens than allowed");
  private final LimitLog keysLog = new LimitLog("wrong admin or access key");

  /**
   * How many new visitors may come in a second, and ten times as many at once; 0 for any number.
   *
   * @param perAddress from one IPv4 address or IPv6 /64
   * @param perNetwork from one IPv4 /24 or IPv6 /48
   */
  public record Newcomers(int perAddress, int perNetwork) {

    private static final int MAX = 1_000_000;

    public static final Newcomers DEFAULT = new Newcomers(10, 100);

    public Newcomers {
      check("new-visitors-per-address", perAddress);
      check("new-visitors-per-network", perNetwork);
    }

    private static void check(String option, int value) {
      if (value < 0 || value > MAX) {
        throw new InvalidValue(option, "0.." + MAX, "must be 0.." + MAX + ", is " + value);
      }
    }
  }

  /**
   * @param clock nanoseconds of any beginning
   */
  public AddressLimits(Newcomers newcomers, Callers callers, LongSupplier clock) {
    this.callers = callers;
    this.clock = clock;
    this.newPerAddress = buckets(newcomers.perAddress(), clock);
    this.newPerNetwork = buckets(newcomers.perNetwork(), clock);
    this.misses = new Buckets(MISSES, MISSES, clock);
    this.wrongKeys = new WrongKeys(clock);
    this.looks = new Buckets(TimeUnit.MINUTES.toSeconds(1) * LOOKS, LOOKS, clock);
  }

  private static @Nullable Buckets buckets(long perSecond, LongSupplier clock) {
    return perSecond == 0
        ? null
        : new Buckets(perSecond * TimeUnit.MINUTES.toSeconds(1), perSecond * BURST_SECONDS, clock);
  }

  /**
   * Somebody whom we do not know is about to get an identity of ours.
   *
   * @throws Problem.Found if too many do
   */
  public void newcomer(Exchange exchange) {
    long wait = newcomerWait(exchange);
    if (wait > 0) {
      // Those who wait come back one after another, not all at the next token.
      long spread = ThreadLocalRandom.current().nextLong(5);
      throw new Problem.Found(TOO_MANY_NEWCOMERS.retryAfter(seconds(wait) + spread));
    }
  }

  /** The same where nobody is refused for it: whether too many do. */
  public boolean isOneTooMany(Exchange exchange) {
    return newcomerWait(exchange) > 0;
  }

  private long newcomerWait(Exchange exchange) {
    Optional<String> from = callers.visitorAddress(exchange);
    if (from.isEmpty()) {
      return 0;
    }
    Address address = Address.of(from.get());
    // The network first: what it refuses leaves no trace, however many addresses it has.
    long wait = newPerNetwork == null ? 0 : newPerNetwork.take(address.network());
    if (wait == 0 && newPerAddress != null) {
      wait = newPerAddress.take(address.host());
      if (wait > 0 && newPerNetwork != null) {
        // Else one address, refused again and again, would use up what all of its network have.
        newPerNetwork.giveBack(address.network());
      }
    }
    if (wait > 0) {
      newcomersLog.note(from.get());
    }
    return wait;
  }

  /**
   * Somebody is about to take a place in a queue that counts them.
   *
   * @param perMinute how many one address may take; a minute's worth at once
   * @return whether this is one more than that
   */
  public boolean isOver(Exchange exchange, String queue, int perMinute) {
    Optional<String> from = callers.visitorAddress(exchange);
    if (from.isEmpty()) {
      return false;
    }
    Buckets places =
        placesPerAddress.compute(
            queue,
            (_, known) ->
                known != null && known.perMinute() == perMinute
                    ? known
                    : new Buckets(perMinute, perMinute, clock));
    return places.take(Address.of(from.get()).host()) > 0;
  }

  /** The network that somebody comes from; all of whom that is not known are of one. */
  public long networkOf(Exchange exchange) {
    return callers.visitorAddress(exchange).map(from -> Address.of(from).network()).orElse(0L);
  }

  /** They have not taken one. */
  public void notTaken(Exchange exchange, String queue) {
    Buckets places = placesPerAddress.get(queue);
    if (places != null) {
      callers.visitorAddress(exchange).ifPresent(from -> places.giveBack(Address.of(from).host()));
    }
  }

  /**
   * Somebody showed an entry token that is not ours. A good one is never asked how many bad ones
   * came from its address.
   *
   * @param answer unless that was too often
   */
  public Problem missed(Exchange exchange, Problem answer) {
    Optional<String> from = callers.callerAddress(exchange);
    long wait = from.isEmpty() ? 0 : misses.take(Address.of(from.get()).host());
    if (from.isEmpty() || wait == 0) {
      return answer;
    }
    missesLog.note(from.get());
    return TOO_MANY_MISSES.retryAfter(seconds(wait));
  }

  /**
   * Why no key of this caller is looked at now; null if one is. From the machine that we run on
   * come its operators, and everybody behind a proxy that does not say from whom: one stranger's
   * guesses there must not shut out who has the key. So some keys are looked at all the same.
   */
  public @Nullable Problem beforeKey(Exchange exchange) {
    Optional<String> from = callers.callerAddress(exchange);
    if (from.isEmpty()) {
      return null;
    }
    long host = Address.of(from.get()).host();
    long wait = wrongKeys.delay(host);
    if (wait > 0 && InetAddress.ofLiteral(from.get()).isLoopbackAddress()) {
      wait = looks.take(host);
    }
    return wait == 0 ? null : TOO_MANY_KEYS.retryAfter(seconds(wait));
  }

  public void wrongKey(Exchange exchange, String key) {
    Optional<String> from = callers.callerAddress(exchange);
    from.ifPresent(address -> wrongKeys.wrong(Address.of(address).host(), key));
    keysLog.note(from.orElse("a trusted proxy that does not say from whom"));
  }

  public void rightKey(Exchange exchange) {
    callers
        .callerAddress(exchange)
        .ifPresent(address -> wrongKeys.right(Address.of(address).host()));
  }

  /** To be called once a minute: says what there was to say, and forgets what does not matter. */
  public void minute() {
    long now = clock.getAsLong();
    if (newPerAddress != null) {
      newPerAddress.forget(now);
    }
    if (newPerNetwork != null) {
      newPerNetwork.forget(now);
    }
    placesPerAddress.values().forEach(places -> places.forget(now));
    placesPerAddress.values().removeIf(places -> places.kept() == 0);
    misses.forget(now);
    looks.forget(now);
    wrongKeys.forget(now);
    newcomersLog.minute();
    missesLog.minute();
    keysLog.minute();
  }

  private static long seconds(long nanos) {
    return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
  }
}
