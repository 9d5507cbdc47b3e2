package io.naru.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.naru.batch.BatchObserver;
import io.naru.queue.Entry;
import io.naru.queue.Figures;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Summary;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Pauses;
import io.naru.server.stream.StreamCounts;
import io.naru.server.stream.Streams;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What Prometheus is told: the busiest queues each by itself, and all of them added up, so that a
 * scrape stays small with any number of queues. Figures are the queues' own, the same from every
 * server (so: {@code max by (queue)}); waits, errors, latencies and batch sizes are what this
 * server saw.
 */
public final class Metrics {

  /** How many queues have figures of their own. */
  public static final int DEFAULT_QUEUES = 100;

  public static final int MAX_QUEUES = 10_000;

  private static final Duration[] WAITS = {
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(15),
    Duration.ofSeconds(60),
    Duration.ofMinutes(5),
    Duration.ofMinutes(10),
    Duration.ofMinutes(30),
    Duration.ofHours(1),
    Duration.ofHours(3)
  };

  /** What may fail here; told from the start, so that the first failure is a rise from nothing. */
  private static final List<String> ERRORS =
      Stream.concat(
              Stream.of(QueueUnavailable.Kind.values())
                  .map(kind -> kind.name().toLowerCase(Locale.ROOT)),
              Stream.of("internal", "scheduler"))
          .toList();

  private final int maxQueues;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Map<QueueId, QueueMeters> queues = new ConcurrentHashMap<>();
  private final Map<String, Counter> errors = new ConcurrentHashMap<>();
  private final List<LongSupplier> totals = new CopyOnWriteArrayList<>();
  private final Timer waitsOfAll;
  private volatile @Nullable Pauses pauses;
  private volatile Summary summary = new Summary(0, Figures.NONE, List.of());

  /** The meters of one queue, which read the latest figures. */
  private final class QueueMeters {
    private volatile Figures figures;
    private volatile @Nullable Overview known;
    private final List<Meter> meters = new ArrayList<>();
    private final Timer waits;
    private final Counter signals;

    QueueMeters(QueueId id, Figures first) {
      figures = first;
      String queue = id.toString();
      gauge("naru.queue.size", "People waiting.", queue, Figures::waiting);
      gauge("naru.inside", "People inside.", queue, Figures::inside);
      gauge(
          "naru.absent",
          "People waiting who were not there when their turn came.",
          queue,
          Figures::absent);
      gauge("naru.owing", "People waiting who still owe a proof.", queue, f -> f.proofs().owing());
      gauge(
          "naru.longest.wait.seconds",
          "How long the first in line has been waiting.",
          queue,
          f -> f.longestWaitMicros() / 1e6);
      setting(
          "naru.capacity",
          "How many may be inside.",
          queue,
          o -> o.queue().settings().pace().maxCapacity());
      setting(
          "naru.allowed.rate", "How many may go in a second.", queue, o -> o.rate().perSecond());
      setting(
          "naru.inside.limit",
          "How many the rate lets be inside, where it follows the site.",
          queue,
          o -> o.rate().insideLimit() == 0 ? Double.NaN : o.rate().insideLimit());
      setting(
          "naru.site.p95.seconds",
          "95 of 100 answers of the site take less, as its signals say, where the rate follows it.",
          queue,
          o -> o.rate().site().p95Millis() / 1_000);
      setting(
          "naru.site.error.ratio",
          "The share of answers that are errors, as its signals say.",
          queue,
          o -> o.rate().site().errorPercent() / 100);
      setting(
          "naru.paused",
          "Whether the operator has nobody let in: 1 or 0.",
          queue,
          o -> o.queue().state().admissionPaused() ? 1 : 0);
      for (PausedBy by : PausedBy.values()) {
        setting(
            "naru.held",
            "Whether nobody is let in, by what holds admission: 1 or 0.",
            Tags.of("queue", queue, "by", by.word()),
            o -> isHeld(o, by));
      }
      setting(
          "naru.stock.remaining",
          "Units that nobody has, as the site said last.",
          queue,
          o -> o.queue().units().isKnown() ? o.queue().units().remaining() : Double.NaN);
      setting(
          "naru.stock.held",
          "Units that somebody has and has not paid for, as the site said last.",
          queue,
          o -> o.queue().units().isKnown() ? o.queue().units().held() : Double.NaN);
      total("naru.joined", "Places given.", queue, Figures::joined);
      total("naru.processed", "People admitted.", queue, Figures::entered);
      total("naru.completed", "People who completed inside.", queue, Figures::completed);
      total("naru.left", "People who left, the line or the inside.", queue, Figures::left);
      total(
          "naru.expired",
          "People who overstayed inside, were absent for too long, or proved nothing.",
          queue,
          Figures::expired);
      total("naru.proved", "People who proved what they owed.", queue, f -> f.proofs().proved());
      total(
          "naru.unproven",
          "Places that ended because nothing was proved.",
          queue,
          f -> f.proofs().unproven());
      waits =
          Timer.builder("naru.wait")
              .description("How long people admitted by this server had waited.")
              .tag("queue", queue)
              .serviceLevelObjectives(WAITS)
              .register(registry);
      meters.add(waits);
      signals =
          Counter.builder("naru.signals")
              .description("Signals about the site that were heard on this server.")
              .tag("queue", queue)
              .register(registry);
      meters.add(signals);
    }

    private void gauge(
        String name, String description, String queue, ToDoubleFunction<Figures> value) {
      meters.add(
          Gauge.builder(name, this, meters -> value.applyAsDouble(meters.figures))
              .description(description)
              .tag("queue", queue)
              .register(registry));
    }

    /** What the operator set; unknown until the queue is found among the busiest. */
    private void setting(
        String name, String description, String queue, ToDoubleFunction<Overview> value) {
      setting(name, description, Tags.of("queue", queue), value);
    }

    private void setting(
        String name, String description, Tags tags, ToDoubleFunction<Overview> value) {
      meters.add(
          Gauge.builder(
                  name,
                  () -> {
                    Overview latest = known;
                    return latest == null ? Double.NaN : value.applyAsDouble(latest);
                  })
              .description(description)
              .tags(tags)
              .register(registry));
    }

    private void total(
        String name, String description, String queue, ToDoubleFunction<Figures> value) {
      meters.add(
          FunctionCounter.builder(name, this, meters -> value.applyAsDouble(meters.figures))
              .description(description)
              .tag("queue", queue)
              .register(registry));
    }
  }

  private record BatchMeters(Timer latency, DistributionSummary size, Counter failures) {}

  public Metrics() {
    this(DEFAULT_QUEUES);
  }

  /**
   * @param maxQueues how many queues have figures of their own
   */
  public Metrics(int maxQueues) {
    this.maxQueues = maxQueues;
    Gauge.builder("naru.queues", this, metrics -> metrics.summary.queues())
        .description("Queues.")
        .register(registry);
    gaugeOfAll("naru.all.size", "People waiting, in all queues.", Figures::waiting);
    gaugeOfAll("naru.all.inside", "People inside, in all queues.", Figures::inside);
    gaugeOfAll(
        "naru.all.absent",
        "People waiting who were not there when their turn came, in all queues.",
        Figures::absent);
    totalOfAll("naru.all.joined", "Places given, in all queues.", Figures::joined);
    totalOfAll("naru.all.processed", "People admitted, in all queues.", Figures::entered);
    totalOfAll("naru.all.completed", "People who completed, in all queues.", Figures::completed);
    totalOfAll("naru.all.left", "People who left, in all queues.", Figures::left);
    totalOfAll("naru.all.expired", "People who overstayed, in all queues.", Figures::expired);
    waitsOfAll =
        Timer.builder("naru.all.wait")
            .description("How long people admitted by this server had waited, in all queues.")
            .serviceLevelObjectives(WAITS)
            .register(registry);
    ERRORS.forEach(this::errors);
  }

  private void gaugeOfAll(String name, String description, ToDoubleFunction<Figures> value) {
    Gauge.builder(name, this, metrics -> value.applyAsDouble(metrics.summary.all()))
        .description(description)
        .register(registry);
  }

  private void totalOfAll(String name, String description, ToDoubleFunction<Figures> value) {
    FunctionCounter.builder(name, this, metrics -> value.applyAsDouble(metrics.summary.all()))
        .description(description)
        .register(registry);
  }

  private double isHeld(Overview latest, PausedBy by) {
    Pauses known = pauses;
    if (known == null) {
      return Double.NaN;
    }
    return known.by(latest.queue().id(), latest.line()) == by ? 1 : 0;
  }

  int maxQueues() {
    return maxQueues;
  }

  /** Takes over what all queues come to; the meters of those that are not among the busiest go. */
  synchronized void update(Summary latest) {
    summary = latest;
    Set<QueueId> busiest =
        latest.busiest().stream().map(o -> o.queue().id()).collect(Collectors.toSet());
    queues.keySet().stream().filter(queue -> !busiest.contains(queue)).forEach(this::forget);
    latest.busiest().forEach(this::overview);
  }

  private void overview(Overview latest) {
    figures(latest.queue().id(), latest.figures());
    QueueMeters meters = queues.get(latest.queue().id());
    if (meters != null) {
      meters.known = latest;
    }
  }

  /** A queue's latest figures. One that is not among the busiest has none of its own. */
  public synchronized void figures(QueueId queue, Figures figures) {
    QueueMeters known = queues.get(queue);
    if (known != null) {
      known.figures = figures;
    } else if (queues.size() < maxQueues) {
      queues.put(queue, new QueueMeters(queue, figures));
    }
  }

  public void admitted(QueueId queue, List<Entry> entries) {
    QueueMeters meters = queues.get(queue);
    for (Entry entry : entries) {
      // Scores run ahead of the clock when many arrive in one microsecond.
      long waited = Math.max(0, entry.entered() - entry.key().joined());
      waitsOfAll.record(waited, TimeUnit.MICROSECONDS);
      if (meters != null) {
        meters.waits.record(waited, TimeUnit.MICROSECONDS);
      }
    }
  }

  /** Somebody said how the site does. */
  public void signaled(QueueId queue) {
    QueueMeters meters = queues.get(queue);
    if (meters != null) {
      meters.signals.increment();
    }
  }

  public synchronized void forget(QueueId queue) {
    QueueMeters gone = queues.remove(queue);
    if (gone != null) {
      gone.meters.forEach(registry::remove);
    }
  }

  public void error(String type) {
    errors(type).increment();
  }

  private Counter errors(String type) {
    return errors.computeIfAbsent(
        type,
        t ->
            Counter.builder("naru.errors")
                .description("Failures that were not the caller's doing.")
                .tag("type", t)
                .register(registry));
  }

  /**
   * Watches proofs.
   *
   * @param refused how many were, on this server
   */
  public void proofs(DoubleSupplier refused) {
    FunctionCounter.builder("naru.proofs.refused", refused, DoubleSupplier::getAsDouble)
        .description("Proofs that were refused on this server.")
        .register(registry);
  }

  /** Watches whether this server does its work. */
  public void health(Health health) {
    gauge(
        "naru.deciding",
        "Whether what decides, the ledger or the line, answers: 1 or 0.",
        () -> health.isDeciding() ? 1 : 0);
    gauge(
        "naru.queues.interrupted",
        "Queues to which nobody can be let in although others are well.",
        () -> health.interrupted().size());
  }

  /** Watches what holds admission, queue by queue. */
  public void pauses(Pauses held) {
    pauses = held;
  }

  /**
   * Watches the copies of a ledger.
   *
   * @param frozen how many queues are frozen, because their ledger lost commits
   * @param behind how many copies are not where their ledger is
   */
  public void copies(IntSupplier frozen, IntSupplier behind) {
    gauge("naru.queues.frozen", "Queues whose ledger lost commits.", frozen);
    gauge("naru.copies.behind", "Copies of lines that are being healed.", behind);
  }

  /**
   * Watches the draws.
   *
   * @param underWay how many are
   * @param waitingForCoin how many of them wait for a public coin
   */
  public void draws(IntSupplier underWay, IntSupplier waitingForCoin) {
    gauge("naru.draws.under.way", "Draws between the closing of a lobby and its line.", underWay);
    gauge("naru.draws.waiting.for.coin", "Those that wait for a public coin.", waitingForCoin);
  }

  /**
   * Watches the comparison of copies with their ledger.
   *
   * @param entries how many were compared
   * @param differences how many of them were not as in the ledger
   * @param repairs how many of those are by now
   */
  public void checks(LongSupplier entries, LongSupplier differences, LongSupplier repairs) {
    total("naru.check.entries", "Entries of copies compared with the ledger.", entries);
    total("naru.check.differences", "Those that were not as in the ledger.", differences);
    total("naru.check.repairs", "Those that are by now.", repairs);
  }

  /**
   * Watches the logs of queues.
   *
   * @param changes how many the log has yet to get that is furthest behind
   * @param seconds for how long something has been waiting to be in a log
   */
  public void logs(LongSupplier changes, DoubleSupplier seconds) {
    Gauge.builder("naru.log.lag.changes", changes::getAsLong)
        .description(
            "Changes that are not in the log of their queue yet, of the one furthest behind.")
        .register(registry);
    Gauge.builder("naru.log.lag.seconds", seconds::getAsDouble)
        .description("How long the first event that is in no log yet has been waiting.")
        .register(registry);
  }

  /**
   * Watches events on their way to Kafka.
   *
   * @param changes how many are not there, of the queue that is furthest behind
   * @param seconds for how long an event has been waiting
   */
  public void relay(
      LongSupplier changes,
      DoubleSupplier seconds,
      LongSupplier sent,
      LongSupplier gaps,
      LongSupplier failures) {
    Gauge.builder("naru.kafka.lag.changes", changes::getAsLong)
        .description("Changes that are not in Kafka yet, of the queue furthest behind.")
        .register(registry);
    Gauge.builder("naru.kafka.lag.seconds", seconds::getAsDouble)
        .description("How long the first event that is not in Kafka yet has been waiting.")
        .register(registry);
    total("naru.kafka.events", "Events that this server brought to Kafka.", sent);
    total("naru.kafka.gaps", "How often events were gone before Kafka had them.", gaps);
    total("naru.kafka.failures", "How often bringing events to Kafka failed.", failures);
  }

  /** Watches commands that come out of Kafka. */
  public void commands(LongSupplier applied, LongSupplier rejected, LongSupplier failures) {
    total("naru.kafka.commands", "Commands out of Kafka that were carried out.", applied);
    total(
        "naru.kafka.commands.rejected",
        "Commands out of Kafka that cannot be carried out and were set aside.",
        rejected);
    total("naru.kafka.commands.failures", "How often taking commands failed.", failures);
  }

  /**
   * Watches webhooks.
   *
   * @param pending how many deliveries are on their way
   * @param seconds for how long the first of them has been
   * @param gaps how often events were gone before anybody made deliveries of them
   */
  public void webhooks(LongSupplier pending, DoubleSupplier seconds, LongSupplier gaps) {
    Gauge.builder("naru.webhook.pending", pending::getAsLong)
        .description("Deliveries to webhooks that are on their way.")
        .register(registry);
    Gauge.builder("naru.webhook.oldest.seconds", seconds::getAsDouble)
        .description("How long the first of them has been.")
        .register(registry);
    total("naru.webhook.gaps", "Times that events were gone before webhooks had them.", gaps);
  }

  /**
   * @param result what came of them, in a word
   * @param count of tries to deliver something, on this server
   */
  public void webhookTries(String result, LongSupplier count) {
    totals.add(count);
    FunctionCounter.builder("naru.webhook.tries", count, LongSupplier::getAsLong)
        .description("Tries to deliver something to a webhook, on this server.")
        .tag("result", result)
        .register(registry);
  }

  private void total(String name, String description, LongSupplier value) {
    // The registry itself would let go of it.
    totals.add(value);
    FunctionCounter.builder(name, value, LongSupplier::getAsLong)
        .description(description)
        .register(registry);
  }

  private void gauge(String name, String description, IntSupplier value) {
    Gauge.builder(name, value::getAsInt).description(description).register(registry);
  }

  /** Watches the disk that this folder is on. */
  public void disk(Path data) {
    Gauge.builder("naru.data.free", () -> space(data, FileStore::getUsableSpace))
        .description("What is left of the disk of the data directory.")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("naru.data.size", () -> space(data, FileStore::getTotalSpace))
        .description("The disk of the data directory.")
        .baseUnit("bytes")
        .register(registry);
  }

  /** What is told of a disk. */
  private interface Space {
    long of(FileStore store) throws IOException;
  }

  private static double space(Path data, Space space) {
    try {
      return space.of(Files.getFileStore(data));
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  /** Watches the open streams. */
  public void streams(Streams streams) {
    Gauge.builder("naru.streams", streams, Streams::open)
        .description("Open streams.")
        .register(registry);
    StreamCounts counts = streams.counts();
    FunctionCounter.builder("naru.stream.messages", counts, StreamCounts::sent)
        .description("Messages sent over streams.")
        .register(registry);
    FunctionCounter.builder("naru.streams.asked", counts, StreamCounts::asked)
        .description("Streams that somebody with a place asked for.")
        .register(registry);
    FunctionCounter.builder("naru.streams.refused", counts, StreamCounts::refused)
        .description("Streams refused because too many were open.")
        .register(registry);
    failedStreams("full", counts, StreamCounts::refused);
    failedStreams("unavailable", counts, StreamCounts::unavailables);
    failedStreams("slow", counts, StreamCounts::cutOffs);
  }

  private void failedStreams(
      String reason, StreamCounts counts, ToDoubleFunction<StreamCounts> value) {
    FunctionCounter.builder("naru.streams.failed", counts, value)
        .description("Streams that could not be opened, or were cut off.")
        .tag("reason", reason)
        .register(registry);
  }

  /**
   * Sees the calls to a store.
   *
   * @param store {@code redis} or {@code ledger}
   */
  public BatchObserver of(String store) {
    Map<String, BatchMeters> batches = new ConcurrentHashMap<>();
    return (operation, size, nanos, failure) -> {
      BatchMeters meters = batches.computeIfAbsent(operation, name -> newBatchMeters(store, name));
      meters.latency.record(nanos, TimeUnit.NANOSECONDS);
      meters.size.record(size);
      if (failure != null) {
        meters.failures.increment();
      }
    };
  }

  private BatchMeters newBatchMeters(String store, String operation) {
    return new BatchMeters(
        Timer.builder("naru." + store)
            .description("From asking the store to its answer.")
            .tag("operation", operation)
            .serviceLevelObjectives(
                Duration.ofMillis(1),
                Duration.ofMillis(5),
                Duration.ofMillis(20),
                Duration.ofMillis(100),
                Duration.ofMillis(500))
            .register(registry),
        DistributionSummary.builder("naru.batch.size")
            .description("How many requests one call to a store answered.")
            .tag("operation", operation)
            .serviceLevelObjectives(1, 4, 16, 64, 256, 512)
            .register(registry),
        Counter.builder("naru.store.failures")
            .description("Calls to a store that failed.")
            .tag("store", store)
            .tag("operation", operation)
            .register(registry));
  }

  String scrape() {
    return registry.scrape();
  }
}
