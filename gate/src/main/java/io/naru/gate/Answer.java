package io.naru.gate;

/** What Naru said to a call with a pass. Only {@link #DONE} is a yes. */
public enum Answer {
  /** It is so now; asking again changes nothing. */
  DONE,

  /** The pass does not count, or not for this. */
  REFUSED,

  /** Naru could not be asked, or could not decide: for completing try again, let nobody in. */
  UNREACHABLE
}
