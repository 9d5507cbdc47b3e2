package io.naru.webhook;

import io.naru.queue.InvalidValue;
import java.util.Arrays;
import java.util.Locale;

/**
 * A message on its way to one webhook. All times are microseconds, see {@link
 * io.naru.queue.Micros}; 0 means never.
 *
 * @param number later ones have higher ones
 * @param webhook the id of whom it is for
 * @param createdAt when it was written down
 * @param tries how many there were since it was written down, or replayed
 * @param dueAt when it is tried next, or would have been
 * @param triedAt when it was last tried
 * @param status what was last answered; 0 if nothing was
 * @param error why it has not arrived, in a few words; empty if it has, or nobody tried
 */
public record Delivery(
    long number,
    String webhook,
    Message message,
    State state,
    long createdAt,
    int tries,
    long dueAt,
    long triedAt,
    int status,
    String error) {

  /** How far a delivery is. */
  public enum State {
    /** It is tried, or will be. */
    PENDING,
    /** It was tried often enough. */
    FAILED,
    /** It arrived. */
    DONE;

    public static final String ALLOWED = "pending, failed or done";

    /** As people and JSON say it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * @throws InvalidValue if that is none
     */
    public static State of(String word) {
      return Arrays.stream(values())
          .filter(state -> state.word().equals(word))
          .findFirst()
          .orElseThrow(() -> new InvalidValue("state", ALLOWED, "is not a state"));
    }
  }
}
