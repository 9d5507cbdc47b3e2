package io.naru.bench.scenario;

import io.naru.bench.load.Sample;
import io.naru.bench.load.Traffic;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A lobby opens while people go on coming: how long anybody waits for an answer at the door, how
 * soon all who were drawn can be shown their places, and how soon all of them stand in line.
 */
final class Openings implements Scenario {

  private static final int OWED_WAITING = 1_000_000;
  private static final Duration OWED_ANSWER = Duration.ofSeconds(1);
  private static final Duration OWED_PLACES = Duration.ofSeconds(10);

  /** Of so many people it is asked whether their place is known: all over the lobby. */
  private static final int ASKED = 200;

  private static final int JOINS = 500;
  private static final int JOINING = 512;
  private static final Duration LONGEST = Duration.ofMinutes(20);

  @Override
  public String name() {
    return "opening";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    int most = stage.pace().waiting();
    int waiting = most < OWED_WAITING ? most / 2 : most;
    // Late, a smaller crowd must do; the rows say how many they were.
    measureAll(stage, stage.late() ? waiting / 10 : waiting, rows);
  }

  private static void measureAll(Stage stage, int waiting, Consumer<Row> rows) {
    try (var store = Store.sqlite()) {
      measure(stage, store, waiting, "SQLite", rows);
    }
    try (var postgres = PostgresServer.start();
        var store = Store.postgres(postgres)) {
      measure(stage, store, waiting, "PostgreSQL", rows);
    }
  }

  private static void measure(
      Stage stage, Store store, int waiting, String on, Consumer<Row> rows) {
    try (var naru = stage.start(store)) {
      var lobby = naru.openLobby();
      stage.fill(naru, lobby.queue(), waiting);
      var joins = Math.clamp(waiting / (OWED_WAITING / JOINS), 10, JOINS);
      var isOver = new AtomicBoolean();
      var enter = lobby.queue().enter();
      Traffic traffic = out -> !isOver.get() && enter.next(out);
      CompletableFuture<Sample> load =
          CompletableFuture.supplyAsync(
              () ->
                  stage
                      .load()
                      .offer(naru.target(), traffic, Math.min(JOINING, joins * 2), joins, LONGEST));
      pause(stage.pace().round());
      lobby.open();
      Instant drawn = lobby.awaitDrawn();
      Instant shown = lobby.awaitPlaces(ASKED);
      Instant done = lobby.awaitDone();
      isOver.set(true);
      var sample = load.join();
      var listed = Duration.between(lobby.closedAt(), drawn);
      stage.progress().say("listed and drawn after %,d ms, %s".formatted(listed.toMillis(), on));
      rows.accept(answered(sample, joins, waiting, on));
      rows.accept(
          owed(
              Row.of("draw to every place, " + on, millis(drawn, shown), Unit.MILLIS)
                  .note("%,d asked".formatted(ASKED))
                  .note("%,d ms from closing to the draw".formatted(listed.toMillis())),
              waiting,
              "at most 10 s",
              Duration.between(drawn, shown).compareTo(OWED_PLACES) <= 0));
      rows.accept(Row.of("draw to all in line, " + on, millis(drawn, done), Unit.MILLIS));
    }
  }

  private static Row answered(Sample sample, int joins, int waiting, String on) {
    var longest = sample.latency().getMaxValue() / 1e3;
    var row =
        Row.of("longest enter during an opening, " + on, longest, Unit.MILLIS)
            .latency(sample.millisAt(50), sample.millisAt(99))
            .note("%,d in the lobby, %,d joins/s".formatted(waiting, joins));
    if (sample.failures() > 0) {
      row = row.note("FAILED %,d, first: %s".formatted(sample.failures(), sample.firstFailure()));
    }
    return owed(
        row, waiting, "at most 1 s", longest <= OWED_ANSWER.toMillis() && sample.failures() == 0);
  }

  private static Row owed(Row row, int waiting, String floor, boolean isReached) {
    return (waiting < OWED_WAITING ? row.doubt("owed for %,d".formatted(OWED_WAITING)) : row)
        .owes(floor, isReached);
  }

  private static double millis(Instant from, Instant to) {
    return Duration.between(from, to).toNanos() / 1e6;
  }

  private static void pause(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
