package io.naru.queue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What a draw needs of somebody outside: who was in the lobby is read and fixed, a public coin is
 * brought, and the line is made of the order, step by step. Any server may do any of it at any
 * time, also twice; what is decided is the first that fits.
 *
 * <p>A draw is named by its commitment: numbers begin anew where a queue is deleted and made again,
 * and whoever stood still meanwhile must not decide anything there.
 *
 * <p>While it is kept which people are drawn, their leaves are kept beside in parts, under a name
 * that whoever seals the list makes up.
 */
public interface Draws {

  /** So many get their places with one step, at most. */
  int MAX_STEP = 2_000;

  /** So many leaves are in one part; only the last one has fewer. */
  int PART = 4_096;

  /** The queues whose draw goes on only if somebody does something: closed, or drawn. */
  CompletionStage<List<QueueId>> underWay();

  /**
   * The draw of a queue; also of one without a lobby in which all is published, of which it says
   * what chance it has. Empty if there is no such queue, or chance has no part in it.
   */
  CompletionStage<Optional<DrawView>> draw(QueueId queue);

  /**
   * Some of those who are to be drawn and still wait, by when they joined; as they stand when they
   * are read, which each call does by itself. Nobody if the lobby is not closed, or is drawn.
   *
   * @param lane its number in {@link DrawView#lanes}
   * @param after those who joined later than this
   * @param limit fewer are only the answer if there are no more
   */
  CompletionStage<List<LobbyEntry>> lobby(QueueId queue, int lane, long after, int limit);

  /**
   * Keeps some leaves.
   *
   * @param sealId whose they are
   * @param part its number, from 0 on; one that is there already is replaced
   * @return false if there is no such queue
   */
  CompletionStage<Boolean> keepLeaves(QueueId queue, String sealId, int part, byte[] leaves);

  /** Leaves that were kept; empty if there are none. */
  CompletionStage<Optional<byte[]>> leaves(QueueId queue, String sealId, int part);

  /** Removes the leaves of a list that was not taken. Those of the one that was stay. */
  CompletionStage<?> forgetLeaves(QueueId queue, String sealId);

  /**
   * Fixes who is drawn: the first list is taken, once the lobby is closed. Drawn by the seed alone,
   * the order is known then.
   *
   * @throws InvalidValue (in the stage) if it cannot be this list; nothing is changed
   */
  CompletionStage<DrawStep> seal(QueueId queue, Seal seal);

  /**
   * Brings the coin that the draw waits for; then the order is known.
   *
   * @param commitment of the draw
   * @param round of the coin, which must be the one that the draw waits for
   * @param signature of that round in hexadecimal digits; whoever brings it has verified it
   */
  CompletionStage<DrawStep> coin(QueueId queue, String commitment, long round, String signature);

  /**
   * Gives the next of the drawn order their places: those of them who still wait, one after the
   * other at the end of their lane. Whoever came after the closing follows when all of them have
   * one; then nobody needs to be named.
   *
   * @param commitment of the draw
   * @param from how many of the order were named before; the step is done only if that is so
   * @param joined when those joined who are next in the order, at most {@link #MAX_STEP}
   * @throws InvalidValue (in the stage) if these are too many; nothing is changed
   */
  CompletionStage<DrawStep> settle(QueueId queue, String commitment, long from, List<Long> joined);
}
