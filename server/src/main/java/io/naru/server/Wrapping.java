package io.naru.server;

import io.naru.line.Line;
import io.naru.line.LineCopy;
import io.naru.queue.Queues;
import java.util.function.UnaryOperator;

/**
 * What is put around the ports of a server with a ledger: nothing, except by the tests that prove
 * that a server which breaks its promises would be found out.
 */
record Wrapping(
    UnaryOperator<Queues> queues, UnaryOperator<Line> line, UnaryOperator<LineCopy> copy) {

  static final Wrapping NONE =
      new Wrapping(UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity());
}
