package io.naru.load;

/** What is counted, second by second. */
public enum Count {
  /** Asked for a place for the first time. */
  ARRIVED,
  /** Got one; who waits again in front, after a failed payment, another one. */
  JOINED,
  /** Were told that it is their turn; each time. */
  TOLD,
  /** Had a payment that failed, and another try or a place in front. */
  RETURNED,
  COMPLETED,
  LEFT,
  /** Closed the page, and keep their place. */
  ASLEEP,
  /** Lost their place, as when it expired or the queue ended. */
  ENDED,
  /** Never got one. */
  TURNED_AWAY,
  /** Answers to plain requests. */
  ANSWERS,
  /** Messages on streams. */
  MESSAGES,
  ERRORS
}
