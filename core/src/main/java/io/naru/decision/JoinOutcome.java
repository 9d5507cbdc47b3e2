package io.naru.decision;

import io.naru.queue.EntryKey;
import io.naru.queue.Joined;

/** What is decided about a join. */
public sealed interface JoinOutcome {

  /** There is nothing more to say. */
  record Final(Joined joined) implements JoinOutcome {}

  /** This entry was in line already: how many are ahead of it, the line says. */
  record InLine(EntryKey entry) implements JoinOutcome {}
}
