package io.naru.queue;

/**
 * A queue as its operator made it.
 *
 * @param version counts the changes of settings and activity, so that two editors notice each other
 * @param createdAt in microseconds (see {@link Micros}), as the other times; 0 means never
 */
public record Queue(
    QueueId id,
    Settings settings,
    boolean active,
    long version,
    long createdAt,
    long activatedAt,
    long deactivatedAt) {}
