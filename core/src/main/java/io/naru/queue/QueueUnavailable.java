package io.naru.queue;

/** The store behind a queue cannot answer now. Carries what a caller can say and count. */
public final class QueueUnavailable extends RuntimeException {

  private final Kind kind;

  public QueueUnavailable(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public QueueUnavailable(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** By its name an operator finds the reason in the metrics. */
  public enum Kind {
    /** More requests wait for the store than it can take. */
    OVERLOADED,
    /** No connection. */
    DISCONNECTED,
    /** No answer in time; whether the step was done is not known. */
    TIMEOUT,
    /** The store answers with an error: read-only, loading, out of memory, and the like. */
    REFUSED
  }
}
