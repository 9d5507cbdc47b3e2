package io.naru.bench.servers;

import io.naru.bench.load.Target;
import io.naru.bench.load.Traffic;

/** A server one can stand in line at. */
public interface WaitingRoom {

  Target target();

  /** The cheapest request it answers, which shows what the rest of the work costs. */
  Traffic bare();

  /** A new queue in which everybody waits. */
  Queue openQueue();
}
