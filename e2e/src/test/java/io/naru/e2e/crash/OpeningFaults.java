package io.naru.e2e.crash;

import static io.naru.testkit.FaultProxy.Way.TO_CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Drawing.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What breaks while a lobby is closed, listed, drawn and made a line of, whichever database it is.
 * The way to it is slow at those moments, so that they are long enough to be hit.
 */
abstract class OpeningFaults {

  static final int FEW = 300;

  /** So many that the line is made in several steps. */
  static final int MANY = 2_500;

  private static final Duration SLOW = Duration.ofMillis(60);

  abstract Stage stage();

  Opening opening(String id, int people, boolean hasLanes) throws Exception {
    return new Opening(stage().nodes(), () -> stage().server().connect(), id, people, hasLanes);
  }

  void slow() {
    stage().database().delay(TO_CLIENT, SLOW);
  }

  @AfterEach
  void heal() {
    stage().database().heal();
  }

  static void kill(List<Node> nodes) {
    for (Node node : nodes) {
      node.process().kill();
      InvalidRun.unless(!node.process().isAlive(), "a server still lives");
    }
  }

  static void restart(List<Node> nodes) {
    nodes.stream().parallel().forEach(Node::restart);
  }

  /** That it was in the middle of it when it was hit. */
  static void requirePhase(Opening opening, Phase phase) throws Exception {
    String draw = opening.drawInLedger();
    InvalidRun.unless(draw.contains("\"phase\":\"" + phase + "\""), "too late, it is " + draw);
  }

  @Test
  void killAll_whileTheLineIsMade() throws Exception {
    try (var opening = opening("made", MANY, true).watch()) {
      slow();
      opening.open(Duration.ZERO);
      opening.awaitHalfSettled();
      kill(stage().nodes());
      requirePhase(opening, Phase.DRAWN);
      heal();
      restart(stage().nodes());
      assertThat(opening.breaches()).isEmpty();
    }
  }
}
