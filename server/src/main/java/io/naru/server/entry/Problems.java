package io.naru.server.entry;

import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.server.http.Problem;

/** What visitors can be told, with the codes of the contract. */
public final class Problems {

  public static final Problem QUEUE_NOT_FOUND =
      Problem.of(404, "S801", "QUEUE_NOT_FOUND", "there is no such queue");
  static final Problem ALREADY_ENTERED =
      Problem.of(
          409, "S802", "QUEUE_ALREADY_ENTERED", "you have a place already; see entry, it is kept");
  public static final Problem ENTRY_NOT_FOUND =
      Problem.of(404, "S803", "QUEUE_ENTRY_NOT_FOUND", "no place is known here; enter to get one");
  private static final Problem HANDED_OFF =
      Problem.of(
          404,
          "S803",
          "QUEUE_ENTRY_NOT_FOUND",
          "this place was taken along to another device, and goes on there");
  private static final Problem TOKEN_EXPIRED =
      Problem.of(
          410,
          "S804",
          "QUEUE_TOKEN_EXPIRED",
          "your turn came and passed; enter to get a new place");
  private static final Problem ABSENT =
      Problem.of(
          410,
          "S804",
          "QUEUE_TOKEN_EXPIRED",
          "you were not there when your turn came, and not in time after it; enter to get a new"
              + " place");
  private static final Problem UNPROVEN =
      Problem.of(
          410,
          "S804",
          "QUEUE_TOKEN_EXPIRED",
          "your turn came without the proof that this queue asks for, and it did not come in time;"
              + " enter to get a new place");
  private static final Problem RETURNED =
      Problem.of(
          410,
          "S804",
          "QUEUE_TOKEN_EXPIRED",
          "you came back from this turn; enter to get the place before everybody that you have"
              + " since");
  private static final Problem ENDED =
      Problem.of(410, "S804", "QUEUE_TOKEN_EXPIRED", "this queue has ended");
  public static final Problem NOT_ALLOWED =
      Problem.of(403, "S805", "QUEUE_NOT_ALLOWED", "this queue is not open");
  static final Problem NOT_YET =
      Problem.of(403, "S805", "QUEUE_NOT_ALLOWED", "this queue is not open yet; see opensAt");
  public static final Problem ONCE_ONLY =
      Problem.of(
          403,
          "S805",
          "QUEUE_NOT_ALLOWED",
          "you have been in and have completed; this queue lets everybody in only once");
  static final Problem ENTRY_REQUIRED =
      Problem.of(403, "S806", "QUEUE_ENTRY_REQUIRED", "only those whose turn it is can do this");
  static final Problem SITE_ONLY =
      Problem.of(
          403,
          "site-only",
          "Only the site",
          "in this queue only the site says who is done; leave gives the place up");
  static final Problem LINE_FULL =
      Problem.of(
          409, "line-full", "Line full", "the line is full; you are not in line, try again later");
  public static final Problem CODE_INVALID =
      Problem.of(
          403,
          "code-invalid",
          "Code invalid",
          "this code is none of this queue, or was used; a place that you have is kept");
  public static final Problem TOO_OFTEN =
      Problem.of(
          429,
          "too-many-enters",
          "Too many enters",
          "too many new places within a minute; wait a little");

  private Problems() {}

  /**
   * @param most how often somebody may come back
   */
  static Problem noMoreReturns(int most) {
    return Problem.of(
        409,
        "no-more-returns",
        "No more returns",
        "you may come back %s times here; your turn goes on".formatted(most));
  }

  /** Whether there is nothing more to follow, though the entry is known. */
  public static boolean isOver(Entry entry) {
    return entry.status() == Status.EXPIRED || entry.status() == Status.LEFT;
  }

  /** About an entry that has expired, or was taken along. */
  public static Problem over(Entry entry) {
    if (entry.isHandedOff()) {
      return HANDED_OFF;
    }
    if (entry.isAbsent()) {
      return ABSENT;
    }
    if (entry.isUnproven()) {
      return UNPROVEN;
    }
    if (entry.isReturned()) {
      return RETURNED;
    }
    return entry.isEndedWithQueue() ? ENDED : TOKEN_EXPIRED;
  }
}
