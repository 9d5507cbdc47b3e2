package io.naru.gate;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;

/** One request that was let in, from there until its answer is complete. */
final class Serving implements AsyncListener {

  private final Gate gate;
  private final HttpServletResponse response;
  private final long start = System.nanoTime();
  private boolean isFailed;

  Serving(Gate gate, HttpServletResponse response) {
    this.gate = gate;
    this.response = response;
  }

  /**
   * @param isThrown whether the application threw something, which the container answers
   */
  void end(boolean isThrown) {
    if (isAnswer()) {
      long took = System.nanoTime() - start;
      gate.served(Duration.ofNanos(took), isThrown || isFailed || response.getStatus() >= 500);
    }
  }

  /** What stays open for as long as somebody looks is not slow. */
  private boolean isAnswer() {
    String type = response.getContentType();
    return response.getStatus() != HttpServletResponse.SC_SWITCHING_PROTOCOLS
        && (type == null || !type.startsWith("text/event-stream"));
  }

  @Override
  public void onComplete(AsyncEvent event) {
    end(false);
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    isFailed = true;
  }

  @Override
  public void onError(AsyncEvent event) {
    isFailed = true;
  }

  /** It begins anew, and forgets who listened. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }
}
