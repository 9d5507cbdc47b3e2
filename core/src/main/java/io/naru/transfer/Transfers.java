package io.naru.transfer;

import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Whole queues, out of a store and into another one. */
public interface Transfers {

  /** So many entries come with one step, at most. */
  int MAX_PART = 1_000;

  /** Whoever takes a queue out. May block; as long as it does, nothing more is read. */
  interface Taker {

    void queue(MovedQueue queue) throws Exception;

    void entries(List<MovedEntry> some) throws Exception;
  }

  /**
   * Reads a queue and all of its entries, in the order of {@link MovedEntry#ORDER}, as they stood
   * at one moment: whatever happens meanwhile waits for nobody, and none of it is among them. A
   * part has at most {@link #MAX_PART}.
   *
   * @return false if there is no such queue, or it is itself on its way here
   */
  CompletionStage<Boolean> read(QueueId queue, Taker taker);

  /**
   * Brings a queue here, in steps. Until the last one nobody can do anything in it or with it but
   * delete it; then it is there, closed and paused, or ended if it was.
   *
   * @throws InvalidValue (in the stage) if it cannot be; nothing is changed
   */
  CompletionStage<Restored> restore(QueueId queue, RestoreStep step, Actor by);
}
