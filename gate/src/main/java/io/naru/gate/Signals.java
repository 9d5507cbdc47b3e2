package io.naru.gate;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * How quickly the protected application answers, and how often it fails, told to Naru about once a
 * second: with that a queue that is {@code adaptive} lets in as many as the application can serve.
 *
 * <p>A request only notes how long it took, without waiting for anybody. One thread sends; while
 * Naru takes its time the next window grows, and what could not be sent is forgotten: a signal that
 * is lost never makes a line quicker.
 */
final class Signals {

  private static final System.Logger LOG = System.getLogger(Signals.class.getName());

  static final Duration EVERY = Duration.ofSeconds(1);

  /** What takes longer counts as so long. */
  private static final long LONGEST_MICROS = Duration.ofMinutes(5).toNanos() / 1_000;

  private static final int DIGITS = 2;

  /** A queue that follows nobody is told only now and then, in case that it does by then. */
  private static final Pattern NOT_FOLLOWED = Pattern.compile("\"adaptive\"\\s*:\\s*false");

  private static final int SKIPPED = 59;

  private final Consumer<Boolean> heard;
  private final NaruClient naru;
  private final String key;
  private final String queue;
  private final String source;
  private final Recorder times = new Recorder(LONGEST_MICROS, DIGITS);
  private final LongAdder failures = new LongAdder();
  private @Nullable Histogram used;
  private int skipped;
  private int refusals;
  private @Nullable String problem;

  /**
   * @param key of the role {@code signal}
   * @param source this application, among those that tell of the same queue
   * @param heard is told of each signal whether Naru took it
   */
  Signals(NaruClient naru, String key, String queue, String source, Consumer<Boolean> heard) {
    this.heard = heard;
    this.naru = naru;
    this.key = key;
    this.queue = queue;
    this.source = source;
  }

  /** One answer of the application; any thread. */
  void served(long nanos, boolean isFailed) {
    times.recordValue(Math.max(0, Math.min(nanos / 1_000, LONGEST_MICROS)));
    if (isFailed) {
      failures.increment();
    }
  }

  /** Tells of everything since the last time, also that it was nothing; never throws. */
  void send() {
    Histogram window = times.getIntervalHistogram(used);
    used = window;
    long failed = failures.sumThenReset();
    if (skipped > 0) {
      skipped--;
      return;
    }
    try {
      String answer = naru.signal(key, json(window, failed));
      skipped = NOT_FOLLOWED.matcher(answer).find() ? SKIPPED : 0;
      refusals = 0;
      report(null);
    } catch (NaruClient.Answered e) {
      skipped = skippedAfter(e.status);
      report(e.getMessage() + explained(e.status));
    } catch (IOException | RuntimeException e) {
      report(String.valueOf(e.getMessage()));
    }
  }

  /**
   * A key that is refused is so the next time, too; and Naru slows down whoever tries and tries.
   */
  private int skippedAfter(int status) {
    if (status != 401 && status != 403 && status != 429) {
      return 0;
    }
    refusals++;
    return Math.min(SKIPPED, (1 << Math.min(refusals, 6)) - 1);
  }

  private String json(Histogram window, long failed) {
    long count = window.getTotalCount();
    // The whole millisecond above: what is slow must not look a little quicker.
    long p95 = count == 0 ? 0 : (window.getValueAtPercentile(95) + 999) / 1_000;
    String[] name = queue.split("/", 2);
    return "{\"eventType\":\"%s\",\"eventId\":\"%s\",\"source\":\"%s\",\"count\":%s,\"errors\":%s,\"p95Millis\":%s}"
        .formatted(name[0], name[1], source, count, Math.min(failed, count), p95);
  }

  private static String explained(int status) {
    return switch (status) {
      case 401, 403 -> " (signalKey must be an access key of the role signal for this queue)";
      case 404 -> " (it has no such queue, or knows no signals)";
      default -> "";
    };
  }

  private void report(@Nullable String failure) {
    heard.accept(failure == null);
    if (failure != null && !failure.equals(problem)) {
      LOG.log(WARNING, "cannot tell Naru how {0} is served: {1}", queue, failure);
    } else if (failure == null && problem != null) {
      LOG.log(INFO, "Naru hears again how {0} is served", queue);
    }
    problem = failure;
  }
}
