package io.naru.line;

import io.naru.queue.Entry;

/**
 * A turn that was over before its pass was: somebody left, completed, or was put out. Whoever keeps
 * the door must know, since the pass still looks good.
 *
 * @param entry as it was admitted; its pass says no more than that
 * @param change with which it was over
 */
public record OverTurn(Entry entry, long change) {}
