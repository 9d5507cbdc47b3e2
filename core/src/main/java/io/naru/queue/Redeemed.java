package io.naru.queue;

/** What came of binding an entry to a session. */
public enum Redeemed {
  /** It belongs to this session, from now on or since an earlier call. */
  DONE,
  /** It belongs to another one. */
  OTHER_SESSION,
  /** Only those inside can be bound: this one waits, is done, or its time ran out. */
  NOT_INSIDE,
  /** There is no such entry (any more). */
  UNKNOWN
}
