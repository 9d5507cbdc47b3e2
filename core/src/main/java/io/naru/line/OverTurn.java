package io.naru.line;

import io.naru.queue.Entry;
import java.util.List;

/**
 * A turn that was over before its pass was: somebody left, completed, or was put out. Whoever keeps
 * the door must know, since the pass still looks good.
 *
 * @param entry as it was admitted; its pass says no more than that
 * @param change with which it was over
 */
public record OverTurn(Entry entry, long change) {

  /**
   * One turn, by each end that its passes say, since gates know a pass by its end.
   *
   * @param cut when those end that were made after its visitor had come back; 0 if none were
   */
  public static List<OverTurn> of(Entry entry, long cut, long change) {
    var turn = new OverTurn(entry, change);
    return cut == 0 ? List.of(turn) : List.of(turn, new OverTurn(entry.until(cut), change));
  }
}
