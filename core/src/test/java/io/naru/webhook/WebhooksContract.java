package io.naru.webhook;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.access.Reach;
import io.naru.audit.Act;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.journal.Feed;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.webhook.Delivery.State;
import io.naru.webhook.Webhooks.Added;
import io.naru.webhook.Webhooks.Changed;
import io.naru.webhook.Webhooks.Claimed;
import io.naru.webhook.Webhooks.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store must do for webhooks: lose nothing, and let one server at a time send. */
public abstract class WebhooksContract {

  private static final Actor BY = new Actor("admin", "admin", "203.0.113.9");
  private static final QueueId QUEUE = new QueueId("SALE", "1");
  private static final QueueId OTHER = new QueueId("OTHER", "1");
  private static final String READER = "webhooks";
  private static final long SECOND = 1_000_000;
  private static final long LEASE = 60 * SECOND;

  protected abstract Webhooks webhooks();

  protected abstract Feed feed();

  protected abstract Queues queues();

  protected abstract AuditTrail trail();

  protected abstract void advance(Duration by);

  /** Makes the store as if nothing had ever been kept. */
  protected abstract void empty() throws Exception;

  @BeforeEach
  void begin() throws Exception {
    empty();
  }

  private static Kept kept(String id, String name, Reach reach, String... events) {
    var webhook =
        new Webhook(
            id, name, "https://shop.example/h", reach, List.of(events), 5, "admin", 1, 0, 0, "");
    return new Kept(webhook, "0 sealed-" + id + "\n");
  }

  private Webhook add(String id, Reach reach, String... events) {
    Kept kept = kept(id, "name-" + id, reach, events);
    assertThat(webhooks().add(kept, BY)).isEqualTo(Added.DONE);
    return kept.webhook();
  }

  private Webhook add(String id) {
    return add(id, Reach.ALL);
  }

  private static Message message(int i) {
    return new Message("msg_" + i, Kinds.PING, null, "{\"n\":" + i + "}");
  }

  private void send(String webhook, int... numbers) {
    for (int i : numbers) {
      assertThat(webhooks().test(webhook, message(i), BY)).isTrue();
      // Those of one instant would be in order, too; this way their times differ as well.
      advance(Duration.ofMillis(1));
    }
  }

  private Optional<Claimed> claim(String webhook, String holder) {
    return webhooks().claim(webhook, holder, LEASE);
  }

  private Delivery next(String webhook, String holder) {
    return requireNonNull(claim(webhook, holder).orElseThrow().next());
  }

  private List<String> ids(String webhook, @Nullable State state) {
    return webhooks().deliveries(webhook, state, Long.MAX_VALUE, 1_000).stream()
        .map(d -> d.message().id())
        .toList();
  }

  private Delivery delivery(String webhook, int i) {
    return webhooks().delivery(webhook, "msg_" + i).orElseThrow();
  }

  private static Tried again(long again, long rest) {
    return new Tried(State.PENDING, 503, "answered 503", again, rest);
  }

  private List<Act.Kind> acts() {
    return trail().list(null, Long.MAX_VALUE, 100).stream()
        .map(AuditRow::act)
        .map(Act::kind)
        .toList();
  }

  // --- webhooks

  @Test
  void add_isKeptAsItIs_andNoted() {
    var some = kept("01", "가게 @home", Reach.of(List.of("SALE/1", "CONCERT/*")), "sold-out", "left");
    var all = kept("02", "all", Reach.ALL);

    assertThat(webhooks().add(some, BY)).isEqualTo(Added.DONE);
    assertThat(webhooks().add(all, BY)).isEqualTo(Added.DONE);
    assertThat(webhooks().add(kept("03", "all", Reach.ALL), BY)).isEqualTo(Added.NAME_TAKEN);

    assertThat(webhooks().kept()).containsExactly(some, all);
    assertThat(acts()).containsExactly(Act.Kind.WEBHOOK_ADD, Act.Kind.WEBHOOK_ADD);
  }

  @Test
  void replace_takesOnlyWhatWasRead() {
    Webhook first = add("01");
    add("02");
    Webhook next = first.edited("other", "https://b.example/", Reach.ALL, List.of("left"));
    Act act = next.act(BY, Act.Kind.WEBHOOK_EDIT, first);

    assertThat(webhooks().replace(first, new Kept(next, "s"), act)).isEqualTo(Changed.DONE);
    assertThat(webhooks().replace(first, new Kept(next, "s"), act)).isEqualTo(Changed.OTHER);
    Webhook taken = next.edited("name-02", next.url(), next.reach(), next.events());
    assertThat(webhooks().replace(next, new Kept(taken, "s"), act)).isEqualTo(Changed.NAME_TAKEN);

    assertThat(webhooks().kept().getFirst()).isEqualTo(new Kept(next, "s"));
    assertThat(acts()).startsWith(Act.Kind.WEBHOOK_EDIT, Act.Kind.WEBHOOK_ADD);
  }

  @Test
  void delete_forgetsItsDeliveriesToo() {
    add("01");
    add("02");
    send("01", 1, 2);
    send("02", 3);

    assertThat(webhooks().delete("01", BY)).isTrue();
    assertThat(webhooks().delete("01", BY)).isFalse();

    assertThat(webhooks().kept()).map(k -> k.webhook().id()).containsExactly("02");
    assertThat(ids("01", null)).isEmpty();
    assertThat(ids("02", null)).containsExactly("msg_3");
    assertThat(acts()).startsWith(Act.Kind.WEBHOOK_DELETE);
  }

  @Test
  void ended_hasNothingOnItsWay_andGetsNothing() {
    Webhook first = add("01");
    send("01", 1);
    Webhook ended = first.ended(9, "it is gone");

    webhooks()
        .replace(first, new Kept(ended, "s"), ended.act(Actor.SYSTEM, Act.Kind.WEBHOOK_END, first));

    assertThat(delivery("01", 1))
        .returns(State.FAILED, Delivery::state)
        .returns("it is gone", Delivery::error);
    assertThat(webhooks().test("01", message(2), BY)).isFalse();
    assertThat(webhooks().test("none", message(2), BY)).isFalse();
    assertThat(webhooks().due(10)).isEmpty();
    assertThat(claim("01", "a")).isEmpty();
  }

  // --- sending

  @Test
  void claim_givesTheFirstDue_withWhatIsNeededToSendIt() {
    Webhook webhook = add("01");
    assertThat(webhooks().due(10)).isEmpty();
    send("01", 1, 2);

    assertThat(webhooks().due(10)).containsExactly("01");
    Claimed claimed = claim("01", "a").orElseThrow();

    assertThat(claimed.kept()).isEqualTo(new Kept(webhook, "0 sealed-01\n"));
    assertThat(claimed.failures()).isZero();
    assertThat(claimed.next()).isEqualTo(delivery("01", 1));
    assertThat(webhooks().due(10)).as("held").isEmpty();
  }

  @Test
  void settle_goesOnInOrder() {
    add("01");
    send("01", 1, 2, 3);
    List<String> sent = new ArrayList<>();

    Claimed claimed = claim("01", "a").orElseThrow();
    while (claimed.next() != null) {
      sent.add(claimed.next().message().id());
      claimed = webhooks().settle(claimed.next(), Tried.done(204), "a", LEASE).orElseThrow();
    }

    assertThat(sent).containsExactly("msg_1", "msg_2", "msg_3");
    assertThat(ids("01", State.DONE)).containsExactly("msg_3", "msg_2", "msg_1");
    assertThat(delivery("01", 1))
        .returns(1, Delivery::tries)
        .returns(204, Delivery::status)
        .returns("", Delivery::error);
  }

  @Test
  void claim_ofAnother_waitsUntilTheLeaseIsOver_andThenSendsTheSameAgain() {
    add("01");
    send("01", 1);
    Delivery first = next("01", "a");

    assertThat(claim("01", "b")).isEmpty();
    advance(Duration.ofSeconds(61));
    assertThat(webhooks().due(10)).containsExactly("01");
    Delivery again = next("01", "b");

    assertThat(again).isEqualTo(first);
    // The one who was thought to be dead comes too late.
    assertThat(webhooks().settle(first, again(SECOND, 0), "a", LEASE)).isEmpty();
    assertThat(delivery("01", 1).tries()).isZero();
    assertThat(webhooks().settle(again, Tried.done(200), "b", LEASE)).isPresent();
    assertThat(delivery("01", 1).state()).isEqualTo(State.DONE);
  }

  @Test
  void claim_byManyAtOnce_oneHasIt() throws Exception {
    add("01");
    send("01", 1);
    int servers = 4;
    var together = new CyclicBarrier(servers);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> tries =
          IntStream.range(0, servers)
              .<Callable<Boolean>>mapToObj(
                  i ->
                      () -> {
                        together.await();
                        return claim("01", "server-" + i).isPresent();
                      })
              .toList();
      int claimed = 0;
      for (Future<Boolean> each : threads.invokeAll(tries)) {
        claimed += each.get() ? 1 : 0;
      }
      assertThat(claimed).isEqualTo(1);
    }
  }

  @Test
  void release_letsOthers() {
    add("01");
    send("01", 1);
    claim("01", "a");

    webhooks().release("01", "b");
    assertThat(claim("01", "b")).as("not theirs to let go").isEmpty();
    webhooks().release("01", "a");

    assertThat(claim("01", "b")).isPresent();
  }

  @Test
  void failed_isTriedAgainInTime_andItsWebhookRests() {
    add("01");
    send("01", 1, 2);
    Delivery first = next("01", "a");

    assertThat(webhooks().settle(first, again(300 * SECOND, 2 * SECOND), "a", LEASE)).isEmpty();

    assertThat(webhooks().due(10)).as("rests").isEmpty();
    assertThat(claim("01", "a")).isEmpty();
    assertThat(delivery("01", 1))
        .returns(State.PENDING, Delivery::state)
        .returns(1, Delivery::tries)
        .returns(503, Delivery::status)
        .returns("answered 503", Delivery::error);
    advance(Duration.ofSeconds(3));
    Claimed claimed = claim("01", "a").orElseThrow();
    assertThat(claimed.failures()).isEqualTo(1);
    assertThat(claimed.next()).isEqualTo(delivery("01", 2));
    claimed = webhooks().settle(delivery("01", 2), Tried.done(200), "a", LEASE).orElseThrow();
    assertThat(claimed.failures()).isZero();
    assertThat(claimed.next()).as("not yet").isNull();
    advance(Duration.ofMinutes(5));
    assertThat(next("01", "a")).isEqualTo(delivery("01", 1));
  }

  private static final Duration AHEAD = Duration.ofHours(2);

  @Test
  void sentWhileTheClockWasAhead_isNoReasonToWait() {
    add("01");
    send("01", 1, 2);
    advance(AHEAD);
    webhooks().settle(next("01", "a"), Tried.done(200), "a", LEASE);
    webhooks().release("01", "a");

    advance(AHEAD.negated());

    assertThat(webhooks().due(10)).containsExactly("01");
    assertThat(next("01", "b")).isEqualTo(delivery("01", 2));
  }

  @Test
  void failedAndHeldWhileTheClockWasAhead_isNoReasonToWait() {
    add("01");
    send("01", 1, 2);
    advance(AHEAD);
    webhooks().settle(next("01", "a"), again(5 * SECOND, 60 * SECOND), "a", LEASE);

    advance(AHEAD.negated());

    assertThat(webhooks().due(10)).containsExactly("01");
    assertThat(next("01", "b")).isEqualTo(delivery("01", 2));
  }

  // --- what operators see

  @Test
  void deliveries_inPages_theLatestFirst() {
    add("01");
    add("02");
    send("01", 1, 2, 3);
    send("02", 4);

    List<Delivery> page = webhooks().deliveries("01", null, Long.MAX_VALUE, 2);
    assertThat(page).map(d -> d.message().id()).containsExactly("msg_3", "msg_2");
    assertThat(webhooks().deliveries("01", null, page.getLast().number(), 2))
        .map(d -> d.message().id())
        .containsExactly("msg_1");
    assertThat(ids("01", State.FAILED)).isEmpty();
    assertThat(webhooks().delivery("01", "msg_4")).isEmpty();
  }

  @Test
  void replay_sendsAgainUnderItsOwnId() {
    add("01");
    send("01", 1, 2);
    var failed = new Tried(State.FAILED, 500, "answered 500", 0, 60 * SECOND);
    webhooks().settle(next("01", "a"), failed, "a", LEASE);

    Delivery replayed = webhooks().replay("01", "msg_1", BY).orElseThrow();

    assertThat(replayed)
        .returns(State.PENDING, Delivery::state)
        .returns(0, Delivery::tries)
        .returns("msg_1", d -> d.message().id());
    assertThat(webhooks().due(10)).as("it rests no longer").isEmpty();
    webhooks().release("01", "a");
    assertThat(webhooks().due(10)).containsExactly("01");
    assertThat(webhooks().replay("01", "none", BY)).isEmpty();
    assertThat(webhooks().replay("none", "msg_1", BY)).isEmpty();
    assertThat(acts()).startsWith(Act.Kind.WEBHOOK_REPLAY);
  }

  @Test
  void replayFailed_takesThoseSinceThen() {
    add("01");
    send("01", 1);
    advance(Duration.ofHours(1));
    send("01", 2, 3);
    long since = delivery("01", 2).createdAt();
    for (int i = 0; i < 3; i++) {
      webhooks().settle(next("01", "a"), new Tried(State.FAILED, 500, "x", 0, 0), "a", LEASE);
    }
    assertThat(ids("01", State.FAILED)).hasSize(3);

    assertThat(webhooks().replayFailed("01", since, BY)).isEqualTo(2);

    assertThat(ids("01", State.FAILED)).containsExactly("msg_1");
    assertThat(ids("01", State.PENDING)).containsExactly("msg_3", "msg_2");
    assertThat(webhooks().replayFailed("none", 0, BY)).isZero();
  }

  @Test
  void backlog_countsWhatIsOnItsWay() {
    assertThat(webhooks().backlog()).isEqualTo(Webhooks.Backlog.NONE);
    add("01");
    send("01", 1);
    advance(Duration.ofSeconds(30));
    send("01", 2);

    assertThat(webhooks().backlog().pending()).isEqualTo(2);
    assertThat(webhooks().backlog().oldestMicros()).isBetween(30 * SECOND, 300 * SECOND);
  }

  @Test
  void tidy_forgetsWhatIsOld_andEndsWhatCouldNotBeSent() {
    add("01");
    send("01", 1, 2, 3);
    webhooks().settle(next("01", "a"), Tried.done(200), "a", LEASE);
    webhooks().settle(next("01", "a"), new Tried(State.FAILED, 0, "x", 0, 0), "a", LEASE);

    webhooks().tidy();
    assertThat(ids("01", null)).hasSize(3);
    advance(Duration.ofDays(4));
    webhooks().tidy();
    assertThat(delivery("01", 3))
        .returns(State.FAILED, Delivery::state)
        .returns(Webhooks.NOT_IN_TIME, Delivery::error);
    advance(Duration.ofDays(4));
    webhooks().tidy();
    assertThat(ids("01", null)).containsExactly("msg_3", "msg_2");
    advance(Duration.ofDays(30));
    webhooks().tidy();

    assertThat(ids("01", null)).isEmpty();
  }

  // --- what they are told

  @Test
  void raise_isToldOnce_untilItWasOverForAWhile() {
    add("01");
    add("02", Reach.of(List.of("OTHER/1")));
    add("03", Reach.ALL, "left");

    assertThat(raise(1)).isTrue();
    assertThat(raise(2)).isFalse();
    assertThat(webhooks().raised(Kinds.TOO_LONG, 60 * SECOND)).containsExactly(QUEUE);
    assertThat(webhooks().raised(Kinds.FROZEN, 60 * SECOND)).isEmpty();
    advance(Duration.ofSeconds(50));
    assertThat(raise(3)).as("still there").isFalse();
    advance(Duration.ofSeconds(50));
    assertThat(raise(4)).as("still there").isFalse();
    advance(Duration.ofSeconds(61));
    assertThat(webhooks().raised(Kinds.TOO_LONG, 60 * SECOND)).isEmpty();
    assertThat(raise(5)).isTrue();

    assertThat(ids("01", null)).containsExactly("msg_5", "msg_1");
    assertThat(ids("02", null)).isEmpty();
    assertThat(ids("03", null)).isEmpty();
  }

  /** Rather once too often than not at all. */
  @Test
  void raise_whatWasSeenWhileTheClockWasAhead_isToldAgain() {
    add("01");
    advance(AHEAD);
    assertThat(raise(1)).isTrue();

    advance(AHEAD.negated());

    assertThat(webhooks().raised(Kinds.TOO_LONG, 60 * SECOND)).isEmpty();
    assertThat(raise(2)).isTrue();
    assertThat(raise(3)).isFalse();
    assertThat(webhooks().raised(Kinds.TOO_LONG, 60 * SECOND)).containsExactly(QUEUE);
  }

  private boolean raise(int i) {
    var message = new Message("msg_" + i, Kinds.TOO_LONG, QUEUE, "{}");
    return webhooks().raise(QUEUE, Kinds.TOO_LONG, message, 60 * SECOND);
  }

  @Test
  void raise_byManyAtOnce_oneTells() throws Exception {
    add("01");
    int servers = 4;
    var together = new CyclicBarrier(servers);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> tries =
          IntStream.range(0, servers)
              .<Callable<Boolean>>mapToObj(
                  i ->
                      () -> {
                        together.await();
                        return raise(i);
                      })
              .toList();
      int told = 0;
      for (Future<Boolean> each : threads.invokeAll(tries)) {
        told += each.get() ? 1 : 0;
      }
      assertThat(told).isEqualTo(1);
    }
    assertThat(ids("01", null)).hasSize(1);
  }

  @Test
  void feed_writesDownAndReadsOn_inOneStep() throws Exception {
    add("01");
    add("02", Reach.of(List.of("OTHER/1")));
    add("03", Reach.ALL, "left");
    feed().listen(READER);
    edit(QUEUE);

    Unread unread = feed().unread(READER, 10).getFirst();
    List<Happened> changes = feed().happened(READER, unread, unread.cursor(), 10).changes();
    long to = changes.getLast().change();
    List<Message> opened =
        List.of(
            new Message("msg_1", "opened", QUEUE, "{}"), new Message("msg_2", "left", QUEUE, "{}"));

    assertThat(webhooks().feed(READER, unread, to, opened)).isTrue();
    // Somebody else, who read the same and makes other messages of it, as no server does.
    List<Message> others = List.of(new Message("msg_3", "opened", QUEUE, "{}"));
    assertThat(webhooks().feed(READER, unread, to, others)).isFalse();

    assertThat(ids("01", null)).containsExactly("msg_1");
    assertThat(ids("02", null)).isEmpty();
    assertThat(ids("03", null)).containsExactly("msg_2");
    assertThat(feed().unread(READER, 10)).isEmpty();
  }

  @Test
  void feed_moreThanThereIsRoomFor_hasFailedFromTheBeginning() throws Exception {
    add("01", Reach.ALL, "left");
    feed().listen(READER);
    edit(OTHER);
    Unread unread = feed().unread(READER, 10).getFirst();
    List<Message> many =
        IntStream.range(0, Webhooks.MAX_PENDING + 5)
            .mapToObj(i -> new Message("msg_" + i, "left", OTHER, "{}"))
            .toList();

    assertThat(webhooks().feed(READER, unread, unread.head(), many)).isTrue();

    assertThat(webhooks().backlog().pending()).isEqualTo(Webhooks.MAX_PENDING);
    assertThat(webhooks().deliveries("01", State.FAILED, Long.MAX_VALUE, 100))
        .hasSize(5)
        .allMatch(d -> d.error().equals(Webhooks.BACKLOG_FULL));
  }

  private void edit(QueueId queue) throws Exception {
    queues()
        .edit(queue, Edit.activate(Map.of()).by(BY))
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
  }
}
