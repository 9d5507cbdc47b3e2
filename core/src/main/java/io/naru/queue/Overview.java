package io.naru.queue;

/** A queue and its figures, read at one moment. */
public record Overview(Queue queue, Figures figures) {

  /** What of it is the same for everybody in the queue. */
  public LineState line() {
    return new LineState(
        figures.change(),
        figures.waiting(),
        figures.lanes(),
        queue.version(),
        queue.state(),
        queue.settings(),
        queue.units());
  }
}
