package io.naru.queue;

/** What came of ending an entry, by leaving or by completing. */
public enum Ended {
  /** It is ended, now or by an earlier call. */
  DONE,
  /** Only those inside can complete, and this entry is not: it waits, or its time ran out. */
  NOT_INSIDE,
  /** It is inside and stays there: in this queue only the site may complete. */
  SITE_ONLY,
  /** There is no such entry (any more). */
  UNKNOWN
}
