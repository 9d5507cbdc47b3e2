package io.naru.gate;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.INFO;

import io.naru.pass.Reason;
import io.naru.pass.Verification.Refused;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Says why passes are refused, since the answer does not. Each reason at most once a minute, so
 * that whoever sends rubbish cannot fill the log; all of them at DEBUG.
 */
final class RefusalLog {

  private static final System.Logger LOG = System.getLogger(Gate.class.getName());
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String queue;
  private final Map<Reason, AtomicLong> quietUntil = new EnumMap<>(Reason.class);

  RefusalLog(String queue) {
    this.queue = queue;
    long now = System.nanoTime();
    for (Reason reason : Reason.values()) {
      quietUntil.put(reason, new AtomicLong(now));
    }
  }

  void log(Refused refused) {
    boolean first = isFirst(refused.reason());
    // Only an id whose signature was good is repeated here: others could say anything.
    LOG.log(
        first ? INFO : DEBUG,
        "refused a pass for {0}: {1} (pass {2})",
        queue,
        refused.reason().text(),
        refused.passId() == null ? "unknown" : refused.passId());
  }

  private boolean isFirst(Reason reason) {
    AtomicLong quiet = Objects.requireNonNull(quietUntil.get(reason));
    long now = System.nanoTime();
    long until = quiet.get();
    return now - until >= 0 && quiet.compareAndSet(until, now + QUIET_NANOS);
  }
}
