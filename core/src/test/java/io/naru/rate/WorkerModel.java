package io.naru.rate;

import io.naru.queue.Adaptive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A site of twenty workers that serve 400 requests a second, one by one, and fewer while many wait.
 * Everybody stays for exactly as long: a turn of ten seconds that nobody ends before, with a
 * request every two seconds, the first at once. So those who came in together leave together.
 */
final class WorkerModel extends SiteModel {

  static final double PER_SECOND = 400;

  private static final int STAY_SECONDS = 10;
  private static final int WORKERS = 20;
  private static final double SERVICE_MILLIS = 50;
  private static final int CROWDED = 4 * WORKERS;
  private static final double CROWDED_COST = 1.3;
  private static final double TENTH_MILLIS = 100;

  /** A request that comes, and how many the same visitor makes after it. */
  private record Request(double atMillis, int more) {}

  private record Done(double atMillis, double tookMillis) {}

  private final PriorityQueue<Request> coming =
      new PriorityQueue<>((a, b) -> Double.compare(a.atMillis, b.atMillis));
  private final PriorityQueue<Done> served =
      new PriorityQueue<>((a, b) -> Double.compare(a.atMillis, b.atMillis));
  private final PriorityQueue<Double> free = new PriorityQueue<>();
  private final ArrayDeque<Double> waiting = new ArrayDeque<>();

  WorkerModel(long seed, Adaptive rule) {
    super(seed, PER_SECOND, STAY_SECONDS, STAY_SECONDS, rule);
    for (int i = 0; i < WORKERS; i++) {
      free.add(0.0);
    }
  }

  @Override
  double stay() {
    return STAY_SECONDS;
  }

  @Override
  Served serve(double second, int admitted, long people) {
    double now = 1_000 * second;
    for (int i = 0; i < admitted; i++) {
      coming.add(new Request(now, (int) REQUESTS - 1));
    }
    while (!coming.isEmpty() && coming.peek().atMillis < now + TENTH_MILLIS) {
      serve(coming.remove());
    }
    List<Double> took = new ArrayList<>();
    while (!served.isEmpty() && served.peek().atMillis < now + TENTH_MILLIS) {
      took.add(served.remove().tookMillis);
    }
    took.sort(null);
    double p95 = took.isEmpty() ? 0 : took.get((int) Math.ceil(0.95 * took.size()) - 1);
    long slow = took.stream().filter(millis -> millis > rule.slowMillis()).count();
    return new Served(took.size(), slow, p95, 0);
  }

  /** Nobody works for so long. */
  void stall(double millis) {
    List<Double> all = new ArrayList<>(free);
    double now = coming.peek().atMillis;
    free.clear();
    all.forEach(at -> free.add(Math.max(at, now) + millis));
  }

  private void serve(Request request) {
    while (!waiting.isEmpty() && waiting.peek() <= request.atMillis) {
      waiting.remove();
    }
    double start = Math.max(request.atMillis, free.remove());
    double cost = waiting.size() > CROWDED ? CROWDED_COST : 1;
    double end = start + SERVICE_MILLIS * cost + random.nextDouble();
    if (start > request.atMillis) {
      waiting.add(start);
    }
    free.add(end);
    served.add(new Done(end, end - request.atMillis + extraMillis));
    if (request.more > 0) {
      coming.add(new Request(end + 1_000 * STAY_SECONDS / REQUESTS, request.more - 1));
    }
  }
}
