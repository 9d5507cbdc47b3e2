package io.naru.server.webhooks;

import io.naru.net.Networks;
import io.naru.queue.InvalidValue;
import org.jspecify.annotations.Nullable;

/**
 * What an operator of servers says about webhooks; the same on all of them.
 *
 * @param allowed networks that are sent to although they are not public, also without TLS; null for
 *     none
 * @param tooLong how many wait in a line that is too long
 */
public record WebhookRules(@Nullable Networks allowed, long tooLong) {

  public static final long DEFAULT_TOO_LONG = 10_000;

  private static final long MAX_TOO_LONG = 10_000_000;

  public static final WebhookRules DEFAULT = new WebhookRules(null, DEFAULT_TOO_LONG);

  /**
   * @throws InvalidValue if that cannot be
   */
  public WebhookRules {
    if (tooLong < 1 || tooLong > MAX_TOO_LONG) {
      throw new InvalidValue("webhook-too-long", "1.." + MAX_TOO_LONG, "is " + tooLong);
    }
  }

  /** As options have them. */
  public static WebhookRules of(@Nullable String allowed, long tooLong) {
    return new WebhookRules(
        allowed == null ? null : Networks.parse("webhook-allow", allowed), tooLong);
  }
}
