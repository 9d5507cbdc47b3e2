package io.naru.audit;

/**
 * An act as it is kept.
 *
 * @param id later acts have higher ones
 * @param at in microseconds, see {@link io.naru.queue.Micros}
 */
public record AuditRow(long id, long at, Act act) {}
