package io.naru.keys;

import io.naru.audit.Act;
import io.naru.queue.QueueUnavailable;
import org.jspecify.annotations.Nullable;

/**
 * One text that all servers share and any of them may replace, as one step: whoever was not the
 * first reads again. What is in it is the business of who signs. Calls block, and throw {@link
 * QueueUnavailable} when the store cannot answer.
 */
public interface KeyStore {

  /** What is kept; {@link Text#NONE} if nothing ever was. */
  Text read();

  /**
   * Keeps {@code next} if the version that was read is still the one kept.
   *
   * @param act what is done by that, to be kept in the same step where acts are; null for nothing
   * @return whether it was; if not, nothing has changed
   */
  boolean replace(Text read, Text next, @Nullable Act act);

  /** The same where no operator acts. */
  default boolean replace(Text read, Text next) {
    return replace(read, next, null);
  }

  /**
   * @param version counts up from 1; 0 if there is nothing
   */
  record Text(long version, String content) {

    public static final Text NONE = new Text(0, "");
  }
}
