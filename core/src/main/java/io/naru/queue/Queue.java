package io.naru.queue;

/**
 * A queue as its operator made it.
 *
 * @param version counts the changes of settings and state, so that two editors notice each other
 * @param createdAt in microseconds (see {@link Micros}), as the other times; 0 means never
 */
public record Queue(
    QueueId id,
    Settings settings,
    State state,
    long version,
    long createdAt,
    long activatedAt,
    long deactivatedAt) {}
