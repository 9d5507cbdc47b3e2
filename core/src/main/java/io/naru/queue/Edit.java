package io.naru.queue;

import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An operator's change of a queue.
 *
 * @param changes settings by name; those left out keep their value
 * @param activity what happens to {@code isActive}
 * @param create whether a queue that does not exist is made
 * @param ifVersion the version that the operator had seen, if that matters
 */
public record Edit(
    Map<String, ? extends @Nullable Object> changes,
    Activity activity,
    boolean create,
    OptionalLong ifVersion) {

  /** Whether a queue is opened, closed or left as it is. */
  public enum Activity {
    KEEP,
    ACTIVATE,
    DEACTIVATE
  }

  /** Whether a queue that does not exist is to be made. */
  public boolean makesQueue() {
    return create && ifVersion.isEmpty();
  }

  /** The same for a queue that is there: none is made. */
  public Edit ofExisting() {
    return new Edit(changes, activity, false, ifVersion);
  }

  /** Whether a new queue could have these settings. */
  public boolean isPossible() {
    try {
      Settings.DEFAULT.with(changes);
      return true;
    } catch (InvalidValue e) {
      return false;
    }
  }

  public static Edit activate(Map<String, ? extends @Nullable Object> changes) {
    return new Edit(changes, Activity.ACTIVATE, true, OptionalLong.empty());
  }

  public static Edit deactivate() {
    return new Edit(Map.of(), Activity.DEACTIVATE, false, OptionalLong.empty());
  }

  public static Edit put(Map<String, ? extends @Nullable Object> changes, OptionalLong ifVersion) {
    return new Edit(changes, Activity.KEEP, ifVersion.isEmpty(), ifVersion);
  }
}
