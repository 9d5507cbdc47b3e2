package io.naru.bench.scenario;

import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.viewers.Admission;
import io.naru.bench.viewers.Seen;
import io.naru.bench.viewers.Watchers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Many eyes on one line, which moves once a second and then stands still. People are let in by
 * hand, so that the moment is known: latency counts from when that call was sent.
 */
final class Watch {

  /** People let in each second. */
  static final int BATCH = 20;

  /** From this place on people are near the front, and told at once. */
  private static final int NEAR = 1_000;

  private static final int MAX_CAPACITY = 10_000_000;

  private Watch() {}

  /**
   * What was seen, and what it cost.
   *
   * @param viewers who had their stream
   * @param moved how soon those near the front saw it
   * @param movedFar how soon the others did
   * @param doubts what forbids a verdict on the figures
   */
  record Watched(
      int viewers,
      Histogram first,
      Histogram moved,
      Histogram movedFar,
      Histogram entered,
      Meter.Span moving,
      Meter.Span still,
      List<String> doubts) {}

  /** A queue of a server that admits only by hand, as many as one likes. */
  static Queue openLine(Naru naru) {
    var queue = naru.openQueue();
    naru.admin().activate(queue, MAX_CAPACITY, 1, 3_600);
    return queue;
  }

  /** So many in line that it is longer than what the viewers make, however far it moves. */
  static int lineFor(int viewers, Stage stage) {
    return viewers + viewers / 4 + BATCH * (int) stage.pace().streams().moving().toSeconds();
  }

  /**
   * Waits until all watch, then measures.
   *
   * @param expected how many should watch
   */
  static Watched measure(
      Stage stage,
      List<Naru> servers,
      Queue queue,
      List<? extends Watchers> watchers,
      int expected) {
    watchers.forEach(Watchers::settle);
    stage.progress().say("%,d viewers asked for streams".formatted(expected));
    var pace = stage.pace().streams();
    var moving = Meter.of(servers);
    var admissions = move(servers.getFirst(), queue, pace.moving());
    var whileMoving = moving.stop();
    var standing = Meter.of(servers);
    pause(pace.still());
    var whileStill = standing.stop();
    var seen = watchers.stream().map(Watchers::seen).toList();
    return watched(seen, admissions, whileMoving, whileStill, expected);
  }

  private static List<Admission> move(Naru naru, Queue queue, Duration howLong) {
    var admissions = new ArrayList<Admission>();
    var start = System.nanoTime();
    for (int second = 1; second <= howLong.toSeconds(); second++) {
      var sentAt = System.nanoTime();
      admissions.add(new Admission(sentAt, naru.admin().process(queue, BATCH)));
      pause(Duration.ofSeconds(second).minusNanos(System.nanoTime() - start));
    }
    return admissions;
  }

  private static Watched watched(
      List<Seen> seen,
      List<Admission> admissions,
      Meter.Span moving,
      Meter.Span still,
      int expected) {
    var first = Seen.histogram();
    var moved = Seen.histogram();
    var movedFar = Seen.histogram();
    var entered = Seen.histogram();
    long unseen = 0;
    for (var some : seen) {
      some.addFirst(first);
      unseen += some.addMoved(admissions, place -> place <= NEAR ? moved : movedFar);
      unseen += some.addEntered(admissions, entered);
    }
    int viewers = seen.stream().mapToInt(Seen::watching).sum();
    var doubts = new ArrayList<String>();
    if (viewers < expected) {
      doubts.add("only %,d of %,d watch".formatted(viewers, expected));
    }
    doubt(doubts, unseen, "moves NEVER SHOWN");
    doubt(doubts, seen.stream().mapToLong(Seen::backwards).sum(), "places went BACKWARDS");
    doubt(doubts, seen.stream().mapToLong(Seen::failures).sum(), "streams FAILED");
    seen.stream()
        .map(Seen::firstFailure)
        .filter(failure -> !failure.isEmpty())
        .findFirst()
        .ifPresent(doubts::add);
    return new Watched(viewers, first, moved, movedFar, entered, moving, still, doubts);
  }

  private static void doubt(List<String> doubts, long count, String what) {
    if (count > 0) {
      doubts.add("%,d %s".formatted(count, what));
    }
  }

  static void pause(Duration howLong) {
    if (howLong.isNegative()) {
      return;
    }
    try {
      Thread.sleep(howLong);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
