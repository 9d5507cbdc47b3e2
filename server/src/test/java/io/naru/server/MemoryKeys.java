package io.naru.server;

import io.naru.audit.Act;
import io.naru.keys.KeyStore;
import io.naru.queue.QueueUnavailable;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A store of keys for tests of what stands on one. */
public final class MemoryKeys implements KeyStore {

  private Text kept = Text.NONE;

  /** Of what comes next, whether it is done though nobody says so. */
  private final Deque<Boolean> unanswered = new ArrayDeque<>();

  @Override
  public synchronized Text read() {
    return kept;
  }

  @Override
  public synchronized boolean replace(Text read, Text next, @Nullable Act act) {
    Boolean isLost = unanswered.poll();
    boolean isReplaced = kept.version() == read.version() && !Boolean.FALSE.equals(isLost);
    kept = isReplaced ? next : kept;
    if (isLost != null) {
      throw new QueueUnavailable(QueueUnavailable.Kind.DISCONNECTED, "lost");
    }
    return isReplaced;
  }

  /**
   * Who replaces next gets no answer.
   *
   * @param isDone whether only that is lost
   */
  public synchronized void loseAnswer(boolean isDone) {
    unanswered.add(isDone);
  }

  /** As a store that was emptied. */
  public synchronized void forget() {
    kept = Text.NONE;
  }
}
