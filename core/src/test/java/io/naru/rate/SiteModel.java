package io.naru.rate;

import io.naru.queue.Adaptive;
import io.naru.queue.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A site with a knee and the people in it, by tenths of a second. It serves so many requests a
 * second with fifty workers, and up to 30 % fewer when its queues build; beyond five seconds of
 * them it refuses. Everybody who goes in makes some requests over their stay. There are always more
 * who wait.
 */
class SiteModel {

  static final double REQUESTS = 5;

  private static final double STEP = 0.1;
  private static final long STEP_MICROS = 100_000;
  private static final int SIGNAL_STEPS = 10;
  private static final double BASE_MILLIS = 60;
  private static final double WORKERS = 50;

  /** What is told of one tenth of a second. */
  record Tenth(
      double second,
      double perSecond,
      int admitted,
      long inside,
      double limit,
      double requests,
      double slow) {}

  /** What became of the requests of one tenth of a second. */
  record Served(double requests, double slow, double millis, double errors) {}

  final List<Tenth> past = new ArrayList<>();
  double capacity;

  Adaptive rule;

  /** Milliseconds that have nothing to do with load. */
  double extraMillis;

  final Random random;
  final double staySeconds;
  private final int turnSeconds;
  private final Map<Integer, Integer> leaving = new HashMap<>();
  private final Map<Integer, Consumer<SiteModel>> events = new HashMap<>();
  private double backlog;
  private double busy;
  private double waitMillis;
  private double credit;
  private long inside;
  private long departed;
  private RateState state;
  private double count;
  private double errors;
  private double worstMillis;
  private int step;

  SiteModel(long seed, double capacity, double staySeconds, Adaptive rule) {
    this(seed, capacity, staySeconds, 300, rule);
  }

  SiteModel(long seed, double capacity, double staySeconds, int turnSeconds, Adaptive rule) {
    this.random = new Random(seed);
    this.capacity = capacity;
    this.staySeconds = staySeconds;
    this.turnSeconds = turnSeconds;
    this.rule = rule;
    this.state = RateState.first(rule, site());
  }

  /** What happens to it after some time. */
  SiteModel at(double second, Consumer<SiteModel> event) {
    events.put((int) Math.round(second / STEP), event);
    return this;
  }

  /** The operator sets another rule. */
  SiteModel under(Adaptive changed) {
    state = state.under(changed, rule, site());
    rule = changed;
    return this;
  }

  SiteModel run(double seconds) {
    int end = step + (int) Math.round(seconds / STEP);
    while (step < end) {
      tenth();
      step++;
    }
    return this;
  }

  private Site site() {
    return new Site(1_000_000 + step * STEP_MICROS, inside, departed, turnSeconds);
  }

  private void tenth() {
    events.getOrDefault(step, _ -> {}).accept(this);
    int left = leaving.containsKey(step) ? leaving.remove(step) : 0;
    inside -= left;
    departed += left;
    state = state.at(rule, site());
    credit += state.perSecond() * STEP;
    int admitted = (int) credit;
    credit -= admitted;
    inside += admitted;
    for (int i = 0; i < admitted; i++) {
      leaving.merge(step + Math.max(1, (int) (stay() / STEP)), 1, Integer::sum);
    }
    Served served = serve(step * STEP, admitted, inside);
    count += served.requests;
    errors += served.errors;
    worstMillis = Math.max(worstMillis, served.millis);
    if ((step + 1) % SIGNAL_STEPS == 0) {
      signal();
    }
    past.add(
        new Tenth(
            step * STEP,
            state.perSecond(),
            admitted,
            inside,
            state.insideLimit(),
            served.requests,
            served.slow));
  }

  /** How long the next one stays, in seconds. */
  double stay() {
    return staySeconds * (0.5 + random.nextDouble());
  }

  /** Serves the requests of a tenth of a second. */
  Served serve(double second, int admitted, long people) {
    double mean = people * REQUESTS / staySeconds * STEP;
    double requests = Math.max(0, mean + random.nextGaussian() * Math.sqrt(mean));
    double queued = backlog + waitMillis / 1_000 * requests / STEP;
    double served = capacity * (1 - 0.3 * Math.min(1, queued / (3 * capacity)));
    busy += (1 - Math.exp(-STEP)) * (mean / STEP / served - busy);
    double load = Math.min(busy, 0.995);
    // How long one waits for one of many workers: nearly nothing, until nearly all are busy.
    waitMillis = BASE_MILLIS * Math.pow(load, 9.1) / (WORKERS * (1 - load));
    backlog = Math.max(0, backlog + requests - served * STEP);
    double refused = Math.max(0, backlog - 5 * capacity);
    backlog -= refused;
    double millis = BASE_MILLIS + 3 * waitMillis + 1_000 * backlog / served + extraMillis;
    return new Served(requests, millis >= rule.slowMillis() ? requests : 0, millis, refused);
  }

  private void signal() {
    long all = Math.round(count);
    var signal =
        new Signal("shop", all, Math.min(all, Math.round(errors)), Math.min(3.6e6, worstMillis), 0);
    state = state.heard(signal, rule, site());
    count = 0;
    errors = 0;
    worstMillis = 0;
  }

  /** How many went in per second from one moment on and before another. */
  double admitted(double from, double to) {
    double sum = 0;
    for (Tenth tenth : past) {
      if (tenth.second >= from && tenth.second < to) {
        sum += tenth.admitted;
      }
    }
    return sum / (to - from);
  }

  /** Of 100 requests from one moment on, how many were slow. */
  double slowPercent(double from) {
    double all = 0;
    double slow = 0;
    for (Tenth tenth : past) {
      if (tenth.second >= from) {
        all += tenth.requests;
        slow += tenth.slow;
      }
    }
    return 100 * slow / all;
  }
}
