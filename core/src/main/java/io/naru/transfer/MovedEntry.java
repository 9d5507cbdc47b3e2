package io.naru.transfer;

import io.naru.line.Score;
import io.naru.queue.EndReason;
import io.naru.queue.Entry.Status;
import io.naru.queue.InvalidValue;
import io.naru.queue.Owed;
import io.naru.queue.UserId;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry as it is moved to another ledger: all that is known of it, but not when its visitor was
 * last seen.
 *
 * @param until when the time of one inside ends; it goes on while it is moved
 * @param redeemedBy a hash of the session that it belongs to; empty if to none
 */
public record MovedEntry(
    String user,
    long joined,
    long score,
    long ticket,
    Status status,
    long entered,
    long until,
    long ended,
    String redeemedBy,
    EndReason reason,
    Owed owed) {

  private static final Pattern SESSION = Pattern.compile("[!-~]{0,64}");

  /**
   * As they are moved: first those who do not wait, by when they joined, then those who do, as they
   * stand. So nobody whose place is known already gets somebody before them.
   */
  public static final Comparator<MovedEntry> ORDER =
      Comparator.comparing(MovedEntry::isWaiting).thenComparingLong(MovedEntry::key);

  public MovedEntry {
    if (!UserId.isValid(user)) {
      throw new InvalidValue("user", UserId.ALLOWED, "is not");
    }
    if (joined < 1 || joined >= Score.BAND_MICROS) {
      throw new InvalidValue("joined", "1.." + (Score.BAND_MICROS - 1), "is " + joined);
    }
    if (status == Status.ENTERED && (entered == 0 || until == 0)) {
      throw new InvalidValue("until", "the end of a time inside", "is missing");
    }
    if (!SESSION.matcher(redeemedBy).matches()) {
      throw new InvalidValue("redeemedBy", "at most 64 plain characters", "is not");
    }
  }

  public boolean isWaiting() {
    return status == Status.WAITING;
  }

  public boolean isLive() {
    return isWaiting() || status == Status.ENTERED;
  }

  /** Whether it waits for a place. */
  public boolean isUnsettled() {
    return isWaiting() && Score.isUnsettled(Score.lane(score));
  }

  /** By what it is ordered among those of its kind. */
  private long key() {
    return isWaiting() ? score : joined;
  }

  public Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("user", user);
    map.put("joined", joined);
    map.put("score", score);
    map.put("ticket", ticket);
    map.put("status", status.name());
    map.put("entered", entered);
    map.put("until", until);
    map.put("ended", ended);
    map.put("redeemedBy", redeemedBy);
    map.put("reason", reason.name());
    map.put("owed", owed.name());
    return map;
  }

  /**
   * The inverse of {@link #asMap}.
   *
   * @throws InvalidValue if there cannot be such an entry
   */
  public static MovedEntry of(Map<String, ? extends @Nullable Object> map) {
    var given = new Given(map);
    return new MovedEntry(
        given.text("user", UserId.MAX_LENGTH),
        given.number("joined"),
        given.score("score"),
        given.number("ticket"),
        given.one("status", Status.class),
        given.number("entered"),
        given.number("until"),
        given.number("ended"),
        given.text("redeemedBy", 64),
        given.one("reason", EndReason.class),
        given.one("owed", Owed.class));
  }
}
