package io.naru.server.entry;

import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import org.jspecify.annotations.Nullable;

/** What this server knows of draws beyond what travels with every place. */
public interface Drawn {

  /** Where nothing is drawn. */
  Drawn NONE =
      new Drawn() {
        @Override
        public long ahead(EntryKey key, int lane, LineState line) {
          return UNKNOWN;
        }

        @Override
        public @Nullable Facts facts(QueueId queue) {
          return null;
        }
      };

  /** Nobody can say yet. */
  long UNKNOWN = -1;

  /**
   * The same for everybody in the queue.
   *
   * @param people how many are drawn
   * @param round of the public coin that is waited for; 0 if none is
   * @param coinAt when there will be one, in microseconds; 0 if none is waited for
   */
  record Facts(long people, long round, long coinAt) {}

  /**
   * How many are before somebody who was drawn and does not stand in line yet; {@link #UNKNOWN} as
   * long as the order is not known here. It never rises.
   *
   * @param lane in which they will stand
   */
  long ahead(EntryKey key, int lane, LineState line);

  /** Null before the list is closed, and where nobody has looked yet. */
  @Nullable Facts facts(QueueId queue);
}
