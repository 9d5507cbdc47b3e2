package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.CloudEvent;
import io.cloudevents.kafka.KafkaMessageFactory;
import io.naru.journal.Feed;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Stay.CompletedBy;
import io.naru.testkit.KafkaServer;
import io.naru.testkit.KafkaTopic;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("process")
class RelayTest {

  private static final QueueId QUEUE = new QueueId("SALE", "1");
  private static final QueueId OTHER = new QueueId("SALE", "2");
  private static final List<String> KINDS = List.of("joined", "entered", "completed", "deleted");

  private static final KafkaServer kafka = KafkaServer.shared();

  private final MemoryQueues queues = new MemoryQueues(InstantSource.system());
  private final String ledger = UUID.randomUUID().toString();
  private final KafkaConfig config =
      new KafkaConfig(kafka.brokers(), "events-" + ledger, null, Map.of());
  private final Feed named = new NamedFeed(queues.feed(), ledger);
  private final Relay relay = new Relay(named, config, ledger, "one");

  @AfterEach
  void close() {
    relay.close();
  }

  private static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(5, SECONDS);
  }

  private void open(QueueId queue) throws Exception {
    await(
        queues.edit(queue, Edit.activate(Map.of("events", KINDS, "entryIntervalSeconds", 3_600))));
  }

  private EntryKey join(QueueId queue, String user) throws Exception {
    return ((Joined.Waiting) await(queues.join(queue, user))).place().entry().key();
  }

  private List<ConsumerRecord<String, byte[]>> topic() {
    return KafkaTopic.read(kafka.brokers(), config.topic());
  }

  private static List<String> told(List<ConsumerRecord<String, byte[]>> records, QueueId queue) {
    return records.stream()
        .filter(record -> record.key().equals(queue.toString()))
        .map(record -> Json.readObject(new String(record.value(), UTF_8)))
        .map(data -> data.get("kind") + " " + data.getOrDefault("user", ""))
        .toList();
  }

  @Test
  void event_isACloudEventInBinaryMode() throws Exception {
    relay.beat();
    open(QUEUE);
    EntryKey ann = join(QUEUE, "ann");
    relay.beat();

    List<ConsumerRecord<String, byte[]>> records = topic();
    assertThat(records).hasSize(1);
    ConsumerRecord<String, byte[]> record = records.getFirst();
    CloudEvent event = KafkaMessageFactory.createReader(record).toEvent();
    assertThat(event.getSpecVersion().toString()).isEqualTo("1.0");
    assertThat(event.getId()).matches(ledger + "/[0-9]+/2/0");
    assertThat(event.getType()).isEqualTo("io.naru.entry.joined");
    assertThat(event.getSource()).hasToString("urn:naru:" + ledger);
    assertThat(event.getSubject()).isEqualTo("SALE/1");
    assertThat(event.getExtension("partitionkey")).isEqualTo("SALE/1");
    assertThat(event.getDataContentType()).isEqualTo("application/json");
    assertThat(requireNonNull(event.getTime()).toInstant())
        .isBetween(Instant.now().minusSeconds(60), Instant.now());
    assertThat(record.key()).isEqualTo("SALE/1");
    Map<String, ?> data =
        Json.readObject(new String(requireNonNull(event.getData()).toBytes(), UTF_8));
    assertThat(data.get("user")).isEqualTo("ann");
    assertThat(data.get("joinedAt")).isEqualTo(Micros.iso(ann.joined()));
    assertThat(data.get("change")).isEqualTo(2);
    assertThat(new ByteArrayDeserializer().deserialize("", record.value())).isNotNull();
  }

  @Test
  void events_ofSeveralQueues_areInOrderOnce_alsoAfterATakeOver() throws Exception {
    relay.beat();
    open(QUEUE);
    open(OTHER);
    EntryKey ann = join(QUEUE, "ann");
    join(OTHER, "ben");
    relay.beat();
    await(queues.admit(QUEUE, new Admission.ByHand(1, Actor.SYSTEM)));
    await(queues.complete(ann, CompletedBy.VISITOR));
    await(queues.delete(QUEUE, Actor.SYSTEM));
    // Another server: what the first has left in memory is of no use to it.
    try (var second = new Relay(named, config, ledger, "two")) {
      second.beat();
      join(OTHER, "cleo");
      second.beat();
      assertThat(told(topic(), QUEUE))
          .containsExactly("joined ann", "entered ann", "completed ann", "deleted ");
      assertThat(told(topic(), OTHER)).containsExactly("joined ben", "joined cleo");
      assertThat(named.unread(Relay.READER, 10)).isEmpty();
      assertThat(second.lagChanges()).isPositive();
      second.beat();
      assertThat(second.lagChanges()).isZero();
    }
  }

  @Test
  void relay_thatDiedBeforeItToldTheLedger_isNotRepeated() throws Exception {
    relay.beat();
    open(QUEUE);
    join(QUEUE, "ann");
    var dying = new Relay(new DyingFeed(named), config, ledger, "two");
    dying.beat();
    assertThat(named.unread(Relay.READER, 10)).hasSize(1);
    dying.close();
    try (var next = new Relay(named, config, ledger, "three")) {
      next.beat();

      assertThat(told(topic(), QUEUE)).containsExactly("joined ann");
      assertThat(named.unread(Relay.READER, 10)).isEmpty();
      join(QUEUE, "ben");
      next.beat();
      assertThat(told(topic(), QUEUE)).containsExactly("joined ann", "joined ben");
    }
  }

  @Test
  void relay_thatWasFrozen_writesNothingWhenAnotherHasTakenOver() throws Exception {
    relay.beat();
    open(QUEUE);
    join(QUEUE, "ann");
    var frozen = new FrozenFeed(named);
    try (var first = new Relay(frozen, config, ledger, "two")) {
      first.beat();
      join(QUEUE, "ben");
      frozen.freeze();
      try (var second = new Relay(named, config, ledger, "three")) {
        second.beat();
        assertThat(told(topic(), QUEUE)).containsExactly("joined ann", "joined ben");

        // It believes that it is its turn, and that ben is yet to be told of.
        first.beat();

        assertThat(first.failures()).isEqualTo(1);
        assertThat(first.troubles()).isEmpty();
        join(QUEUE, "cleo");
        second.beat();
        assertThat(told(topic(), QUEUE)).containsExactly("joined ann", "joined ben", "joined cleo");
      }
    }
  }

  @Test
  void events_thatAreGone_areAMarkedGap() throws Exception {
    relay.beat();
    open(QUEUE);
    join(QUEUE, "first");
    relay.beat();
    queues.bound(new Feed.Bounds(2, Feed.Bounds.DEFAULT.age()));
    for (int i = 0; i < 5; i++) {
      join(QUEUE, "user" + i);
    }
    relay.beat();

    List<ConsumerRecord<String, byte[]>> records = topic();
    assertThat(told(records, QUEUE))
        .containsExactly("joined first", "gap ", "joined user3", "joined user4");
    ConsumerRecord<String, byte[]> gap = records.get(1);
    assertThat(KafkaTopic.header(gap, "ce_type")).isEqualTo("io.naru.gap");
    Map<String, ?> data = Json.readObject(new String(gap.value(), UTF_8));
    assertThat(data.get("from")).isEqualTo(3);
    assertThat(data.get("to")).isEqualTo(5);
    assertThat(relay.gaps()).isEqualTo(1);
  }

  /** Only so many are kept, and more happens. */
  private void lose(String user) {
    queues.bound(new Feed.Bounds(2, Feed.Bounds.DEFAULT.age()));
    joinMany(QUEUE, user, 5);
  }

  private void joinMany(QueueId queue, String user, int count) {
    try {
      for (int i = 0; i < count; i++) {
        join(queue, user + i);
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void events_thatGoWhenItHasLookedWhatThereIs_areAMarkedGap() throws Exception {
    var busy = new BusyFeed(named);
    try (var second = new Relay(busy, config, ledger, "two")) {
      second.beat();
      open(QUEUE);
      join(QUEUE, "first");
      second.beat();
      join(QUEUE, "gone");
      busy.afterUnread = () -> lose("user");
      second.beat();
      second.beat();

      assertThat(told(topic(), QUEUE))
          .containsExactly("joined first", "gap ", "joined user3", "joined user4");
      assertThat(second.gaps()).isEqualTo(1);
    }
  }

  @Test
  void events_thatGoWhileItReads_areAMarkedGap() throws Exception {
    var busy = new BusyFeed(named);
    try (var second = new Relay(busy, config, ledger, "two")) {
      second.beat();
      open(QUEUE);
      joinMany(QUEUE, "early", 20);
      busy.afterHappened = () -> lose("user");
      second.beat();
      second.beat();

      List<String> told = told(topic(), QUEUE);
      assertThat(told.subList(0, 16)).startsWith("joined early0").endsWith("joined early15");
      assertThat(told.subList(16, told.size()))
          .containsExactly("gap ", "joined user3", "joined user4");
      assertThat(second.gaps()).isEqualTo(1);
    }
  }

  /** The clock of a ledger was set: another one may take over, and the first does not know. */
  @Test
  void relay_thatGoesOnWhileAnotherTakesOver_isNotRepeated() throws Exception {
    named.listen("slow");
    relay.beat();
    open(QUEUE);
    join(QUEUE, "ann");
    relay.beat();
    join(QUEUE, "ben");
    var busy = new BusyFeed(named);
    try (var second = new Relay(busy, config, ledger, "two")) {
      busy.afterUnread =
          () -> {
            joinMany(QUEUE, "cleo", 1);
            try {
              relay.beat();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          };
      second.beat();
      join(QUEUE, "dora");
      second.beat();

      assertThat(told(topic(), QUEUE))
          .containsExactly("joined ann", "joined ben", "joined cleo0", "joined dora");
    }
  }

  @Test
  void backlog_ofOneQueue_holdsUpNoOther() throws Exception {
    relay.beat();
    open(QUEUE);
    open(OTHER);
    joinMany(QUEUE, "user", 12_000);
    join(OTHER, "ann");

    relay.beat();

    assertThat(relay.troubles()).isEmpty();
    assertThat(told(topic(), OTHER)).containsExactly("joined ann");
    bringAll();
    assertThat(told(topic(), QUEUE))
        .containsExactlyElementsOf(
            IntStream.range(0, 12_000).mapToObj(i -> "joined user" + i).toList());
    assertThat(told(topic(), OTHER)).containsExactly("joined ann");
  }

  @Test
  void backlogs_ofSeveralQueues_takeTurns() throws Exception {
    relay.beat();
    List<QueueId> late = IntStream.range(0, 8).mapToObj(i -> new QueueId("LATE", "" + i)).toList();
    for (QueueId queue : late) {
      open(queue);
      joinMany(queue, "user", 2_500);
    }
    open(OTHER);
    join(OTHER, "ann");

    relay.beat();
    relay.beat();

    assertThat(relay.troubles()).isEmpty();
    assertThat(told(topic(), OTHER)).containsExactly("joined ann");
    bringAll();
    List<String> users = IntStream.range(0, 2_500).mapToObj(i -> "joined user" + i).toList();
    List<ConsumerRecord<String, byte[]>> records = topic();
    for (QueueId queue : late) {
      assertThat(told(records, queue)).containsExactlyElementsOf(users);
    }
  }

  private void bringAll() throws InterruptedException {
    while (!named.unread(Relay.READER, 1).isEmpty()) {
      relay.beat();
    }
  }

  @Test
  void broker_thatIsAway_isSaidAndNobodyWaits() throws Exception {
    var nowhere =
        new KafkaConfig(
            "127.0.0.1:1",
            "events",
            null,
            Map.of("default.api.timeout.ms", "1000", "request.timeout.ms", "500"));
    try (var lost = new Relay(named, nowhere, ledger, "two")) {
      lost.beat();
      open(QUEUE);
      join(QUEUE, "ann");

      assertThat(lost.beat()).isPositive();
      assertThat(lost.failures()).isPositive();
      assertThat(lost.lagChanges()).isPositive();
      assertThat(lost.troubles().toString()).contains("127.0.0.1:1 does not answer in time");
    }
    relay.beat();
    assertThat(told(topic(), QUEUE)).containsExactly("joined ann");
  }

  /** The same under a name that no other test has. */
  private static class NamedFeed implements Feed {
    final Feed feed;
    private final String ledger;

    NamedFeed(Feed feed, String ledger) {
      this.feed = feed;
      this.ledger = ledger;
    }

    @Override
    public void listen(String reader) {
      feed.listen(reader);
    }

    @Override
    public void end(String reader) {
      feed.end(reader);
    }

    @Override
    public Set<String> readers() {
      return feed.readers();
    }

    @Override
    public List<Unread> unread(String reader, int limit) {
      return feed.unread(reader, limit).stream()
          .map(
              u ->
                  new Unread(
                      u.id(),
                      u.queue(),
                      ledger + "/" + u.id(),
                      u.cursor(),
                      u.head(),
                      u.oldestAt(),
                      u.now()))
          .toList();
    }

    @Override
    public Stretch happened(String reader, Unread of, long after, int limit) {
      return feed.happened(reader, of, after, limit);
    }

    @Override
    public Set<Unread> advance(String reader, Map<Unread, Long> to) {
      return feed.advance(reader, to);
    }

    @Override
    public boolean hold(String work, String server, Duration time) {
      return true;
    }

    @Override
    public void letGo(String work, String server) {}
  }

  /** Of a server that dies after the commit. */
  private static final class DyingFeed extends NamedFeed {
    DyingFeed(Feed feed) {
      super(feed, "");
    }

    @Override
    public List<Unread> unread(String reader, int limit) {
      return feed.unread(reader, limit);
    }

    @Override
    public Set<Unread> advance(String reader, Map<Unread, Long> to) {
      return Set.of();
    }
  }

  /** Of a ledger in which something happens just after it was asked, once. */
  private static final class BusyFeed extends NamedFeed {
    private static final Runnable NOTHING = () -> {};
    private Runnable afterUnread = NOTHING;
    private Runnable afterHappened = NOTHING;

    BusyFeed(Feed feed) {
      super(feed, "");
    }

    @Override
    public List<Unread> unread(String reader, int limit) {
      List<Unread> unread = feed.unread(reader, limit);
      Runnable next = afterUnread;
      afterUnread = NOTHING;
      next.run();
      return unread;
    }

    @Override
    public Stretch happened(String reader, Unread of, long after, int limit) {
      Stretch some = feed.happened(reader, of, after, limit);
      Runnable next = afterHappened;
      afterHappened = NOTHING;
      next.run();
      return some;
    }
  }

  /** Of a server that stood still: it goes on with what it had read. */
  private static final class FrozenFeed extends NamedFeed {
    private List<Unread> seen = List.of();
    private List<Happened> read = List.of();
    private boolean isFrozen;

    FrozenFeed(Feed feed) {
      super(feed, "");
    }

    void freeze() {
      seen = feed.unread(Relay.READER, 10);
      read = feed.happened(Relay.READER, seen.getFirst(), seen.getFirst().cursor(), 10).changes();
      isFrozen = true;
    }

    @Override
    public List<Unread> unread(String reader, int limit) {
      return isFrozen ? seen : feed.unread(reader, limit);
    }

    @Override
    public Stretch happened(String reader, Unread of, long after, int limit) {
      return isFrozen
          ? new Stretch(0, read.stream().filter(change -> change.change() > after).toList())
          : feed.happened(reader, of, after, limit);
    }
  }
}
