package io.naru.queue;

/** What came of asking for a place. */
public sealed interface Joined {

  /** A new place, at the end of the line. */
  record Waiting(Place place) implements Joined {}

  /** The place that the user has already, waiting or inside. */
  record AlreadyIn(Place place) implements Joined {}

  /**
   * No place: the user was inside and has completed, and the queue lets nobody in twice.
   *
   * @param place the entry that was completed
   */
  record Over(Place place) implements Joined {}

  /**
   * No place yet: nobody may enter before a time that is set.
   *
   * @param opensAt in microseconds
   */
  record NotYet(long opensAt) implements Joined {}

  /**
   * No place.
   *
   * @param retryAfterSeconds when asking again makes sense; 0 if time alone does not help
   */
  record Refused(Reason reason, long retryAfterSeconds) implements Joined {}

  /** Why nobody, or not this user, can join now. */
  enum Reason {
    NO_QUEUE,
    NOT_ACTIVE,
    LINE_FULL,
    TOO_OFTEN,
    /** The code that was shown is none, is of another queue, or was used. */
    CODE_INVALID,
    /** Only those get a place whom the site names. */
    SIGNED_ONLY
  }
}
