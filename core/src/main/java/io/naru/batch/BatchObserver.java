package io.naru.batch;

import org.jspecify.annotations.Nullable;

/** Sees every batch that has been answered, for metrics. */
@FunctionalInterface
public interface BatchObserver {

  BatchObserver NONE = (operation, size, nanos, failure) -> {};

  /**
   * @param operation what the batch did, one of a few constant names
   * @param failure why it failed, or null
   */
  void answered(String operation, int size, long nanos, @Nullable Throwable failure);
}
