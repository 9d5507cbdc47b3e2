package io.naru.pass;

/** The way out of verification, at the first thing that is not as it must be. */
final class Refusal extends Exception {

  private final Reason reason;

  Refusal(Reason reason) {
    // Without a trace: floods of bad tokens must stay cheap.
    super(reason.text(), null, false, false);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}
