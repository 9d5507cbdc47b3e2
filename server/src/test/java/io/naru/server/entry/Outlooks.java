package io.naru.server.entry;

import io.naru.server.presence.Lookout;
import java.time.InstantSource;

/** Outlooks for tests in which nobody asks for them. */
public final class Outlooks {

  /** Everything works, and nobody knows how long it takes. */
  public static final Outlook CLEAR = with(Lookout.NONE);

  private Outlooks() {}

  /** The same, where it matters who is there. */
  public static Outlook with(Lookout lookout) {
    return new Outlook(
        new Pauses(_ -> false, InstantSource.system()),
        (_, _, _) -> null,
        lookout,
        InstantSource.system());
  }
}
