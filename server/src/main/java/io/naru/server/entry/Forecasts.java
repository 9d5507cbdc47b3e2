package io.naru.server.entry;

import io.naru.admission.Estimate;
import io.naru.admission.Evened;
import io.naru.admission.Observed;
import io.naru.admission.Pacing;
import io.naru.queue.Figures;
import io.naru.queue.LineState;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Settings;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the figures of those queues that somebody is told a wait of, so that it can be told from
 * what really happens. They are read together, on a beat: what this costs does not depend on how
 * many wait or ask, and a queue that nobody asks about costs nothing.
 */
public final class Forecasts implements Outlook.Forecast {

  /** How often to look. */
  public static final long BEAT_MILLIS = 2_000;

  /** Of more queues than that at a time, no wait is told. */
  private static final int MAX_QUEUES = 512;

  /** For so long after somebody asked, a queue is watched. */
  private static final long ASKED_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final Logger log = LoggerFactory.getLogger(Forecasts.class);

  private final Queues queues;
  private final Pauses pauses;
  private final LongSupplier nanoTime;
  private final Map<QueueId, Watched> watched = new ConcurrentHashMap<>();
  private final AtomicBoolean isReading = new AtomicBoolean();

  private static final class Watched {
    volatile long askedAt;
    volatile Observed seen = Observed.NOTHING;

    /** The rate that it has now; 0 as long as nobody has looked. */
    volatile double perSecond;

    /** The same without its ups and downs. */
    volatile Evened evened = Evened.NOTHING;

    private @Nullable Look last;

    Watched(long now) {
      askedAt = now;
    }

    /** Where the rate follows something, as it is now. */
    Pacing pacing(Settings settings) {
      return at(perSecond, settings);
    }

    /** Where it does, as it is for a while. */
    Pacing usual(Settings settings) {
      return at(evened.perSecond(), settings);
    }

    private static Pacing at(double perSecond, Settings settings) {
      return perSecond == 0 || settings.pace().adaptive().isEmpty()
          ? settings.pacing()
          : settings.pacing().atRate(perSecond);
    }

    /** Only whoever reads calls this, one at a time. */
    void look(Look now, int capacity) {
      Look before = last;
      last = now;
      perSecond = now.perSecond;
      evened = evened.next(perSecond, before == null ? 0 : (now.at - before.at) / 1e9);
      if (before == null) {
        seen = Observed.first(now.count);
      } else if (before.isInterrupted || now.isInterrupted) {
        seen = seen.interrupted(now.count);
      } else {
        seen = seen.next(before.count, now.count, (now.at - before.at) / 1e9, capacity);
      }
    }
  }

  private record Look(Observed.Count count, double perSecond, boolean isInterrupted, long at) {}

  public Forecasts(Queues queues, Pauses pauses, LongSupplier nanoTime) {
    this.queues = queues;
    this.pauses = pauses;
    this.nanoTime = nanoTime;
  }

  @Override
  public @Nullable Estimate of(QueueId queue, long ahead, LineState line) {
    Watched known = watched.get(queue);
    if (known == null) {
      if (watched.size() < MAX_QUEUES) {
        watched.putIfAbsent(queue, new Watched(nanoTime.getAsLong()));
      }
      return null;
    }
    known.askedAt = nanoTime.getAsLong();
    Settings settings = line.settings();
    var bounds =
        new Estimate.Bounds(
            known.usual(settings),
            settings.mostInside(line.units()),
            settings.stay().passTtlSeconds());
    return Estimate.of(ahead, bounds, known.seen);
  }

  @Override
  public Pacing pacing(QueueId queue, LineState line) {
    Settings settings = line.settings();
    if (settings.pace().adaptive().isEmpty()) {
      return settings.pacing();
    }
    Watched known = watched.get(queue);
    return known == null ? settings.pacing() : known.pacing(settings);
  }

  /** Looks at those that were asked about. */
  public void beat() {
    long since = nanoTime.getAsLong() - ASKED_NANOS;
    watched.values().removeIf(queue -> queue.askedAt - since < 0);
    Set<QueueId> asked = Set.copyOf(watched.keySet());
    if (asked.isEmpty() || !isReading.compareAndSet(false, true)) {
      return;
    }
    queues
        .findAll(asked)
        .whenComplete(
            (found, failure) -> {
              try {
                if (failure == null) {
                  seen(asked, found);
                } else {
                  log.debug("the figures of {} queues cannot be read", asked.size(), failure);
                }
              } finally {
                isReading.set(false);
              }
            });
  }

  private void seen(Set<QueueId> asked, List<Overview> found) {
    Set<QueueId> gone = new HashSet<>(asked);
    for (Overview overview : found) {
      QueueId queue = overview.queue().id();
      gone.remove(queue);
      Watched known = watched.get(queue);
      if (known != null) {
        Figures figures = overview.figures();
        var count =
            new Observed.Count(
                figures.waiting(), figures.inside(), figures.joined(), figures.entered());
        // A time in which nobody is let in, whatever the reason, says nothing.
        boolean isStill = pauses.by(queue, overview.line()) != null;
        known.look(
            new Look(count, overview.rate().perSecond(), isStill, nanoTime.getAsLong()),
            overview.queue().settings().mostInside(overview.queue().units()));
      }
    }
    watched.keySet().removeAll(gone);
  }
}
