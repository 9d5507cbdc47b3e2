package io.naru.history;

import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.Owed;

/**
 * One entry of a person, and what became of it.
 *
 * @param entry expired also if its time is up and nobody has noticed yet
 * @param ended when it was over; 0 while it is not
 * @param reason why, if somebody else ended it
 * @param absentSince of somebody who waits, when they were passed over and have not been seen
 *     since; else 0
 * @param owed what they still have to prove
 */
public record Past(Entry entry, long ended, EndReason reason, long absentSince, Owed owed) {}
