package io.naru.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import io.naru.line.Departures;
import io.naru.line.Line;
import io.naru.line.Move;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Secret;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.server.MemoryKeys;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.Outlooks;
import io.naru.server.entry.Salts;
import io.naru.server.http.RequestIds;
import io.naru.server.keys.SigningKeys;
import io.naru.server.pass.Passes;
import io.naru.server.presence.Lookout;
import io.naru.server.presence.SeenPeople;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One stream over time, which is set: readers that take nothing, and the end of its life. */
class ViewerTest {

  private static final long START = 1_000_000;

  private final Vertx vertx = Vertx.vertx();
  private final Line line = new MemoryQueues(InstantSource.system());
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private LineState state =
      new LineState(7, 100, 1, State.OPEN, Settings.DEFAULT.with(Map.of("entryBatchSize", 10)));
  private boolean isFull;
  private boolean isCut;
  private final AtomicInteger over = new AtomicInteger();
  private final Lookout lookout = new Lookout(() -> 0);
  private Viewer viewer;

  @BeforeEach
  void watchPlace50() {
    watch(49);
  }

  private void watch(long ahead) {
    var key = new EntryKey(new QueueId("LIVE", "1"), "ann", 5_000);
    var secret = new Secret(new byte[32]);
    var clock = InstantSource.system();
    var keys = new SigningKeys(new MemoryKeys(), secret, SigningKeys.Policy.DEFAULT, clock);
    var passes = new Passes(keys, secret, () -> "http://test", clock);
    var entries =
        new EntryJson(new EntryTokens(secret), passes, Outlooks.with(lookout), new Salts(secret));
    var board = new BoardNews(key.queue(), entries.outlook());
    var watch = new Watch(vertx.getOrCreateContext(), line, board, _ -> {}, new StreamCounts());
    var place = new Place(Entry.waiting(key), key.joined(), ahead, ahead + 1, state);
    viewer =
        new Viewer(
            place, watch, new EventOutlet(response()), entries, 0, START, over::incrementAndGet);
    watch.add(viewer, state, START);
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  /** A connection that takes what it is given, unless it is full. */
  private HttpServerResponse response() {
    return (HttpServerResponse)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {HttpServerResponse.class},
            (self, method, args) -> {
              switch (method.getName()) {
                case "write", "end" -> sent.add(args[0].toString());
                case "reset" -> isCut = true;
                default -> {}
              }
              if (method.getReturnType() == MultiMap.class) {
                return HttpHeaders.headers().add(RequestIds.HEADER, "the-request");
              }
              if (method.getReturnType() == boolean.class) {
                return method.getName().equals("writeQueueFull") && isFull;
              }
              return method.getReturnType() == Future.class ? Future.succeededFuture() : self;
            });
  }

  private void move(int people) {
    long change = state.change();
    viewer.follow(List.of(new Move(change, change + 1, Departures.of(people))), line, START);
    state = new LineState(change + 1, state.waiting() - people, 1, State.OPEN, state.settings());
  }

  private void beat(long seconds) {
    viewer.beat(line, state, START + TimeUnit.SECONDS.toMillis(seconds));
  }

  private void operate(State now) {
    state = new LineState(state.change(), state.waiting(), 2, now, state.settings());
    viewer.watch().board().see(state);
  }

  /** Nobody who looks at their place is passed over, whether or not they ask for anything. */
  @Test
  void beat_whoHasAStream_isSeen() {
    Settings looking =
        Settings.DEFAULT.with(Map.of("entryBatchSize", 10, "absenceGraceSeconds", 30));
    state = new LineState(7, 100, 1, State.OPEN, looking);
    watch(49);
    beat(1);
    var people = new SeenPeople();
    lookout.beat(people.store());

    assertThat(people.joined()).containsExactly(5_000L);
  }

  @Test
  void beat_movedNearTheFront_isToldWithinASecond() {
    move(5);
    beat(1);

    assertThat(sent).hasSize(2);
    assertThat(sent.getLast()).contains("\"ahead\":44,");
  }

  /** Very many stand there, and nobody counts single steps from afar. */
  @Test
  void beat_movedFarBack_isToldWithTheNextHeartbeat() {
    sent.clear();
    watch(5_000);
    move(5);
    beat(1);
    assertThat(sent).hasSize(1);

    move(5);
    beat(3);

    assertThat(sent).hasSize(2);
    assertThat(sent.getLast()).contains("\"ahead\":4990,");
  }

  @Test
  void beat_stateChanges_isToldAtOnceWithItsPlace() {
    assertThat(sent.getFirst()).containsSubsequence("event: queue-status", "event: queue-board");

    operate(new State(true, true, "Back <soon>", 0));
    beat(0);

    assertThat(sent).hasSize(2);
    assertThat(sent.getLast())
        .containsSubsequence("queue-board", "\"state\":\"PAUSED\"", "queue-status", "Back <soon>");
  }

  @Test
  void beat_ended_isToldTheBoardThenTheEntryAndEnds() {
    operate(new State(false, true, "", 5));
    beat(0);

    assertThat(sent.getLast())
        .containsSubsequence(
            "queue-board", "\"state\":\"ENDED\"", "queue-status", "\"reason\":\"ended\"");
    assertThat(over).hasValue(1);
  }

  /** A place of an older change may be that of somebody who went in just before the end. */
  @Test
  void beat_endedAndMovesAreMissing_saysNothingBeforeTheyCome() {
    state = new LineState(8, 99, 2, new State(false, true, "", 5), state.settings());
    viewer.watch().board().see(state);
    beat(0);
    assertThat(sent).hasSize(1);

    viewer.follow(List.of(new Move(7, 8, Departures.NONE)), line, START);
    beat(0);
    assertThat(over).hasValue(1);
  }

  @Test
  void beat_readerTakesNothing_getsOneNewestStateWhenItDoesAgain() {
    isFull = true;
    for (int second = 1; second <= 5; second++) {
      move(3);
      beat(second);
    }
    assertThat(sent).as("the first message only").hasSize(1);

    isFull = false;
    beat(6);

    assertThat(sent).hasSize(2);
    assertThat(sent.getLast()).contains("\"position\":35,");
  }

  @Test
  void beat_readerTakesNothingForLong_isCutOff() {
    isFull = true;
    beat(1);
    beat(11);
    assertThat(isCut).as("after ten seconds").isFalse();

    beat(12);

    assertThat(isCut).isTrue();
    assertThat(over).hasValue(1);
  }

  @Test
  void beat_outOfTheLineAndNotYetToldWhy_saysNothingOfAPlace() {
    var answer = new CompletableFuture<Standing>();

    viewer.follow(List.of(new Move(7, 8, Departures.of(50))), answering(answer), START);
    beat(1);
    assertThat(sent).as("no news of a place that is not known").hasSize(1);
    beat(3);
    assertThat(sent).as("the connection is kept alive").hasSize(2);
    assertThat(sent.getLast()).isEqualTo(":\n\n");

    EntryKey key = viewer.key();
    answer.complete(
        new Standing.Found(
            new Place(new Entry(key, Entry.Status.COMPLETED, 6_000, 7_000), 0, 0, 0, state)));
    await().untilAtomic(over, equalTo(1));
    assertThat(sent.getLast()).contains("\"COMPLETED\"");
  }

  @Test
  void beat_outOfTheLineAndNobodyCanSayWhy_saysNothingOfAPlaceForAsLong() {
    var failed = new CompletableFuture<Standing>();
    failed.completeExceptionally(
        new QueueUnavailable(QueueUnavailable.Kind.TIMEOUT, "no answer in this test"));
    Line away = answering(failed);

    viewer.follow(List.of(new Move(7, 8, Departures.of(50))), away, START);
    for (int second = 1; second <= 60; second++) {
      viewer.beat(away, state, START + TimeUnit.SECONDS.toMillis(second));
    }

    assertThat(sent.subList(1, sent.size())).hasSizeGreaterThan(10).containsOnly(":\n\n");
  }

  /** A line that knows of nobody but by that answer. */
  private static Line answering(CompletionStage<Standing> answer) {
    return new Line() {
      @Override
      public CompletionStage<Standing> locate(QueueId queue, String user) {
        return answer;
      }

      @Override
      public CompletionStage<Standing> earlier(EntryKey entry) {
        return answer;
      }

      @Override
      public CompletionStage<Moved> since(QueueId queue, long change) {
        return CompletableFuture.completedStage(new Moved.Gap());
      }

      @Override
      public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
        return CompletableFuture.completedStage(new Told.NoQueue());
      }
    };
  }

  /**
   * Its server was out of reach for a whole turn; then there is a new place, which is not its own.
   */
  @Test
  void follow_turnCameAndPassedAndRequeued_isToldThatItPassedAndEnds() {
    EntryKey old = viewer.key();
    var expired = new Entry(old, Entry.Status.EXPIRED, 6_000, 7_000);
    var again = Entry.waiting(new EntryKey(old.queue(), old.user(), 9_000));
    Line requeued =
        new Line() {
          @Override
          public CompletionStage<Standing> locate(QueueId queue, String user) {
            return CompletableFuture.completedStage(
                new Standing.Found(new Place(again, again.key().joined(), 99, 100, state)));
          }

          @Override
          public CompletionStage<Standing> earlier(EntryKey entry) {
            return CompletableFuture.completedStage(
                entry.equals(old)
                    ? new Standing.Found(new Place(expired, 0, 0, 0, state))
                    : new Standing.Unknown());
          }

          @Override
          public CompletionStage<Moved> since(QueueId queue, long change) {
            return CompletableFuture.completedStage(new Moved.Gap());
          }

          @Override
          public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
            return CompletableFuture.completedStage(new Told.NoQueue());
          }
        };

    viewer.follow(List.of(new Move(7, 8, Departures.of(50))), requeued, START);

    await().until(() -> sent.getLast().contains("event: queue-ended"));
    assertThat(over).hasValue(1);
    assertThat(sent.getLast()).contains("\"S804\"").contains("\"EXPIRED\"");
  }

  @Test
  void beat_fiveMinutesOld_isToldToComeBack() {
    beat(269);
    assertThat(over).as("nine tenths of its life at least").hasValue(0);

    beat(300);

    assertThat(sent.getLast()).contains("event: reconnect").contains("\"lifetime\"");
    assertThat(over).hasValue(1);
  }
}
