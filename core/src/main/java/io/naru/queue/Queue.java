package io.naru.queue;

import org.jspecify.annotations.Nullable;

/**
 * A queue as its operator made it.
 *
 * @param version counts the changes of settings and state, so that two editors notice each other
 * @param createdAt in microseconds (see {@link Micros}), as the other times; 0 means never
 * @param stock what the site said last of its stock; null if nothing, or if that does not matter
 * @param drawing how far its draw is
 */
public record Queue(
    QueueId id,
    Settings settings,
    State state,
    long version,
    long createdAt,
    long activatedAt,
    long deactivatedAt,
    @Nullable Stocked stock,
    Drawing drawing) {

  public Queue(
      QueueId id,
      Settings settings,
      State state,
      long version,
      long createdAt,
      long activatedAt,
      long deactivatedAt) {
    this(id, settings, state, version, createdAt, activatedAt, deactivatedAt, null, Drawing.NONE);
  }

  public Units units() {
    return stock == null ? Units.NONE : stock.units();
  }
}
