package io.naru.audit;

import io.naru.queue.Actor;
import io.naru.queue.QueueId;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that an operator did, or may not do and tried. It names no visitor, who may want to be
 * forgotten before it is.
 *
 * @param queue null if it was about none
 * @param before what it changed, as it was: values by name, as JSON has them
 * @param after the same as it is now, and what is new
 */
public record Act(
    Actor by,
    Kind kind,
    @Nullable QueueId queue,
    Map<String, ? extends @Nullable Object> before,
    Map<String, ? extends @Nullable Object> after) {

  /** What was done. */
  public enum Kind {
    CREATE,
    EDIT,
    ACTIVATE,
    DEACTIVATE,
    PAUSE,
    RESUME,
    CLOSE,
    OPEN,
    END,
    PROCESS,
    DELETE,
    /** A person was taken out of the line. */
    REMOVE,
    /** A person was moved to another lane. */
    MOVE,
    /** The coin of a draw was brought by hand. */
    DRAW,
    /** Codes for a lane were made. */
    MAKE_CODES,
    /** A person's name was forgotten. */
    ERASE,
    REVOKE_PASS,
    /** The next key signs passes. */
    ROTATE_KEY,
    /** What a key signed counts no more. */
    REVOKE_KEY,
    ACCESS_ADD,
    ACCESS_REVOKE,
    WEBHOOK_ADD,
    WEBHOOK_EDIT,
    /** A webhook has a new secret; those before it sign beside it for a while. */
    WEBHOOK_ROTATE,
    WEBHOOK_DELETE,
    /** Nothing is sent to a webhook any more, since its receiver said that it is gone. */
    WEBHOOK_END,
    /** Something was sent to a webhook to see whether it arrives. */
    WEBHOOK_TEST,
    /** Something was sent to a webhook once more. */
    WEBHOOK_REPLAY,
    /** The copy of a line was compared with the ledger. */
    CHECK,
    /** The queue was read with all who are in it, to be kept or moved elsewhere. */
    EXPORT,
    /** The queue came from elsewhere, with all who were in it. */
    IMPORT,
    /** Somebody with a key tried what it does not allow. */
    REFUSED;

    /** As people and JSON say it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The inverse of {@link #word()}. */
    public static Kind of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
  }

  public boolean isDone() {
    return kind != Kind.REFUSED;
  }
}
