package io.naru.queue;

/** A queue, its figures and its rate, read at one moment. */
public record Overview(Queue queue, Figures figures, RateNow rate) {

  /** One whose rate follows nothing. */
  public Overview(Queue queue, Figures figures) {
    this(queue, figures, RateNow.of(queue.settings()));
  }

  /** What of it is the same for everybody in the queue. */
  public LineState line() {
    return new LineState(
        figures.change(),
        figures.waiting(),
        figures.lanes(),
        queue.version(),
        queue.state(),
        queue.settings(),
        queue.units(),
        LineState.roundedUp(figures.absent()),
        queue.drawing());
  }
}
