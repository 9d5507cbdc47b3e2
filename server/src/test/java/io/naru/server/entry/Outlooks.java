package io.naru.server.entry;

import java.time.InstantSource;

/** Outlooks for tests in which nobody asks for them. */
public final class Outlooks {

  /** Everything works, and nobody knows how long it takes. */
  public static final Outlook CLEAR =
      new Outlook(
          new Pauses(_ -> false, InstantSource.system()),
          (_, _, _) -> null,
          InstantSource.system());

  private Outlooks() {}
}
