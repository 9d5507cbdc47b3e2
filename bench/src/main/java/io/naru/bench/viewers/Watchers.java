package io.naru.bench.viewers;

/** People whose streams are open. */
public interface Watchers extends AutoCloseable {

  /** Waits until each of them has been shown something, or has failed to. */
  void settle();

  /** What they have been shown so far. */
  Seen seen();

  /** Everybody goes away. */
  @Override
  void close();
}
