package io.naru.gate;

import io.naru.pass.Verification;
import java.time.Duration;

/**
 * Is told of everything a gate has judged, for measuring: each call of {@link Gate#check}, and each
 * protected request once. Runs on the thread of the request, so it must be quick.
 */
@FunctionalInterface
public interface GateListener {

  GateListener NONE = (verification, took) -> {};

  /**
   * @param took the whole time that the request was held up by the gate
   */
  void judged(Verification verification, Duration took);

  /**
   * Naru was told how the application is served, or could not be; only with a {@code signalKey}.
   * Runs on a thread of the gate's own.
   */
  default void signalled(boolean isHeard) {}
}
