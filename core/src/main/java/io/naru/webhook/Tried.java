package io.naru.webhook;

import io.naru.webhook.Delivery.State;

/**
 * What came of a try.
 *
 * @param state of the delivery then
 * @param status what was answered; 0 if nothing was
 * @param error in a few words; empty if it arrived
 * @param againMicros if it is pending: after how long it is tried again
 * @param restMicros for how long nothing else is sent there either
 */
public record Tried(State state, int status, String error, long againMicros, long restMicros) {

  /** More than that nobody reads. */
  public static final int MAX_ERROR = 200;

  public Tried {
    error = error.length() > MAX_ERROR ? error.substring(0, MAX_ERROR) : error;
  }

  /** Until when nothing else is sent there; 0 if something may be. */
  public long restsUntil(long now) {
    return restMicros == 0 ? 0 : now + restMicros;
  }

  public static Tried done(int status) {
    return new Tried(State.DONE, status, "", 0, 0);
  }
}
