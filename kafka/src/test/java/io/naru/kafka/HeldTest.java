package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class HeldTest {

  private static final int MAX_WAITING = 3;
  private static final TopicPartition LEFT = new TopicPartition("commands", 0);
  private static final TopicPartition RIGHT = new TopicPartition("commands", 1);
  private static final Duration LONG = Duration.ofSeconds(10);

  private final Held held = new Held(MAX_WAITING, Pauses.DEFAULT);
  private final Map<TopicPartition, Long> ends = new HashMap<>();

  /** Those that fail, by what they say. */
  private final Set<String> bad = new HashSet<>();

  /** How they fail. */
  private Throwable failure = new QueueUnavailable(Kind.REFUSED, "frozen");

  private final Map<String, CompletableFuture<Optional<String>>> pending = new HashMap<>();
  private final List<String> tried = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 1_000;

  private void come(TopicPartition partition, String... texts) {
    List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
    for (String text : texts) {
      long offset = ends.merge(partition, 1L, Long::sum) - 1;
      records.add(
          new ConsumerRecord<>(
              partition.topic(), partition.partition(), offset, "key", text.getBytes(UTF_8)));
    }
    held.add(
        new ConsumerRecords<>(
            Map.of(partition, records),
            Map.of(partition, new OffsetAndMetadata(ends.getOrDefault(partition, 0L)))));
  }

  private static String text(ConsumerRecord<String, byte[]> record) {
    return new String(record.value(), UTF_8);
  }

  private CompletableFuture<Optional<String>> apply(ConsumerRecord<String, byte[]> record) {
    String text = text(record);
    tried.add(text);
    if (pending.containsKey(text)) {
      return pending.get(text);
    }
    if (text.startsWith("poison")) {
      return completedFuture(Optional.of("it is poison"));
    }
    return bad.contains(text) ? failedFuture(failure) : completedFuture(Optional.empty());
  }

  private Held.Settled step() {
    held.tryDue(nowNanos, this::apply);
    return held.settle(nowNanos);
  }

  private Held.Settled stepAfter(Duration pause) {
    nowNanos += pause.toNanos();
    return step();
  }

  private Map<TopicPartition, Long> toCommit() {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    held.toCommit().forEach((partition, offset) -> offsets.put(partition, offset.offset()));
    return offsets;
  }

  private List<String> surplus() {
    return held.surplus().stream().map(command -> text(command.record())).toList();
  }

  @Test
  void offsets_reachUpToTheOldestThatIsNotOver_ofEachPartition() {
    bad.add("b");
    come(LEFT, "a", "b", "c");
    come(RIGHT, "d");
    assertThat(step().carriedOut()).isEqualTo(3);

    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 1L), Map.entry(RIGHT, 1L));
    held.committed(held.toCommit());
    assertThat(toCommit()).isEmpty();
    come(LEFT, "e");
    step();
    assertThat(toCommit()).isEmpty();

    bad.clear();
    stepAfter(LONG);
    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 4L));
  }

  @Test
  void offsets_doNotPassWhatIsBeingTried() {
    var answer = new CompletableFuture<Optional<String>>();
    pending.put("a", answer);
    come(LEFT, "a", "b");
    step();
    assertThat(held.isTrying()).isTrue();
    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 0L));

    answer.complete(Optional.empty());
    assertThat(step().carriedOut()).isEqualTo(1);
    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 2L));
    assertThat(tried).containsExactly("a", "b");
  }

  @Test
  void refused_areHeldUntilTheyAreKeptElsewhere() {
    come(LEFT, "poison", "b");
    assertThat(step().refused()).isEqualTo(1);
    assertThat(stepAfter(LONG).refused()).isZero();
    assertThat(tried).containsExactly("poison", "b");
    assertThat(held.waiting()).isEmpty();
    assertThat(held.untilDue(nowNanos, LONG)).isEqualTo(LONG);
    List<Held.Command> refused = held.refused();
    assertThat(refused).extracting(Held.Command::reason).containsExactly("it is poison");
    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 0L));
    held.remove(refused);
    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 2L));
  }

  @Test
  void partition_thatIsGone_isForgotten_andItsCommandsToo() {
    bad.addAll(Set.of("a", "b"));
    come(LEFT, "a");
    come(RIGHT, "b");
    step();
    held.committed(held.toCommit());
    held.drop(Set.of(LEFT));
    bad.clear();
    stepAfter(LONG);

    assertThat(tried).containsExactly("a", "b", "b");
    assertThat(toCommit()).containsOnly(Map.entry(RIGHT, 1L));
    assertThat(held.waiting()).isEmpty();
  }

  @Test
  void pauses_grow_upToTenSeconds() {
    bad.add("a");
    come(LEFT, "a");
    step();
    List<Long> pausesMillis = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int before = tried.size();
      long millis = 0;
      while (tried.size() == before) {
        millis += 100;
        stepAfter(Duration.ofMillis(100));
      }
      pausesMillis.add(millis);
    }
    assertThat(pausesMillis)
        .containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 10_000L, 10_000L, 10_000L);
  }

  @Test
  void nextThatIsDue_isTheSoonestOfThoseThatWait() {
    assertThat(held.untilDue(nowNanos, LONG)).isEqualTo(LONG);
    bad.addAll(Set.of("a", "b"));
    come(LEFT, "a");
    step();
    assertThat(held.untilDue(nowNanos, LONG)).isEqualTo(Duration.ofMillis(100));
    stepAfter(Duration.ofMillis(100));
    assertThat(held.untilDue(nowNanos, LONG)).isEqualTo(Duration.ofMillis(200));
    come(LEFT, "b");
    step();
    assertThat(held.untilDue(nowNanos, LONG)).isEqualTo(Duration.ofMillis(100));
    assertThat(held.untilDue(nowNanos, Duration.ofMillis(20))).isEqualTo(Duration.ofMillis(20));
    nowNanos += LONG.toNanos();
    assertThat(held.untilDue(nowNanos, LONG)).isZero();

    pending.put("a", new CompletableFuture<>());
    bad.clear();
    step();
    assertThat(held.untilDue(nowNanos, LONG)).isEqualTo(LONG);
  }

  @Test
  void tooManyThatWait_ofWhichSomeWereOvertaken_theOldestOfTheseAreSurplus() {
    bad.addAll(Set.of("a", "b", "c", "d", "e"));
    come(LEFT, "a", "b");
    step();
    come(LEFT, "good");
    step();
    come(LEFT, "c", "d", "e");
    step();
    assertThat(held.hasRoom()).isFalse();
    for (int i = 1; i < Held.FAILURES_ONCE_OVERTAKEN; i++) {
      stepAfter(LONG);
      assertThat(surplus()).isEmpty();
    }
    stepAfter(LONG);
    assertThat(surplus()).containsExactly("a", "b");

    held.remove(held.surplus());
    assertThat(held.hasRoom()).isTrue();
    assertThat(surplus()).isEmpty();
    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 3L));
  }

  /** What is carried out in the moment in which all else begins to fail says nothing of later. */
  @Test
  void outage_leavesNoSurplus_thoughTriesThatBeganBeforeWereCarriedOut() {
    var early = new CompletableFuture<Optional<String>>();
    pending.put("early", early);
    bad.addAll(Set.of("a", "b", "c", "d", "e"));
    come(LEFT, "a", "early", "b", "c", "d", "e");
    step();
    early.complete(Optional.empty());
    assertThat(step().carriedOut()).isEqualTo(1);
    for (int i = 0; i < 100; i++) {
      stepAfter(LONG);
      assertThat(surplus()).isEmpty();
    }
    assertThat(held.hasRoom()).isFalse();
    assertThat(held.waiting()).hasSize(5);

    bad.clear();
    assertThat(stepAfter(LONG).carriedOut()).isEqualTo(5);
    assertThat(held.hasRoom()).isTrue();
  }

  /** What works in a moment of health says of those that it did not reach nothing for ever. */
  @Test
  void outage_thatAMomentOfHealthInterrupts_leavesNoSurplus() {
    failure =
        new CompletionException(new QueueUnavailable(Kind.DISCONNECTED, "the ledger is away"));
    bad.addAll(Set.of("a", "b", "c", "d", "e", "f"));
    come(LEFT, "a", "b", "c", "d", "e", "f");
    step();
    bad.remove("b");
    assertThat(stepAfter(LONG).carriedOut()).isEqualTo(1);
    for (int i = 0; i < 100; i++) {
      stepAfter(LONG);
      assertThat(surplus()).isEmpty();
    }
    assertThat(held.waiting()).hasSize(5);
  }

  /** As at an opening: nothing is wrong with the commands. */
  @Test
  void storeThatHasTooMuchToDo_leavesNoSurplus_thoughSomeAreCarriedOut() {
    failure = new QueueUnavailable(Kind.OVERLOADED, "too many wait");
    bad.addAll(Set.of("a", "b", "c", "d", "e"));
    come(LEFT, "a", "b", "c", "d", "e");
    step();
    for (int i = 0; i < 2 * Held.FAILURES_ONCE_OVERTAKEN; i++) {
      come(LEFT, "good");
      stepAfter(LONG);
      assertThat(surplus()).isEmpty();
    }
  }

  @Test
  void longOnes_areHeldInPart() {
    bad.add("x".repeat(1_024));
    come(LEFT, "x".repeat(1_000_000));
    step();
    assertThat(held.waiting())
        .singleElement()
        .satisfies(command -> assertThat(command.record().value()).hasSize(1_024));
  }

  /** All that is carried out behind it comes again when another server takes over. */
  @Test
  void oneThatWaits_withTooManyTakenBehindIt_isSurplus() {
    bad.addAll(Set.of("a", "b"));
    come(LEFT, "a");
    come(RIGHT, "b");
    step();
    for (int i = 0; i < 10_000; i++) {
      come(LEFT, "good");
    }
    for (int i = 0; i < 2 * Held.FAILURES_ONCE_OVERTAKEN; i++) {
      stepAfter(LONG);
    }
    assertThat(surplus()).isEmpty();

    come(LEFT, "good");
    assertThat(surplus()).containsExactly("a");
    step();
    held.remove(held.surplus());
    assertThat(toCommit()).containsOnly(Map.entry(LEFT, 10_002L), Map.entry(RIGHT, 0L));
  }

  /** A load that is merely high gives up nobody. */
  @Test
  void manyThatAreBeingTried_leaveNoRoom_butNoSurplus() {
    bad.add("a");
    come(LEFT, "a");
    step();
    come(LEFT, "good");
    step();
    for (String text : List.of("b", "c", "d", "e")) {
      pending.put(text, new CompletableFuture<>());
      come(LEFT, text);
    }
    for (int i = 0; i < 2 * Held.FAILURES_ONCE_OVERTAKEN; i++) {
      stepAfter(LONG);
    }
    assertThat(held.hasRoom()).isFalse();
    assertThat(surplus()).isEmpty();
  }
}
