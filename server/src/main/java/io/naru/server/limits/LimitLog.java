package io.naru.server.limits;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what is refused for being too much, without becoming too much itself: the first of a minute
 * at once, the others of that minute in one line at its end.
 */
final class LimitLog {

  private static final Logger log = LoggerFactory.getLogger(LimitLog.class);
  private static final int MAX_ADDRESSES = 1_000;

  private final String what;
  private final Set<String> addresses = new HashSet<>();
  private long more;
  private boolean hasSpoken;

  /**
   * @param what happened, as in "wrong admin keys"
   */
  LimitLog(String what) {
    this.what = what;
  }

  synchronized void note(String address) {
    if (!hasSpoken) {
      hasSpoken = true;
      log.warn("{} from {}", what, address);
      return;
    }
    more++;
    if (addresses.size() < MAX_ADDRESSES) {
      addresses.add(address);
    }
  }

  /** A minute is over. */
  synchronized void minute() {
    if (more > 0) {
      log.warn(
          "{}: {} more within a minute, from {}{}",
          what,
          more,
          addresses.size() == 1 ? addresses.iterator().next() : addresses.size() + " addresses",
          addresses.size() == MAX_ADDRESSES ? " or more" : "");
    }
    more = 0;
    addresses.clear();
    hasSpoken = false;
  }
}
