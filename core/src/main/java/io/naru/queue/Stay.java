package io.naru.queue;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How it is to be inside, and how that ends.
 *
 * @param passTtlSeconds how long somebody may stay inside without completing
 * @param onExpiry what becomes of somebody whose turn passes unused
 * @param once whether a user who has completed may not enter again
 * @param completedBy who may say that somebody inside is done
 */
public record Stay(int passTtlSeconds, OnExpiry onExpiry, boolean once, CompletedBy completedBy) {

  private static final Field<Stay, Integer> PASS_TTL_SECONDS =
      Field.whole("passTtlSeconds", 10, 86_400, Stay::passTtlSeconds);
  private static final Field<Stay, OnExpiry> ON_EXPIRY =
      Field.oneOf("onExpiry", OnExpiry.class, Stay::onExpiry);
  private static final Field<Stay, Boolean> ONCE = Field.yesOrNo("once", Stay::once);
  private static final Field<Stay, CompletedBy> COMPLETED_BY =
      Field.oneOf("completedBy", CompletedBy.class, Stay::completedBy);

  static final List<Field<Stay, ?>> FIELDS =
      List.of(PASS_TTL_SECONDS, ON_EXPIRY, ONCE, COMPLETED_BY);

  public static final Stay DEFAULT = new Stay(300, OnExpiry.END, false, CompletedBy.VISITOR);

  /** What becomes of somebody whose turn passes unused. */
  public enum OnExpiry {
    /** Their entry has expired, and that was it; they may enter again. */
    END,
    /**
     * Their entry has expired, and with the same step they have a new one, at the end of the line.
     */
    REQUEUE
  }

  /** Who may say that somebody inside is done. */
  public enum CompletedBy {
    /** They themselves, with their pass; and the site. */
    VISITOR,
    /** The site alone, with its key and their pass. */
    SITE
  }

  public Stay {
    PASS_TTL_SECONDS.check(passTtlSeconds);
  }

  static Stay of(Map<String, ? extends @Nullable Object> values) {
    return new Stay(
        PASS_TTL_SECONDS.read(values),
        ON_EXPIRY.read(values),
        ONCE.read(values),
        COMPLETED_BY.read(values));
  }

  public boolean requeues() {
    return onExpiry == OnExpiry.REQUEUE;
  }

  /** Whether this one may not say it. */
  public boolean keepsFromCompleting(CompletedBy by) {
    return completedBy == CompletedBy.SITE && by == CompletedBy.VISITOR;
  }
}
