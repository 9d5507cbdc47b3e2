package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.parallel.ResourceAccessMode.READ;
import static org.junit.jupiter.api.parallel.ResourceLockTarget.CHILDREN;

import io.naru.testkit.EventStream;
import io.naru.testkit.EventStream.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * What a visitor sees of their place while they watch, wherever the line is. Watching is waiting,
 * so the cases wait at the same time, each with a queue of its own; but where a case moves the
 * clock, it does so alone.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = StreamContract.CLOCK, mode = READ, target = CHILDREN)
abstract class StreamContract {

  static final String CLOCK = "clock";

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final AtomicInteger number = new AtomicInteger();

  final String queue = "LIVE/" + getClass().getSimpleName() + number.incrementAndGet();

  abstract StoredServer stored();

  private TestServer server() {
    return stored().server();
  }

  private void overstay(String user) {
    stored().overstay(queue, user);
  }

  /** Nobody goes in by the beat: one is inside, and there is room for no more. */
  private void openFull() {
    server()
        .activate(queue, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600,\"entryBatchSize\":1")
        .is(201);
    server().enter(queue, "inside").is(201);
    await().until(() -> server().status(queue, "inside").text("status").equals("ENTERED"));
  }

  private void makeRoom(int capacity) {
    server().activate(queue, "\"maxCapacity\":" + capacity).is(200);
  }

  private String enter(String user) {
    return server().enter(queue, user).is(201).text("entryToken");
  }

  private EventStream subscribe(String token, String... headers) {
    return open(server().port(), "/queue/" + queue + "/subscribe/" + token, headers);
  }

  /** By which channel one watches. */
  EventStream open(int port, String path, String... headers) {
    return EventStream.open(port, path, headers);
  }

  void assertOpen(EventStream stream) {
    assertThat(stream.status()).isEqualTo(200);
    assertThat(stream.header("Content-Type")).isEqualTo("text/event-stream");
    assertThat(stream.header("Cache-Control")).isEqualTo("no-store");
    assertThat(stream.header("X-Accel-Buffering")).isEqualTo("no");
  }

  private static Event next(EventStream stream) throws InterruptedException {
    return requireNonNull(stream.next(PATIENCE), "no message within " + PATIENCE);
  }

  private static Answer entry(Event event) {
    return new Answer(200, Map.of(), event.data());
  }

  /** What is told without how long it may take, which depends on when one asks. */
  private static Map<String, @Nullable Object> told(Answer entry) {
    return Answer.told(entry.json());
  }

  /** Reads until somebody is told this position, and that it never goes up on the way. */
  private static Event awaitPosition(EventStream stream, long position) throws Exception {
    long last = Long.MAX_VALUE;
    while (true) {
      Event event = next(stream);
      long now = entry(event).number("position");
      assertThat(event.name()).isEqualTo("queue-status");
      assertThat(now).isLessThanOrEqualTo(last);
      last = now;
      if (now == position) {
        return event;
      }
      assertThat(now).as("on the way to %d", position).isGreaterThan(position);
    }
  }

  @Test
  void watch_deactivatedAndActivatedAgain_isToldThatTheLineIsPaused() throws Exception {
    openFull();
    try (var stream = subscribe(enter("ann"))) {
      assertThat(entry(next(stream)).json()).doesNotContainKey("paused");

      server().deactivate(queue).is(200);
      Answer paused = awaitEntry(stream, entry -> entry.json().containsKey("paused"));
      assertThat(paused.json())
          .containsEntry("position", 1)
          .doesNotContainKey("estimatedWaitSeconds");

      server().activate(queue, "").is(200);
      Answer going = awaitEntry(stream, entry -> !entry.json().containsKey("paused"));
      assertThat(going.json()).containsEntry("estimatedWaitSeconds", 3_600);
    }
  }

  private static Answer awaitBoard(EventStream stream, String state) throws Exception {
    Answer board = new Answer(200, Map.of(), "{}");
    do {
      board = entry(requireNonNull(stream.nextBoard(PATIENCE), "no board " + state));
    } while (!board.text("state").equals(state));
    return board;
  }

  private void act(String act, String more) {
    String[] name = queue.split("/", 2);
    String body = "{\"eventType\":\"%s\",\"eventId\":\"%s\"%s}".formatted(name[0], name[1], more);
    server().admin("POST", "/admin/queue/" + act, body).is(200);
  }

  private Answer board() {
    return server().client().get("/queue/" + queue + "/board");
  }

  @Test
  void watch_theOperatorActs_isOnEveryOpenPage() throws Exception {
    server().client().get("/queue/" + queue + "/board").isProblem(404, "S801");
    openFull();
    String token = enter("ann");
    try (var stream = subscribe(token)) {
      Answer first = awaitBoard(stream, "OPEN");
      assertThat(first.json()).containsEntry("turnSeconds", 300).containsEntry("title", Map.of());
      assertThat(entry(next(stream)).json())
          .containsEntry("board", first.field("board"))
          .containsEntry("behind", 0);

      server().activate(queue, "\"message\":{\"ko\":\"곧\",\"en\":\"Soon <b>\"}").is(200);
      Answer message = entry(requireNonNull(stream.nextBoard(PATIENCE)));
      assertThat(message.object("message")).isEqualTo(Map.of("ko", "곧", "en", "Soon <b>"));
      awaitEntry(stream, entry -> entry.number("board") == message.number("board"));
      await().until(() -> message.number("board") == board().is(200).number("board"));
      if (stored().store() == StoredServer.Store.REDIS) {
        return;
      }
      act("pause", ",\"reason\":\"Zurück um 9\"");
      Answer paused = awaitBoard(stream, "PAUSED");
      assertThat(paused.json())
          .containsEntry("pausedBy", "operator")
          .containsEntry("reason", "Zurück um 9");
      Answer told = awaitEntry(stream, entry -> entry.json().containsKey("paused"));
      assertThat(told.json())
          .containsEntry("pausedBy", "operator")
          .containsEntry("reason", "Zurück um 9");
      assertThat(told(told)).isEqualTo(told(server().status(queue, "ann").is(200)));
      act("end", "");
      awaitBoard(stream, "ENDED");
      Answer over = awaitEntry(stream, entry -> entry.text("status").equals("EXPIRED"));
      assertThat(over.json()).containsEntry("reason", "ended").doesNotContainKey("enteredAt");
      assertThat(stream.ends(PATIENCE)).isTrue();
    }
    server().client().get("/queue/" + queue + "/subscribe/" + token).isProblem(410, "S804");
    await().until(() -> "ENDED".equals(board().is(200).field("state")));
  }

  private static Answer awaitEntry(EventStream stream, Predicate<Answer> isIt) throws Exception {
    Answer entry = entry(next(stream));
    while (!isIt.test(entry)) {
      entry = entry(next(stream));
    }
    return entry;
  }

  @Test
  void subscribe_waiting_saysTheSameAsStatusAtOnce() throws Exception {
    openFull();
    enter("ann");
    String token = enter("bob");

    try (EventStream stream = subscribe(token)) {
      assertOpen(stream);
      Event first = next(stream);
      assertThat(first.name()).isEqualTo("queue-status");
      assertThat(told(entry(first))).isEqualTo(told(server().status(queue, "bob").is(200)));
      assertThat(first.id()).isEqualTo(Long.toString(entry(first).number("change")));
      assertThat(Integer.parseInt(requireNonNull(stream.retry()))).isBetween(2_000, 5_000);
    }
  }

  @Test
  void subscribe_othersLeaveAndGoIn_movesAndNeverUp() throws Exception {
    openFull();
    enter("ann");
    enter("bob");
    enter("cid");
    String token = enter("dan");

    try (EventStream stream = subscribe(token)) {
      awaitPosition(stream, 4);
      server().leave(queue, "bob").is(200);
      awaitPosition(stream, 3);
      makeRoom(2);
      server().process(queue, 1).is(200);
      Event moved = awaitPosition(stream, 2);
      assertThat(entry(moved).number("totalWaiting")).isEqualTo(2);
      assertThat(told(entry(moved))).isEqualTo(told(server().status(queue, "dan")));
    }
  }

  @Test
  void subscribe_nothingMoves_saysSoEveryThreeSeconds() throws Exception {
    openFull();
    try (EventStream stream = subscribe(enter("ann"))) {
      Event first = next(stream);
      for (int i = 0; i < 2; i++) {
        // What is promised is three; the rest is for busy machines.
        Event again = requireNonNull(stream.next(Duration.ofSeconds(5)));
        assertThat(told(entry(again))).isEqualTo(told(entry(first)));
      }
    }
  }

  @Test
  void subscribe_admitted_isToldAndTheStreamEnds() throws Exception {
    openFull();
    String token = enter("ann");
    server().activate(queue, "\"targetUrl\":\"https://shop.example/in\"").is(200);

    try (EventStream stream = subscribe(token)) {
      next(stream);
      makeRoom(2);
      server().process(queue, 1).is(200);

      Event event = next(stream);
      while (event.name().equals("queue-status")) {
        event = next(stream);
      }
      assertThat(event.name()).isEqualTo("queue-entered");
      assertThat(entry(event).json()).isEqualTo(server().status(queue, "ann").is(200).json());
      assertThat(entry(event).text("targetUrl")).isEqualTo("https://shop.example/in");
      assertThat(stream.ends(PATIENCE)).isTrue();
    }
    try (EventStream again = subscribe(token)) {
      assertThat(next(again).name()).isEqualTo("queue-entered");
      assertThat(again.ends(PATIENCE)).isTrue();
    }
    try (EventStream told = subscribe(token, "Last-Event-ID", "entered")) {
      assertThat(told.status()).as("an EventSource stops then").isEqualTo(204);
    }
  }

  @Test
  void subscribe_lastEventId_isNotRepeated() throws Exception {
    openFull();
    enter("ann");
    String token = enter("bob");
    String id;
    try (EventStream stream = subscribe(token)) {
      id = next(stream).id();
    }
    try (EventStream stream = subscribe(token, "Last-Event-ID", id)) {
      server().leave(queue, "ann").is(200);
      assertThat(entry(next(stream)).number("position")).isEqualTo(1);
    }
  }

  @Test
  void subscribe_lastEventIdIsNotOurs_isShownThePlaceAllTheSame() throws Exception {
    openFull();
    String token = enter("ann");
    for (String id : List.of("x", "-1", "99999999999999999999", "4'; DROP", "%0A")) {
      try (EventStream stream = subscribe(token, "Last-Event-ID", id)) {
        assertThat(entry(next(stream)).number("position")).isEqualTo(1);
      }
    }
  }

  @Test
  void subscribe_leftInAnotherTab_isToldAndTheStreamEnds() throws Exception {
    openFull();
    try (EventStream stream = subscribe(enter("ann"))) {
      next(stream);
      server().leave(queue, "ann").is(200);

      Event event = next(stream);
      while (event.name().equals("queue-status")) {
        event = next(stream);
      }
      assertThat(event.name()).isEqualTo("queue-ended");
      assertThat(entry(event).text("code")).isEqualTo("S803");
      assertThat(stream.ends(PATIENCE)).isTrue();
    }
  }

  @Test
  void subscribe_queueDeleted_isToldAndTheStreamEnds() throws Exception {
    openFull();
    try (EventStream stream = subscribe(enter("ann"))) {
      next(stream);
      server().admin("DELETE", "/admin/queues/" + queue + "?confirm=" + queue, "");

      Event event = next(stream);
      while (event.name().equals("queue-status")) {
        event = next(stream);
      }
      assertThat(event.name()).isEqualTo("queue-ended");
      assertThat(entry(event).text("code")).isIn("S801", "S803");
      assertThat(stream.ends(PATIENCE)).isTrue();
    }
  }

  @Test
  void subscribe_thirdStream_theOldestIsToldAndClosed() throws Exception {
    openFull();
    String token = enter("ann");
    try (EventStream first = subscribe(token);
        EventStream second = subscribe(token)) {
      next(first);
      next(second);
      try (EventStream third = subscribe(token)) {
        next(third);
        Event told = next(first);
        while (told.name().equals("queue-status")) {
          told = next(first);
        }
        assertThat(told.name()).isEqualTo("reconnect");
        assertThat(told.data()).isEqualTo("{\"reason\":\"replaced\"}");
        assertThat(first.ends(PATIENCE)).isTrue();
        assertThat(next(second).name()).isEqualTo("queue-status");
      }
    }
  }

  @Test
  void subscribe_foreignOrForged_isNotFound() {
    openFull();
    String token = enter("ann");
    String other = "LIVE/other" + number.incrementAndGet();
    server().activate(other, "").is(201);

    for (String bad : List.of("x", token + "x", token.substring(1), "A".repeat(90))) {
      server().client().get("/queue/" + queue + "/subscribe/" + bad).isProblem(404, "S803");
    }
    server().client().get("/queue/" + other + "/subscribe/" + token).isProblem(404, "S803");
    server().client().get("/queue/bad/1/subscribe/" + token).isInvalid("eventType");
    server().leave(queue, "ann").is(200);
    server().client().get("/queue/" + queue + "/subscribe/" + token).isProblem(404, "S803");
  }

  @Test
  @ResourceLock(CLOCK)
  void subscribe_turnCameAndPassed_isGone() {
    openFull();
    String token = server().status(queue, "inside").text("entryToken");
    overstay("inside");

    Answer gone = server().client().get("/queue/" + queue + "/subscribe/" + token);

    gone.isProblem(410, "S804");
    assertThat(gone.object("entry")).containsEntry("status", "EXPIRED");
  }

  @Test
  @ResourceLock(CLOCK)
  void subscribe_turnPassedAndRequeued_isGoneByTheOldTokenAndWaitsByTheNewOne() throws Exception {
    openFull();
    server().activate(queue, "\"onExpiry\":\"REQUEUE\"").is(200);
    String old = server().status(queue, "inside").text("entryToken");
    enter("ann");
    overstay("inside");
    await().until(() -> server().status(queue, "inside").status() == 200);
    try (EventStream stream = subscribe(old)) {
      assertThat(stream.status()).as("no stream, or reading it would not end").isEqualTo(410);
    }

    Answer gone = server().client().get("/queue/" + queue + "/subscribe/" + old);

    gone.isProblem(410, "S804");
    assertThat(gone.object("entry"))
        .containsEntry("status", "EXPIRED")
        .containsEntry("entryToken", old);
    String anew = server().status(queue, "inside").text("entryToken");
    try (EventStream stream = subscribe(anew)) {
      awaitPosition(stream, 2);
      server().leave(queue, "ann").is(200);
      awaitPosition(stream, 1);
    }
  }

  @Test
  @ResourceLock(CLOCK)
  void subscribe_othersAreRequeued_placesStayAsTheyAre() throws Exception {
    openFull();
    server().activate(queue, "\"onExpiry\":\"REQUEUE\"").is(200);
    enter("ann");
    try (EventStream stream = subscribe(enter("bob"))) {
      awaitPosition(stream, 2);
      overstay("inside");
      await().until(() -> server().status(queue, "inside").status() == 200);
      Event event = next(stream);
      while (entry(event).number("totalWaiting") < 3) {
        assertThat(entry(event).number("position")).isEqualTo(2);
        event = next(stream);
      }
      assertThat(entry(event).number("position")).isEqualTo(2);
      server().process(queue, 1).is(200);
      awaitPosition(stream, 1);
    }
  }

  @Test
  void subscribe_completedWhereOneMayEnterOnce_saysSoAndEnds() throws Exception {
    openFull();
    server().activate(queue, "\"once\":true").is(200);
    Answer inside = server().status(queue, "inside");
    server().complete(queue, inside.text("pass")).is(200);

    try (EventStream stream = subscribe(inside.text("entryToken"))) {
      Event event = next(stream);
      assertThat(event.name()).isEqualTo("queue-status");
      assertThat(entry(event).text("status")).isEqualTo("COMPLETED");
      assertThat(stream.ends(PATIENCE)).isTrue();
    }
  }

  @Test
  void subscribe_manyWatchARandomHistory_allSeeTheirExactPlaces() throws Exception {
    openFull();
    makeRoom(10_000);
    var random = new Random(42);
    List<String> users = new ArrayList<>();
    List<EventStream> streams = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      users.add("user" + i);
      streams.add(subscribe(enter("user" + i)));
    }
    try {
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(3)) {
          case 0 -> server().enter(queue, "late" + step).is(201);
          case 1 -> leaveIfWaiting("user" + random.nextInt(40));
          default -> server().process(queue, 1 + random.nextInt(2)).is(200);
        }
      }
      for (int i = 0; i < users.size(); i++) {
        assertSeesTheTruth(streams.get(i), server().status(queue, users.get(i)));
      }
    } finally {
      streams.forEach(EventStream::close);
    }
  }

  private void leaveIfWaiting(String user) {
    Answer status = server().status(queue, user);
    if (status.status() == 200 && status.text("status").equals("WAITING")) {
      server().leave(queue, user).is(200);
    }
  }

  private static void assertSeesTheTruth(EventStream stream, Answer truth) throws Exception {
    if (truth.status() == 200 && truth.text("status").equals("WAITING")) {
      awaitPosition(stream, truth.number("position"));
      return;
    }
    @Nullable Event last = next(stream);
    while (last != null && last.name().equals("queue-status")) {
      last = stream.next(PATIENCE);
    }
    assertThat(requireNonNull(last).name())
        .isEqualTo(truth.status() == 200 ? "queue-entered" : "queue-ended");
  }
}
