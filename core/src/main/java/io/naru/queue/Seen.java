package io.naru.queue;

import java.util.Set;

/**
 * What a server is answered that says whom it has seen.
 *
 * @param matters whether the queue goes by who is there; if not, it need not be told
 * @param back which of those seen were passed over, by when they joined: they are next
 */
public record Seen(boolean matters, Set<Long> back) {

  public static final Seen IN_VAIN = new Seen(false, Set.of());
}
