package io.naru.server.stream;

import java.util.concurrent.atomic.LongAdder;

/** What happened to the streams of this server, for metrics. */
public final class StreamCounts {

  private final LongAdder asked = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder unavailable = new LongAdder();
  private final LongAdder cutOff = new LongAdder();

  /** Somebody with a place wants one. */
  void ask() {
    asked.increment();
  }

  void send() {
    sent.increment();
  }

  /** There were too many. */
  void refuse() {
    refused.increment();
  }

  /** Nobody could say where its visitor stands. */
  void unavailable() {
    unavailable.increment();
  }

  /** Its reader took nothing for too long, or it broke here. */
  void cutOff() {
    cutOff.increment();
  }

  public long asked() {
    return asked.sum();
  }

  /** How many messages were sent. */
  public long sent() {
    return sent.sum();
  }

  public long refused() {
    return refused.sum();
  }

  public long unavailables() {
    return unavailable.sum();
  }

  public long cutOffs() {
    return cutOff.sum();
  }
}
