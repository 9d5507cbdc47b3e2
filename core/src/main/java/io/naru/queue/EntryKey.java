package io.naru.queue;

/**
 * Names one entry. The user alone would not do: a late command for an old entry must not hit the
 * next entry of the same person.
 *
 * @param joined when this entry joined, in microseconds; unique within its queue
 */
public record EntryKey(QueueId queue, String user, long joined) {}
