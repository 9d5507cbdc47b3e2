package io.naru.server.stream;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.InvalidValue;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.Problems;
import io.naru.server.entry.SeenChange;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.limits.AddressLimits;
import io.naru.server.stream.Frames.Farewell;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /queue/{type}/{id}/subscribe/{entryToken}}: a stream of one's place as it moves, until
 * it is one's turn; as server-sent events, or with {@code Upgrade: websocket} as a WebSocket.
 *
 * <p>What it costs does not grow with those who watch. Per watched queue and beat this server asks
 * the line one question, what happened since the last beat, and moves the places of its own viewers
 * by the answer; a place is asked for when a stream begins and when the thread is lost.
 */
public final class Streams {

  static final Duration LIFE = Duration.ofMinutes(5);
  static final long HEARTBEAT_MILLIS = 2_500;

  /**
   * With the beat: nobody sees more than about one message a second or, near the front, an older
   * place than that.
   */
  static final long MIN_GAP_MILLIS = 600;

  private static final long BEAT_MILLIS = 250;

  private static final CharSequence EVENT_STREAM = HttpHeaders.createOptimized("text/event-stream");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");
  private static final CharSequence LAST_EVENT_ID = HttpHeaders.createOptimized("Last-Event-ID");
  private static final CharSequence ACCEL_BUFFERING =
      HttpHeaders.createOptimized("X-Accel-Buffering");
  private static final CharSequence NO = HttpHeaders.createOptimized("no");

  private static final Problem TOO_MANY =
      Problem.of(
          503,
          "too-many-streams",
          "Too many streams",
          "no further stream can be opened now; your place is kept, ask for your status instead");

  private final Line line;
  private final EntryTokens tokens;
  private final EntryJson entries;
  private final TrustedProxies proxies;
  private final AddressLimits addresses;
  private final Slots slots;
  private final StreamCounts counts = new StreamCounts();
  private final Map<QueueId, Follower> followers = new ConcurrentHashMap<>();

  /** The newest stream of every entry that is watched here. */
  private final Map<EntryKey, Viewer> newest = new ConcurrentHashMap<>();

  private volatile boolean isStopping;

  /**
   * How many streams may be open on this server.
   *
   * @param total in all
   * @param perAddress from one address, unless a trusted proxy's
   */
  public record Limits(int total, int perAddress) {

    public static final Limits DEFAULT = new Limits(50_000, 200);

    public Limits {
      check("max-streams", total, 1_000_000);
      check("max-streams-per-address", perAddress, 1_000_000);
    }

    private static void check(String option, int value, int max) {
      if (value < 1 || value > max) {
        throw new InvalidValue(option, "1.." + max, "must be 1.." + max + ", is " + value);
      }
    }
  }

  public Streams(
      Line line,
      EntryTokens tokens,
      EntryJson entries,
      TrustedProxies proxies,
      AddressLimits addresses,
      Limits limits) {
    this.addresses = addresses;
    this.line = line;
    this.tokens = tokens;
    this.entries = entries;
    this.proxies = proxies;
    this.slots = new Slots(limits.total(), limits.perAddress());
  }

  public void start(Vertx vertx) {
    vertx.setPeriodic(BEAT_MILLIS, _ -> beat());
  }

  static long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** How many are open. */
  public int open() {
    return slots.open();
  }

  /** How many of a queue are open. */
  public int open(QueueId queue) {
    Follower follower = followers.get(queue);
    return follower == null ? 0 : follower.viewers();
  }

  public StreamCounts counts() {
    return counts;
  }

  private void beat() {
    for (QueueId queue : followers.keySet()) {
      Follower follower =
          followers.computeIfPresent(queue, (_, known) -> known.isWatched() ? known : null);
      if (follower != null) {
        follower.beat();
      }
    }
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queue();
    tokens
        .read(exchange.parameter(2))
        .filter(key -> key.queue().equals(queue))
        .ifPresentOrElse(
            key -> open(exchange, key),
            () -> exchange.problem(addresses.missed(exchange, Problems.ENTRY_NOT_FOUND)));
  }

  private void open(Exchange exchange, EntryKey key) {
    counts.ask();
    var slot = isStopping ? null : slots.take(proxies.visitorAddress(exchange)).orElse(null);
    if (slot == null) {
      counts.refuse();
      exchange.problem(TOO_MANY.retryAfter(ThreadLocalRandom.current().nextLong(3, 9)));
      return;
    }
    // Given back with the response, however it ends: a problem, a whole stream, a lost connection.
    exchange.response().endHandler(_ -> slot.giveBack());
    exchange.response().closeHandler(_ -> slot.giveBack());
    exchange.holdForUpgrade();
    exchange.then(
        located(key, Math.max(SeenChange.of(exchange), changeOf(lastId(exchange)))),
        standing -> {
          switch (standing) {
            case Standing.Found(var place) -> found(exchange, place, slot);
            case Standing.Unknown _ -> exchange.problem(Problems.ENTRY_NOT_FOUND);
            case Standing.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
          }
        });
  }

  private static @Nullable String lastId(Exchange exchange) {
    return exchange.request().getHeader(LAST_EVENT_ID);
  }

  private CompletionStage<Standing> located(EntryKey key, long seen) {
    return line.locate(key, seen)
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                counts.unavailable();
              }
            });
  }

  private void found(Exchange exchange, Place place, Slots.Slot slot) {
    String lastId = lastId(exchange);
    Status status = place.entry().status();
    if (Problems.isOver(place.entry())) {
      exchange.problem(Problems.over(place.entry()), entries.asMember(place));
    } else if (status == Status.ENTERED && Frames.ENTERED_ID.equals(lastId)) {
      // An EventSource comes back whenever its stream ends; this alone makes it stop.
      var _ = exchange.response().setStatusCode(204).end();
    } else if (exchange.response().closed()) {
      slot.giveBack();
    } else {
      outlet(exchange)
          .onSuccess(outlet -> tell(outlet, place, changeOf(lastId), slot))
          .onFailure(_ -> slot.giveBack());
    }
  }

  private static Future<Outlet> outlet(Exchange exchange) {
    if (!exchange.wantsWebSocket()) {
      return Future.succeededFuture(new EventOutlet(begin(exchange)));
    }
    return exchange.upgrade().map(socket -> new SocketOutlet(socket, exchange.id()));
  }

  private void tell(Outlet outlet, Place place, long seen, Slots.Slot slot) {
    if (place.entry().isWaiting()) {
      watch(outlet, place, seen, slot);
    } else {
      counts.send();
      Frames frames = outlet.frames();
      outlet.begin(slot::giveBack);
      outlet.end(frames.retry(), frames.last(place, entries, outlet.requestId()));
    }
  }

  private static HttpServerResponse begin(Exchange exchange) {
    return exchange
        .response()
        .setChunked(true)
        .putHeader(HttpHeaders.CONTENT_TYPE, EVENT_STREAM)
        .putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE)
        // Proxies hold event streams back by default; places would then jump in clumps.
        .putHeader(ACCEL_BUFFERING, NO);
  }

  /** The last change that the visitor saw before; 0 if none, or if what came is not ours. */
  private static long changeOf(@Nullable String lastId) {
    return lastId != null && lastId.matches("[0-9]{1,15}") ? Long.parseLong(lastId) : 0;
  }

  private void watch(Outlet outlet, Place place, long seen, Slots.Slot slot) {
    Context context = Objects.requireNonNull(Vertx.currentContext());
    EntryKey key = place.entry().key();
    Follower follower =
        Objects.requireNonNull(
            followers.compute(
                key.queue(),
                (queue, known) -> {
                  Follower f =
                      known == null ? new Follower(queue, line, entries.outlook(), counts) : known;
                  f.count(1);
                  return f;
                }));
    long now = nowMillis();
    Watch watch = follower.watch(context);
    Viewer[] self = new Viewer[1];
    Viewer viewer =
        new Viewer(
            place,
            watch,
            outlet,
            entries,
            seen,
            now,
            () -> {
              slot.giveBack();
              follower.count(-1);
              forget(Objects.requireNonNull(self[0]));
            });
    self[0] = viewer;
    keepTwo(viewer);
    watch.add(viewer, place.line(), now);
  }

  /**
   * Of one entry two streams are kept, the newest: a page that is reloaded has two for a moment.
   */
  private void keepTwo(Viewer viewer) {
    newest.compute(
        viewer.key(),
        (_, before) -> {
          if (before != null) {
            Viewer third = before.older;
            if (third != null) {
              third.watch().leave(third, Farewell.REPLACED);
              before.older = null;
            }
          }
          viewer.older = before;
          return viewer;
        });
  }

  private void forget(Viewer gone) {
    newest.computeIfPresent(
        gone.key(),
        (_, first) -> {
          if (first.equals(gone)) {
            return gone.older;
          }
          if (gone.equals(first.older)) {
            first.older = null;
          }
          return first;
        });
  }

  /** Tells everybody to come back, each a little later; nobody new is taken. */
  public Future<?> stop() {
    isStopping = true;
    List<Future<?>> all = new ArrayList<>();
    for (Follower follower : followers.values()) {
      for (Watch watch : follower.watches()) {
        Promise<Void> done = Promise.promise();
        watch.leaveAll(Farewell.STOPPING, done::complete);
        all.add(done.future());
      }
    }
    return Future.all(all);
  }
}
