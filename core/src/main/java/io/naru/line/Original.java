package io.naru.line;

import io.naru.queue.QueueId;

/**
 * What a copy is a copy of.
 *
 * @param ledger names the ledger and the queue in it; a queue that was deleted and made anew is
 *     another one
 */
public record Original(QueueId queue, String ledger) {}
