package io.naru.e2e.crash;

/** A planned fault has not really happened, so the run proves nothing. */
final class InvalidRun extends AssertionError {

  InvalidRun(String what) {
    super("invalid run: " + what);
  }

  static void unless(boolean happened, String what) {
    if (!happened) {
      throw new InvalidRun(what);
    }
  }
}
