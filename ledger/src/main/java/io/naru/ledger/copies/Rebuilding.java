package io.naru.ledger.copies;

import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes a copy anew, beside the one that is there. While everybody is read, people join and leave;
 * at a high rate that is more than a copy takes in one jump. So the new copy catches up before
 * anybody reads it, in rounds: what was touched while the last round was read is read next, and is
 * less, because reading is quicker than committing. When a round was no more than one jump, the
 * copy takes its place.
 *
 * <p>A row tells only its last change, so the counts are right at the end of a round only: there
 * they are compared.
 */
public final class Rebuilding {

  /** Then it does not get shorter; the next try may do better. */
  private static final int MAX_ROUNDS = 100;

  private final LineCopy.Rebuild into;
  private int parts;
  private long inRound;

  /** The last part; the next one is read while it is on its way. */
  private CompletionStage<?> underWay = CompletableFuture.completedStage(null);

  private Rebuilding(LineCopy.Rebuild into) {
    this.into = into;
  }

  /** Says what is in its place then, which may be another one that is as new. */
  public static CopyState run(Source source, Original of, LineCopy.Rebuild into, int maxJump)
      throws Exception {
    var rebuilding = new Rebuilding(into);
    boolean isFinished = false;
    try {
      Source.Reached reached = source.everybody(of, rebuilding::take);
      for (int round = 0; rebuilding.endRound() > maxJump; round++) {
        if (round == MAX_ROUNDS) {
          throw new IllegalStateException("it changes quicker than it can be read");
        }
        reached = source.touched(of, reached.change(), rebuilding::take);
      }
      CopyState state =
          Keeper.await(
              into.finish(
                  reached.change(),
                  reached.waiting(),
                  reached.lanes(),
                  reached.inside(),
                  reached.rules()));
      isFinished = true;
      return state;
    } finally {
      if (!isFinished) {
        // Not for its expiry: what is left lying would fill the copy's memory at every try.
        into.abandon();
      }
    }
  }

  private void take(List<Fact> some) throws Exception {
    Keeper.await(underWay);
    inRound += some.size();
    underWay = into.add(++parts, some);
  }

  /** Says how many were read in this round. */
  private long endRound() throws Exception {
    Keeper.await(underWay);
    long read = inRound;
    inRound = 0;
    return read;
  }
}
