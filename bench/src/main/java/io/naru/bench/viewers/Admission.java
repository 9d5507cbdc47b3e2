package io.naru.bench.viewers;

/**
 * People let in by hand.
 *
 * @param sentAt when the operator's call was sent, by {@link System#nanoTime}
 */
public record Admission(long sentAt, int count) {}
