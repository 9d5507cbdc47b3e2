package io.naru.server.webhooks;

/**
 * What a receiver answered to a try.
 *
 * @param status 0 if nothing
 * @param error why that is no success, in a few words; empty if it is one
 * @param retryAfterSeconds how long it asks to be left alone; 0 if it does not
 */
record Answer(int status, String error, long retryAfterSeconds) {

  private static final int GONE = 410;

  static Answer none(String error) {
    return new Answer(0, error, 0);
  }

  boolean isDone() {
    return status >= 200 && status <= 299;
  }

  /** Nobody there wants to hear any more. */
  boolean isGone() {
    return status == GONE;
  }
}
