package io.naru.server.fair;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.line.Score;
import io.naru.queue.DrawStep;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Draws;
import io.naru.queue.Fairness;
import io.naru.queue.LobbyEntry;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Seal;
import io.naru.queue.Secret;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DrawKeeperTest {

  private static final QueueId QUEUE = new QueueId("CONCERT", "1");
  private static final byte[] SEED = new byte[32];
  private static final long JOINED = 1_000;

  /** The commit of the seal is not answered, and the list is taken after all. */
  @Test
  void seal_nobodySaysWhetherItWasTaken_theLeavesStay() throws Exception {
    var draws = new Unanswered();
    try (var keeper = keeper(draws)) {
      keeper.start();
      await().until(() -> !draws.settled.isEmpty());
    }
    assertThat(draws.settled).containsExactly(JOINED);
  }

  private static DrawKeeper keeper(Draws draws) {
    return new DrawKeeper(
        draws, new Secret(new byte[32]), Coins.BY_HAND, InstantSource.system(), System::nanoTime);
  }

  /** One person in a lobby that is closed. */
  private static final class Unanswered implements Draws {

    private final Map<String, byte[]> leaves = new ConcurrentHashMap<>();
    private final List<Long> settled = Collections.synchronizedList(new ArrayList<>());
    private volatile @Nullable Seal taken;

    @Override
    public CompletionStage<List<QueueId>> underWay() {
      return completedStage(List.of(QUEUE));
    }

    @Override
    public CompletionStage<Optional<DrawView>> draw(QueueId queue) {
      return completedStage(Optional.of(view()));
    }

    private DrawView view() {
      Seal seal = taken;
      boolean isSealed = seal != null;
      Phase phase = !isSealed ? Phase.CLOSED : settled.isEmpty() ? Phase.DRAWN : Phase.DONE;
      return new DrawView(
          1,
          Fairness.Draw.SEED,
          new Drawing(phase, JOINED, settled.size()),
          commitment(),
          commitment(),
          JOINED + 1,
          List.of(new DrawView.OfLane("", Score.LAST_LANE, 1, isSealed ? 1 : 0)),
          isSealed ? JOINED + 2 : 0,
          seal == null ? "" : seal.id(),
          seal == null ? "" : seal.root(),
          isSealed ? 1 : 0,
          0,
          "",
          isSealed ? JOINED + 2 : 0,
          isSealed ? HexFormat.of().formatHex(SEED) : "",
          "");
    }

    private static String commitment() {
      try {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(SEED));
      } catch (java.security.NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK has SHA-256", e);
      }
    }

    @Override
    public CompletionStage<List<LobbyEntry>> lobby(QueueId queue, int lane, long after, int limit) {
      return completedStage(List.of(new LobbyEntry(JOINED, "somebody")));
    }

    @Override
    public CompletionStage<Boolean> keepLeaves(
        QueueId queue, String sealId, int part, byte[] some) {
      leaves.put(sealId + " " + part, some);
      return completedStage(true);
    }

    @Override
    public CompletionStage<Optional<byte[]>> leaves(QueueId queue, String sealId, int part) {
      return completedStage(Optional.ofNullable(leaves.get(sealId + " " + part)));
    }

    @Override
    public CompletionStage<?> forgetLeaves(QueueId queue, String sealId) {
      // As a store sees it that does not know of the commit yet.
      leaves.keySet().removeIf(key -> key.startsWith(sealId + " "));
      return completedStage(true);
    }

    @Override
    public CompletionStage<DrawStep> seal(QueueId queue, Seal seal) {
      if (taken == null) {
        taken = seal;
        return failedStage(
            new QueueUnavailable(QueueUnavailable.Kind.TIMEOUT, "a commit was not answered"));
      }
      return completedStage(new DrawStep.NotTaken(view()));
    }

    @Override
    public CompletionStage<DrawStep> coin(
        QueueId queue, String commitment, long round, String signature) {
      return completedStage(new DrawStep.NotTaken(view()));
    }

    @Override
    public CompletionStage<DrawStep> settle(
        QueueId queue, String commitment, long from, List<Long> joined) {
      settled.addAll(joined);
      return completedStage(new DrawStep.Taken(view()));
    }
  }
}
