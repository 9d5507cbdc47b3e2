package io.naru.decision;

import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Coded;
import io.naru.queue.DrawStep;
import io.naru.queue.Draws;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.HandedOff;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.Proved;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Redeemed;
import io.naru.queue.Removed;
import io.naru.queue.Returned;
import io.naru.queue.Seen;
import io.naru.queue.Settings;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.RestoreStep;
import io.naru.transfer.Restored;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Something that is asked of a queue: a plain value, the same for every store. Each kind knows when
 * its turn is among those decided together, what must have been read for it, and what is answered.
 *
 * @param <A> the answer
 */
public sealed interface Request<A> {

  /** In this order requests are decided that are decided together. */
  enum Phase {
    EDIT,
    STOCK,
    LEAVE,
    COMPLETE,
    RETURN,
    REDEEM,
    REMOVE,
    MOVE,
    HANDOFF,
    /** Behind all that is about somebody's earlier entries, in front of a new one. */
    ERASE,
    /** Whoever has left is given no place any more. */
    DRAW,
    /** Whoever was seen may go in, and what is said about the site counts for that. */
    SEE,
    SIGNAL,
    ADMIT,
    /** Behind the admission: a newcomer's place is then that of the state it is answered with. */
    JOIN,
    DELETE
  }

  QueueId queue();

  Phase phase();

  /** Says what must have been read; nothing, for some. */
  default void need(Needs.Count needs) {}

  /**
   * Decides.
   *
   * @return what to answer, to be asked for when all of them are decided: only then the change has
   *     its final figures
   * @throws InvalidValue if it cannot be; nothing is changed then
   */
  Supplier<A> decide(Decision decision);

  /**
   * The answer if there is no such queue.
   *
   * @throws InvalidValue if there is none because what this request would make of it cannot be
   */
  A withoutQueue();

  /** The answer while the queue is on its way from another ledger, as if there were none. */
  default A whileRestored() {
    return withoutQueue();
  }

  /** Whether a queue that does not exist is to be made for this. */
  default boolean makesQueue() {
    return false;
  }

  /**
   * A place for a user.
   *
   * @param claim to a lane
   */
  record Join(QueueId queue, String user, Claim claim) implements Request<JoinOutcome> {

    /** Of somebody who has none. */
    public Join(QueueId queue, String user) {
      this(queue, user, Claim.NONE);
    }

    @Override
    public Phase phase() {
      return Phase.JOIN;
    }

    @Override
    public void need(Needs.Count needs) {
      needs.user(user);
      if (!claim.code().isEmpty()) {
        needs.code(claim.code());
      }
    }

    @Override
    public Supplier<JoinOutcome> decide(Decision decision) {
      return decision.join(user, claim);
    }

    @Override
    public JoinOutcome withoutQueue() {
      return new JoinOutcome.Final(new Joined.Refused(Joined.Reason.NO_QUEUE, 0));
    }
  }

  /** About one entry, which is named: a late request cannot hit the next one of the same person. */
  sealed interface OfEntry<A> extends Request<A> {

    EntryKey entry();

    @Override
    default QueueId queue() {
      return entry().queue();
    }

    @Override
    default void need(Needs.Count needs) {
      needs.user(entry().user());
    }
  }

  /** Brings what was owed. */
  record Prove(EntryKey entry) implements OfEntry<Proved> {

    @Override
    public Phase phase() {
      return Phase.SEE;
    }

    @Override
    public Supplier<Proved> decide(Decision decision) {
      return said(decision.prove(entry));
    }

    @Override
    public Proved withoutQueue() {
      return Proved.UNKNOWN;
    }
  }

  /** Gives a place up. */
  record Leave(EntryKey entry) implements OfEntry<Ended> {

    @Override
    public Phase phase() {
      return Phase.LEAVE;
    }

    @Override
    public void need(Needs.Count needs) {
      OfEntry.super.need(needs);
      needs.leave();
    }

    @Override
    public Supplier<Ended> decide(Decision decision) {
      return said(decision.leave(entry));
    }

    @Override
    public Ended withoutQueue() {
      return Ended.UNKNOWN;
    }
  }

  /** Somebody inside is done. */
  record Complete(EntryKey entry, CompletedBy by) implements OfEntry<Ended> {

    @Override
    public Phase phase() {
      return Phase.COMPLETE;
    }

    @Override
    public Supplier<Ended> decide(Decision decision) {
      return said(decision.complete(entry, by));
    }

    @Override
    public Ended withoutQueue() {
      return Ended.UNKNOWN;
    }
  }

  /** The payment of somebody inside failed. */
  record Return(EntryKey entry, boolean givesUp, CompletedBy by) implements OfEntry<Returned> {

    @Override
    public Phase phase() {
      return Phase.RETURN;
    }

    @Override
    public void need(Needs.Count needs) {
      OfEntry.super.need(needs);
      needs.returns();
    }

    @Override
    public Supplier<Returned> decide(Decision decision) {
      return said(decision.giveBack(entry, givesUp, by));
    }

    @Override
    public Returned withoutQueue() {
      return new Returned.NotInside();
    }
  }

  /** Binds somebody inside to a session. */
  record Redeem(EntryKey entry, String session) implements OfEntry<Redeemed> {

    @Override
    public Phase phase() {
      return Phase.REDEEM;
    }

    @Override
    public Supplier<Redeemed> decide(Decision decision) {
      return said(decision.redeem(entry, session));
    }

    @Override
    public Redeemed withoutQueue() {
      return Redeemed.UNKNOWN;
    }
  }

  /** About one person, whatever entries they have. */
  sealed interface OfUser<A> extends Request<A> {

    String user();

    @Override
    default void need(Needs.Count needs) {
      needs.user(user());
      needs.leave();
    }
  }

  /**
   * Takes somebody out, from the line or from inside.
   *
   * @param by who does so
   */
  record Remove(QueueId queue, String user, EndReason reason, Actor by) implements OfUser<Removed> {

    @Override
    public Phase phase() {
      return Phase.REMOVE;
    }

    @Override
    public Supplier<Removed> decide(Decision decision) {
      return said(decision.remove(user, reason, by));
    }

    @Override
    public Removed withoutQueue() {
      return new Removed.NoQueue();
    }
  }

  /**
   * Moves somebody to the end of another lane.
   *
   * @param by who does so
   */
  record Move(QueueId queue, String user, String lane, Actor by) implements OfUser<Shifted> {

    @Override
    public Phase phase() {
      return Phase.MOVE;
    }

    @Override
    public Supplier<Shifted> decide(Decision decision) {
      return said(decision.move(user, lane, by));
    }

    @Override
    public Shifted withoutQueue() {
      return new Shifted.NoQueue();
    }
  }

  /**
   * Makes codes for a lane.
   *
   * @param hashes of the codes
   * @param by who does so
   */
  record MakeCodes(QueueId queue, String lane, Set<String> hashes, Actor by)
      implements Request<Coded> {

    @Override
    public Phase phase() {
      return Phase.MOVE;
    }

    @Override
    public Supplier<Coded> decide(Decision decision) {
      return said(decision.makeCodes(lane, hashes, by));
    }

    @Override
    public Coded withoutQueue() {
      return Coded.NO_QUEUE;
    }
  }

  /**
   * Puts another name in the place of somebody's, wherever it is kept.
   *
   * @param name that says nothing about them. The caller makes it up: what is decided must be the
   *     same wherever it is
   * @param by who does so
   */
  record Erase(QueueId queue, String user, String name, Actor by) implements OfUser<Erased> {

    @Override
    public Phase phase() {
      return Phase.ERASE;
    }

    @Override
    public Supplier<Erased> decide(Decision decision) {
      return said(decision.erase(user, name, by));
    }

    @Override
    public Erased withoutQueue() {
      return Erased.NO_QUEUE;
    }
  }

  /** Gives a place to another user. */
  record HandOff(EntryKey entry, String to) implements Request<HandedOff> {

    @Override
    public QueueId queue() {
      return entry.queue();
    }

    @Override
    public Phase phase() {
      return Phase.HANDOFF;
    }

    @Override
    public void need(Needs.Count needs) {
      needs.user(entry.user());
      needs.user(to);
    }

    @Override
    public Supplier<HandedOff> decide(Decision decision) {
      return said(decision.handOff(entry, to));
    }

    @Override
    public HandedOff withoutQueue() {
      return new HandedOff.NoPlace();
    }
  }

  /** One step of admission. */
  record Admit(QueueId queue, Admission admission) implements Request<Admitted> {

    @Override
    public Phase phase() {
      return Phase.ADMIT;
    }

    @Override
    public void need(Needs.Count needs) {
      needs.admission(admission);
    }

    @Override
    public Supplier<Admitted> decide(Decision decision) {
      return said(decision.admit(admission));
    }

    @Override
    public Admitted withoutQueue() {
      return new Admitted.NoQueue();
    }
  }

  /** A server says whom it has seen. */
  record See(QueueId queue, Sightings sightings) implements Request<Seen> {

    @Override
    public Phase phase() {
      return Phase.SEE;
    }

    @Override
    public void need(Needs.Count needs) {
      needs.seen(sightings.people());
    }

    @Override
    public Supplier<Seen> decide(Decision decision) {
      return said(decision.see(sightings));
    }

    @Override
    public Seen withoutQueue() {
      return Seen.IN_VAIN;
    }
  }

  /** Says how the site does. */
  record Tell(QueueId queue, Signal signal) implements Request<Signaled> {

    @Override
    public Phase phase() {
      return Phase.SIGNAL;
    }

    @Override
    public Supplier<Signaled> decide(Decision decision) {
      return said(decision.signal(signal));
    }

    @Override
    public Signaled withoutQueue() {
      return Signaled.NO_QUEUE;
    }
  }

  /** Makes or changes a queue. */
  record Alter(QueueId queue, Edit edit) implements Request<Edited> {

    @Override
    public Phase phase() {
      return Phase.EDIT;
    }

    @Override
    public void need(Needs.Count needs) {
      needs.edit();
    }

    @Override
    public Supplier<Edited> decide(Decision decision) {
      return said(decision.edit(edit));
    }

    @Override
    public Edited withoutQueue() {
      if (edit.makesQueue()) {
        Settings.DEFAULT.with(edit.changes());
      }
      return new Edited.NoQueue();
    }

    @Override
    public boolean makesQueue() {
      return edit.makesQueue() && edit.isPossible();
    }

    @Override
    public Edited whileRestored() {
      return new Edited.BeingRestored();
    }
  }

  /**
   * Brings a queue here from another ledger, step by step.
   *
   * @param by who does so
   */
  record Restore(QueueId queue, RestoreStep step, Actor by) implements Request<Restored> {

    @Override
    public Phase phase() {
      return Phase.EDIT;
    }

    @Override
    public void need(Needs.Count needs) {
      if (step instanceof RestoreStep.Part part) {
        needs.entries(part.entries().stream().map(MovedEntry::joined).toList());
        part.entries().stream()
            .filter(MovedEntry::isLive)
            .forEach(entry -> needs.user(entry.user()));
      }
    }

    @Override
    public Supplier<Restored> decide(Decision decision) {
      return said(decision.restore(step, by));
    }

    @Override
    public Restored withoutQueue() {
      if (step instanceof RestoreStep.Begin begin) {
        Restoring.check(begin.queue());
      }
      return new Restored.NoQueue();
    }

    @Override
    public boolean makesQueue() {
      if (!(step instanceof RestoreStep.Begin begin)) {
        return false;
      }
      try {
        Restoring.check(begin.queue());
        return true;
      } catch (InvalidValue e) {
        return false;
      }
    }
  }

  /** Fixes who is drawn. */
  record Seal(QueueId queue, io.naru.queue.Seal seal) implements Request<DrawStep> {

    @Override
    public Phase phase() {
      return Phase.DRAW;
    }

    @Override
    public Supplier<DrawStep> decide(Decision decision) {
      return said(decision.seal(seal));
    }

    @Override
    public DrawStep withoutQueue() {
      return new DrawStep.NoDraw();
    }
  }

  /**
   * Brings the coin that a draw waits for.
   *
   * @param commitment of the draw
   * @param signature of the round, in hexadecimal digits
   */
  record Coin(QueueId queue, String commitment, long round, String signature)
      implements Request<DrawStep> {

    @Override
    public Phase phase() {
      return Phase.DRAW;
    }

    @Override
    public Supplier<DrawStep> decide(Decision decision) {
      return said(decision.coin(commitment, round, signature));
    }

    @Override
    public DrawStep withoutQueue() {
      return new DrawStep.NoDraw();
    }
  }

  /**
   * Gives the next of a drawn order their places.
   *
   * @param commitment of the draw
   * @param from how many were named before
   * @param joined when those joined who are next
   */
  record Settle(QueueId queue, String commitment, long from, List<Long> joined)
      implements Request<DrawStep> {

    public Settle {
      joined = List.copyOf(joined);
    }

    @Override
    public Phase phase() {
      return Phase.DRAW;
    }

    @Override
    public void need(Needs.Count needs) {
      needs.entries(joined.subList(0, Math.min(joined.size(), Draws.MAX_STEP)));
    }

    @Override
    public Supplier<DrawStep> decide(Decision decision) {
      return said(decision.settle(commitment, from, joined));
    }

    @Override
    public DrawStep withoutQueue() {
      return new DrawStep.NoDraw();
    }
  }

  /** Says what there is. */
  record Push(QueueId queue, Stock stock) implements Request<Pushed> {

    @Override
    public Phase phase() {
      return Phase.STOCK;
    }

    @Override
    public Supplier<Pushed> decide(Decision decision) {
      return said(decision.push(stock));
    }

    @Override
    public Pushed withoutQueue() {
      return new Pushed.NoQueue();
    }
  }

  /**
   * Removes a queue.
   *
   * @param by who removes it
   */
  record Delete(QueueId queue, Actor by) implements Request<Boolean> {

    @Override
    public Phase phase() {
      return Phase.DELETE;
    }

    @Override
    public Supplier<Boolean> decide(Decision decision) {
      return said(decision.delete(by));
    }

    @Override
    public Boolean withoutQueue() {
      return false;
    }
  }

  private static <A> Supplier<A> said(A answer) {
    return () -> answer;
  }
}
