package io.naru.gate;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.INFO;

import io.naru.pass.Reason;
import io.naru.pass.Verification.Refused;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Says why passes are refused, since the answer does not. Each reason at most once a minute, so
 * that whoever sends rubbish cannot fill the log; all of them at DEBUG.
 */
final class RefusalLog {

  private static final System.Logger LOG = System.getLogger(Gate.class.getName());
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String queue;
  private final AtomicLongArray quietUntil = new AtomicLongArray(Reason.values().length);

  RefusalLog(String queue) {
    this.queue = queue;
    long now = System.nanoTime();
    for (int i = 0; i < quietUntil.length(); i++) {
      quietUntil.set(i, now);
    }
  }

  void log(Refused refused) {
    long now = System.nanoTime();
    int reason = refused.reason().ordinal();
    long until = quietUntil.get(reason);
    boolean first = now - until >= 0 && quietUntil.compareAndSet(reason, until, now + QUIET_NANOS);
    // Only an id whose signature was good is repeated here: others could say anything.
    LOG.log(
        first ? INFO : DEBUG,
        "refused a pass for {0}: {1} (pass {2})",
        queue,
        refused.reason().text(),
        refused.passId() == null ? "unknown" : refused.passId());
  }
}
