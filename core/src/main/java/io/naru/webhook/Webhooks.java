package io.naru.webhook;

import io.naru.audit.Act;
import io.naru.journal.Unread;
import io.naru.queue.Actor;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.webhook.Delivery.State;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where webhooks are kept, and what is on its way to them, the same for all servers of a line. What
 * is written down here arrives at least once or is shown as failed. Calls block, and throw {@link
 * QueueUnavailable} when the store cannot answer.
 */
public interface Webhooks {

  /** Every server knows all of them. */
  int MAX_KEPT = 100;

  /** So many may be on their way to one webhook; what comes then has failed from the beginning. */
  int MAX_PENDING = 10_000;

  /** So many that failed, and that arrived, are kept of one webhook: the latest. */
  int MAX_FAILED = 10_000;

  int MAX_DONE = 1_000;

  /** For so long, in microseconds: what failed, what arrived, and what could not even be tried. */
  long FAILED_KEPT = 30 * 24 * 3_600_000_000L;

  long DONE_KEPT = 7 * 24 * 3_600_000_000L;

  long PENDING_KEPT = 3 * 24 * 3_600_000_000L;

  /** Nobody holds a webhook for longer; a later end is of a clock that has been set since. */
  long LONGEST_LEASE = 600_000_000L;

  /** Nothing rests longer, whatever a receiver asks for. */
  long LONGEST_REST = 3_600_000_000L;

  /** Why something failed that nobody tried. */
  String BACKLOG_FULL = "too much is on its way to this webhook already";

  String NOT_IN_TIME = "could not be sent within three days";

  /**
   * A webhook and what it is told with.
   *
   * @param secrets as a text that no store looks into
   */
  record Kept(Webhook webhook, String secrets) {}

  /** What came of adding one. */
  enum Added {
    DONE,
    /** Another one has its name. */
    NAME_TAKEN,
    TOO_MANY
  }

  /** What came of changing one. */
  enum Changed {
    DONE,
    /** It is gone, or another one than was read. */
    OTHER,
    /** Another one has its name. */
    NAME_TAKEN
  }

  /**
   * A webhook that somebody may send to.
   *
   * @param kept as it is now
   * @param failures how often in a row sending has failed
   * @param next what is due first; null if nothing is
   */
  record Claimed(Kept kept, int failures, @Nullable Delivery next) {}

  /** How much is on its way. */
  record Backlog(long pending, long oldestMicros) {
    public static final Backlog NONE = new Backlog(0, 0);
  }

  // Webhooks.

  /** All of them, in the order of their ids. */
  List<Kept> kept();

  Added add(Kept kept, Actor by);

  /**
   * Puts one in place of what was read of it. With one that has ended, what is on its way to it has
   * failed.
   *
   * @param act what is kept of it
   */
  Changed replace(Webhook read, Kept next, Act act);

  /** False if there is none. All that was on its way is gone with it. */
  boolean delete(String id, Actor by);

  // What they are told.

  /**
   * Writes down a message for one webhook, whether it wants such or not.
   *
   * @return false if there is none, or nothing is sent there any more
   */
  boolean test(String webhook, Message message, Actor by);

  /**
   * Writes down what a reader of the journal has read, for all who want it, and notes in the same
   * step that it has: so nothing is lost or told twice, whoever reads.
   *
   * @param from as it was read
   * @param to up to which change these are all
   * @return false if somebody else has read on: nothing was done then
   */
  boolean feed(String reader, Unread from, long to, List<Message> messages);

  /**
   * A sign of a queue is there, as somebody saw just now. The first to see it tells: until nobody
   * has seen it for {@code forgottenMicros}, nobody else does.
   *
   * @return whether this was the first
   */
  boolean raise(QueueId queue, String kind, Message message, long forgottenMicros);

  /** The queues of which this sign is there. */
  List<QueueId> raised(String kind, long forgottenMicros);

  // How it gets there.

  /** To which webhooks something could be sent now that nobody is sending to. */
  List<String> due(int limit);

  /**
   * Takes a webhook for a while: nobody else sends there then.
   *
   * @param holder who does
   * @return empty if somebody else has it, it rests, or nothing is sent there
   */
  Optional<Claimed> claim(String webhook, String holder, long leaseMicros);

  /**
   * Notes what came of a try, and goes on with the next.
   *
   * @return as {@link #claim} would; empty, too, if it is held by somebody else by now: nothing was
   *     noted then
   */
  Optional<Claimed> settle(Delivery delivery, Tried tried, String holder, long leaseMicros);

  /** Lets go of a webhook. */
  void release(String webhook, String holder);

  // What operators see of it.

  /**
   * Some deliveries of a webhook, the latest first.
   *
   * @param state null for all
   * @param below only those with a lower number
   */
  List<Delivery> deliveries(String webhook, @Nullable State state, long below, int limit);

  /** By the id of its message. */
  Optional<Delivery> delivery(String webhook, String message);

  /**
   * Sends something again that failed or arrived, under its own id; what is on its way already is
   * tried at once.
   *
   * @return as it is then; empty if there is none
   */
  Optional<Delivery> replay(String webhook, String message, Actor by);

  /**
   * Sends all again that failed, as far as they happened since then and there is room.
   *
   * @return how many
   */
  int replayFailed(String webhook, long since, Actor by);

  Backlog backlog();

  /** Forgets what is older than it is kept for, and more than is kept. */
  void tidy();
}
