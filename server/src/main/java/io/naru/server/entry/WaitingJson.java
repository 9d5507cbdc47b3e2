package io.naru.server.entry;

import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.server.http.Ascii;
import java.util.function.BooleanSupplier;

/**
 * The JSON of somebody who waits. This is what nearly everybody is told nearly always, and only its
 * numbers change, so it is put together by hand; nothing in it needs escaping.
 */
public final class WaitingJson {

  private static final byte[] AHEAD = Ascii.text(",\"ahead\":");
  private static final byte[] WAITING = Ascii.text(",\"totalWaiting\":");
  private static final byte[] ESTIMATE = Ascii.text(",\"estimatedWaitSeconds\":");
  private static final byte[] END = Ascii.text("}");
  private static final byte[] PAUSED = Ascii.text(",\"paused\":true}");

  private final byte[] head;
  private final byte[] tail;
  private final BooleanSupplier isPaused;

  WaitingJson(EntryKey key, String token, BooleanSupplier isPaused) {
    this.isPaused = isPaused;
    head =
        Ascii.text(
            "{\"eventType\":\""
                + key.queue().type()
                + "\",\"eventId\":\""
                + key.queue().id()
                + "\",\"status\":\"WAITING\",\"entryToken\":\""
                + token
                + "\",\"position\":");
    tail = Ascii.text(",\"joinedAt\":\"" + Micros.iso(key.joined()) + "\",\"change\":");
  }

  /**
   * @param ahead 0 or more: nothing can be said of a place that is not known
   * @param line as it is now, or a little later than at {@code change}
   * @param change the change that the place belongs to
   */
  public Ascii addTo(Ascii out, long ahead, LineState line, long change) {
    if (ahead < 0) {
      throw new IllegalArgumentException("nobody has " + ahead + " ahead");
    }
    long position = ahead + 1;
    out.add(head).add(position).add(AHEAD).add(ahead);
    out.add(WAITING).add(Math.max(position, line.waiting()));
    boolean paused = line.state().admissionPaused() || isPaused.getAsBoolean();
    if (!paused) {
      out.add(ESTIMATE).add(line.settings().pacing().estimatedWaitSeconds(position));
    }
    return out.add(tail).add(change).add(paused ? PAUSED : END);
  }
}
