package io.naru.gateway;

import org.jspecify.annotations.Nullable;

/** What the access log will say of one request; kept by its event loop until it is answered. */
final class Account {

  /** None of a request that could not be read. */
  private final @Nullable Asked asked;

  private final String from;
  private final long at = System.currentTimeMillis();
  private final long started = System.nanoTime();
  private Meters.By by = Meters.By.GATEWAY;
  private @Nullable String queue;
  private int status;
  private long bytes;
  private long siteNanos = -1;

  Account(@Nullable Asked asked, Caller caller) {
    this.asked = asked;
    this.from = asked == null ? caller.address() : asked.forwardedFor();
  }

  void answered(Meters.By who, int with) {
    by = who;
    status = with;
  }

  /** Who answers somebody of a queue, and after how long. */
  void served(long nanos, @Nullable String guarded) {
    siteNanos = nanos;
    queue = guarded;
  }

  void sent(long more) {
    bytes += more;
  }

  /**
   * All of it, as it is now.
   *
   * @param isCut whether somebody went, or was sent, before the end
   */
  AccessLog.Line line(boolean isCut) {
    Head head = asked == null ? null : asked.head();
    String agent = head == null ? null : head.value("user-agent");
    return new AccessLog.Line(
        at,
        from,
        head == null ? "-" : head.first(),
        asked == null ? "-" : asked.host(),
        asked == null ? "-" : asked.path(),
        status,
        by,
        queue,
        bytes,
        System.nanoTime() - started,
        siteNanos,
        agent == null ? "-" : agent,
        isCut);
  }
}
