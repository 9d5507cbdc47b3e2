package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.journal.Unread;
import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A long line is ended step by step, by whoever is there; and in time. */
@Tag("process")
class EndingTest {

  private static final QueueId QUEUE = new QueueId("END", "1");
  private static final int PEOPLE = 5_000;

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(20, SECONDS);
  }

  @Test
  void end_serverGoneHalfWay_isFinishedByAnother() throws Exception {
    Ledger.Config config = LedgerFixture.postgres();
    try (var first = new LedgerFixture(config, new MemoryCopy())) {
      var queues = first.ledger().queues();
      get(queues.edit(QUEUE, Edit.activate(Map.of("entryIntervalSeconds", 3_600))));
      CompletableFuture<?>[] joins =
          IntStream.range(0, PEOPLE)
              .mapToObj(i -> queues.join(QUEUE, "user" + i).toCompletableFuture())
              .toArray(CompletableFuture[]::new);
      get(CompletableFuture.allOf(joins));
      get(queues.edit(QUEUE, Edit.of(Edit.Act.END, "")));
      get(queues.admit(QUEUE, new Admission.Paced()));
      Admitted.NotActive second =
          (Admitted.NotActive) get(queues.admit(QUEUE, new Admission.Paced()));
      assertThat(second.more()).isTrue();
      assertThat(second.figures().waiting()).isEqualTo(PEOPLE - 2 * Admission.MAX_STEP);
    }
    // It said nothing to anybody; the next one finds what is left by itself.
    try (var other = new LedgerFixture(config, new MemoryCopy())) {
      var queues = other.ledger().queues();
      Standing last = get(other.ledger().line().locate(QUEUE, "user" + (PEOPLE - 1)));
      assertThat(((Standing.Found) last).place().entry().status()).isEqualTo(Status.EXPIRED);
      int steps = 0;
      while (get(queues.due()).contains(QUEUE)) {
        get(queues.admit(QUEUE, new Admission.Paced()));
        steps++;
      }
      assertThat(steps).isEqualTo(3);
      Figures figures = get(queues.find(QUEUE)).orElseThrow().figures();
      assertThat(figures.waiting()).isZero();
      assertThat(figures.expired()).as("each once").isEqualTo(PEOPLE);
    }
  }

  private static List<String> told(Ledger ledger) {
    Unread all = ledger.feed().unread("test", 1).getFirst();
    return ledger.feed().happened("test", all, 0, 100_000).changes().stream()
        .flatMap(change -> change.events().stream())
        .map(event -> event.kind().word())
        .toList();
  }

  /**
   * Hunts for somebody who gets a place or goes in a hair too early or too late, anywhere, and for
   * an opening that is told twice or after whoever came then.
   */
  @Test
  void times_twoServersAllTheTime_lieAroundEveryPlaceAndEveryAdmission() throws Exception {
    Ledger.Config config = LedgerFixture.postgres();
    try (var one = new LedgerFixture(config, new MemoryCopy());
        var two = new LedgerFixture(config, new MemoryCopy())) {
      Instant now = Instant.now();
      Instant opens = now.plusMillis(300);
      Instant closes = now.plusMillis(600);
      Instant ends = now.plusMillis(900);
      Map<String, Object> settings =
          Map.of(
              "opensAt",
              opens.toString(),
              "closesAt",
              closes.toString(),
              "endsAt",
              ends.toString(),
              "events",
              List.of("opened", "closed", "ended", "joined"));
      one.ledger().feed().listen("test");
      two.ledger().feed().listen("test");
      get(one.ledger().queues().edit(QUEUE, Edit.activate(settings)));
      List<Entry> admitted = new ArrayList<>();
      int places = 0;
      int early = 0;
      int late = 0;
      boolean isOver = false;
      for (int i = 0; !isOver || i % 10 != 0; i++) {
        List<CompletionStage<Joined>> joins = new ArrayList<>();
        List<CompletionStage<Admitted>> steps = new ArrayList<>();
        for (var server : List.of(one, two)) {
          joins.add(server.ledger().queues().join(QUEUE, "user" + i + "-" + joins.size()));
          steps.add(server.ledger().queues().admit(QUEUE, new Admission.Paced()));
        }
        for (var join : joins) {
          switch (get(join)) {
            case Joined.Waiting(Place place) -> {
              places++;
              assertThat(place.entry().key().joined())
                  .isBetween(Micros.of(opens), Micros.of(closes) - 1);
            }
            case Joined.NotYet(long at) -> {
              early++;
              assertThat(at).isEqualTo(Micros.of(opens));
            }
            case Joined.Refused(var reason, _) -> {
              late++;
              assertThat(reason).isEqualTo(Joined.Reason.NOT_ACTIVE);
            }
            case Joined other -> throw new AssertionError("" + other);
          }
        }
        for (var step : steps) {
          switch (get(step)) {
            case Admitted.Done done -> admitted.addAll(done.entries());
            case Admitted.NotActive _ -> isOver = true;
            case Admitted.NoQueue _ -> throw new AssertionError("gone");
          }
        }
      }
      assertThat(List.of(early, places, late)).allMatch(count -> count > 0);
      assertThat(admitted)
          .isNotEmpty()
          .allSatisfy(
              entry ->
                  assertThat(entry.entered()).isBetween(Micros.of(opens), Micros.of(ends) - 1));
      State ended = get(two.ledger().queues().find(QUEUE)).orElseThrow().queue().state();
      assertThat(ended.endedAt()).isEqualTo(Micros.of(ends));
      List<String> told = told(one.ledger());
      assertThat(told).startsWith("opened", "joined").endsWith("closed", "ended");
      assertThat(told).filteredOn(kind -> !kind.equals("joined")).hasSize(3);
      assertThat(told).hasSize(places + 3);
    }
  }
}
