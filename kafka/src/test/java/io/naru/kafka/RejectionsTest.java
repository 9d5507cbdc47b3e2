package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.kafka.Rejections.Kept;
import io.naru.kafka.Rejections.Rejection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class RejectionsTest {

  private static final RecordMetadata THERE =
      new RecordMetadata(new TopicPartition("commands.rejected", 0), 0, 0, 0, 0, 0);

  /** How those fail that say this. */
  private final Map<String, RuntimeException> failures = new HashMap<>();

  private final List<String> sent = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 1_000;

  private final Rejections rejections =
      new Rejections(
          new KafkaConfig("localhost:9092", "events", "commands", Map.of()),
          Pauses.DEFAULT,
          Topic::new,
          () -> nowNanos);

  private final class Topic extends MockProducer<String, byte[]> {
    @Override
    public synchronized Future<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
      String text = new String(record.value(), UTF_8);
      sent.add(text);
      RuntimeException failure = failures.get(text);
      return failure == null ? completedFuture(THERE) : failedFuture(failure);
    }
  }

  private List<Kept> put(String... texts) throws InterruptedException {
    return rejections.put(
        Arrays.stream(texts)
            .map(text -> new ConsumerRecord<>("commands", 0, 0, "key", text.getBytes(UTF_8)))
            .map(record -> new Rejection(record, "it is poison"))
            .toList());
  }

  @Test
  void failureThatMayPass_losesNothing_andTheTopicIsLeftAloneForAWhile() throws Exception {
    failures.put("b", new NotEnoughReplicasException("one of two"));
    assertThat(put("a", "b", "c")).containsExactly(Kept.YES, Kept.LATER, Kept.LATER);
    failures.clear();
    assertThat(put("b", "c", "d")).containsOnly(Kept.LATER);
    assertThat(sent).containsExactly("a", "b");

    nowNanos += Pauses.DEFAULT.longest().toNanos();
    assertThat(put("b", "c", "d")).containsOnly(Kept.YES);
  }

  @Test
  void topicThatIsMissingOrForbidden_keepsNothing_untilItIsTriedAgain() throws Exception {
    for (RuntimeException failure :
        List.of(
            new TimeoutException("not in metadata", new UnknownTopicOrPartitionException("none")),
            new TopicAuthorizationException(Set.of("commands.rejected")))) {
      failures.put("a", failure);
      assertThat(put("a", "b")).containsOnly(Kept.NO);
      failures.clear();
      assertThat(put("c")).containsOnly(Kept.NO);

      nowNanos += Pauses.DEFAULT.longest().toNanos();
      assertThat(put("d")).containsOnly(Kept.YES);
    }
    assertThat(sent).containsExactly("a", "d", "a", "d");
  }

  /** As one that does not answer at all. */
  @Test
  void brokersThatAreAway_areNotTakenForATopicThatIsMissing() throws Exception {
    failures.put("a", new TimeoutException("not in metadata"));
    assertThat(put("a")).containsExactly(Kept.LATER);
  }

  @Test
  void recordThatIsNotTaken_isNoFailureOfTheTopic() throws Exception {
    failures.put("a", new RecordTooLargeException("too large"));
    assertThat(put("a", "b")).containsExactly(Kept.NO, Kept.YES);
    assertThat(put("c")).containsExactly(Kept.YES);
  }
}
