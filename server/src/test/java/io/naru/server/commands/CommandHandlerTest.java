package io.naru.server.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.memory.MemoryQueues;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.support.SettableClock;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What can never be carried out is said so, and holds up nothing that comes behind it. */
class CommandHandlerTest {

  private static final QueueId QUEUE = new QueueId("SALE", "1");

  private final SettableClock clock = SettableClock.atOpening();
  private final MemoryQueues queues = new MemoryQueues(clock);
  private final List<QueueId> heard = new ArrayList<>();
  private final CommandHandler handler = new CommandHandler(queues, heard::add, clock);

  @BeforeEach
  void open() {
    queues
        .edit(QUEUE, Edit.activate(Map.of("adaptive", Map.of())))
        .toCompletableFuture()
        .orTimeout(5, TimeUnit.SECONDS)
        .join();
  }

  private Optional<String> apply(String body) {
    return apply(body, clock.instant());
  }

  private Optional<String> apply(String body, Instant written) {
    return handler
        .apply(body.replace('\'', '"').getBytes(StandardCharsets.UTF_8), written)
        .toCompletableFuture()
        .orTimeout(5, TimeUnit.SECONDS)
        .join();
  }

  private Optional<String> signal(String source, String at) {
    return apply(
        """
        {'kind': 'signal', 'eventType': 'SALE', 'eventId': '1', 'source': '%s',
         'count': 100, 'errors': 0, 'p95Millis': 20, 'at': '%s'}"""
            .formatted(source, at));
  }

  @Test
  void signal_thatCameInTime_counts() {
    assertThat(signal("shop", clock.instant().minusSeconds(10).toString())).isEmpty();
    assertThat(heard).containsExactly(QUEUE);
  }

  /** As all of them are once the topic was not read for a while. */
  @Test
  void signal_thatCameTooLate_isRefused() {
    assertThat(signal("shop", clock.instant().minusSeconds(31).toString()))
        .hasValueSatisfying(reason -> assertThat(reason).contains("at", "is too long ago"));
    assertThat(heard).isEmpty();
  }

  private Optional<String> signalWithoutAt(Instant written) {
    return apply(
        """
        {'kind': 'signal', 'eventType': 'SALE', 'eventId': '1', 'source': 'shop',
         'count': 100, 'errors': 0, 'p95Millis': 20}""",
        written);
  }

  /** As when it comes again, since another server took its partition over. */
  @Test
  void signal_thatDoesNotSayOfWhen_isOfWhenItWasWritten() {
    assertThat(signalWithoutAt(clock.instant().minusSeconds(31)))
        .hasValueSatisfying(reason -> assertThat(reason).contains("at", "is too long ago"));
    assertThat(heard).isEmpty();
    assertThat(signalWithoutAt(clock.instant().minusSeconds(10))).isEmpty();
    assertThat(heard).containsExactly(QUEUE);
  }

  @Test
  void signal_thatDoesNotSayOfWhen_counts_whereTheClockOfItsWriterIsAheadOrUnknown() {
    assertThat(signalWithoutAt(clock.instant().plusSeconds(3_600))).isEmpty();
    assertThat(signalWithoutAt(Instant.EPOCH)).isEmpty();
    assertThat(heard).hasSize(2);
  }

  @Test
  void signals_ofAnyNumberOfSources_areTaken() {
    String now = clock.instant().toString();
    for (int i = 0; i < 33; i++) {
      assertThat(signal("shop" + i, now)).isEmpty();
    }
  }

  /** A database may refuse its characters, with all that comes in the same transaction. */
  @Test
  void complete_ofANameThatNobodyCanHave_isRefused() {
    assertThat(
            apply(
                """
                {'kind': 'complete', 'eventType': 'SALE', 'eventId': '1', 'user': 'a\\u0000',
                 'joinedAt': '2026-03-01T20:00:00.123456Z'}"""))
        .hasValueSatisfying(reason -> assertThat(reason).contains("not a valid user id"));
  }

  @Test
  void command_ofNoKnownKind_isRefused() {
    assertThat(apply("{'kind': 'open', 'eventType': 'SALE', 'eventId': '1'}")).isPresent();
  }
}
