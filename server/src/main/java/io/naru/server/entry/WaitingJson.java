package io.naru.server.entry;

import io.naru.admission.Estimate;
import io.naru.line.InLane;
import io.naru.queue.Door;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.server.http.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of somebody who waits. This is what nearly everybody is told nearly always, and only its
 * numbers change, so it is put together by hand; nothing in it needs escaping but the reason of a
 * pause, which is prepared.
 */
public final class WaitingJson {

  private static final byte[] AHEAD = Ascii.text(",\"ahead\":");
  private static final byte[] BEHIND = Ascii.text(",\"behind\":");
  private static final byte[] WAITING = Ascii.text(",\"totalWaiting\":");
  private static final byte[] TICKET = Ascii.text(",\"ticket\":");
  private static final byte[] LANE = Ascii.text(",\"lane\":\"");
  private static final byte[] AT_MOST = Ascii.text(",\"atMostBefore\":");
  private static final byte[] ESTIMATE = Ascii.text(",\"estimatedWaitSeconds\":");
  private static final byte[] LOW = Ascii.text(",\"wait\":{\"lowSeconds\":");
  private static final byte[] HIGH = Ascii.text(",\"highSeconds\":");
  private static final byte[] AT = Ascii.text(",\"at\":\"");
  private static final byte[] AT_END = Ascii.text("\"}");
  private static final byte[] TURN = Ascii.text(",\"turnSeconds\":");
  private static final byte[] BOARD = Ascii.text(",\"board\":");
  private static final byte[] PAUSED = Ascii.text(",\"paused\":true,\"pausedBy\":\"");
  private static final byte[] GRACE = Ascii.text(",\"absenceGraceSeconds\":");
  private static final byte[] PROOF = Ascii.text(",\"proof\":true");
  private static final byte[] PASSED_OVER = Ascii.text(",\"passedOver\":true");
  private static final byte[] SALT = Ascii.text(",\"salt\":\"");
  private static final byte[] QUOTE = Ascii.text("\"");
  private static final byte[] END = Ascii.text("}");

  private final EntryKey key;
  private final Outlook outlook;
  private final byte[] head;
  private final byte[] tail;
  private final Salts salts;

  /** Made when it is first needed: only where there is a log it is. */
  private byte @Nullable [] salt;

  WaitingJson(EntryKey key, String token, Outlook outlook, Salts salts) {
    this.salts = salts;
    this.key = key;
    this.outlook = outlook;
    head =
        Ascii.text(
            "{\"eventType\":\""
                + key.queue().type()
                + "\",\"eventId\":\""
                + key.queue().id()
                + "\",\"status\":\"WAITING\",\"entryToken\":\""
                + token
                + "\",\"position\":");
    tail = Ascii.text(",\"joinedAt\":\"" + Micros.iso(key.joined()) + "\",\"change\":");
  }

  /**
   * @param score by which one stands in line
   * @param ahead 0 or more: nothing can be said of a place that is not known
   * @param ticket 0 where nobody counts them
   * @param line as it is now, or a little later than at {@code change}
   * @param change the change that the place belongs to
   */
  public Ascii addTo(Ascii out, long score, long ahead, long ticket, LineState line, long change) {
    if (ahead < 0) {
      throw new IllegalArgumentException("nobody has " + ahead + " ahead");
    }
    long position = ahead + 1;
    InLane lane = InLane.of(line, score, ahead);
    long waiting = Math.max(position, lane.waiting());
    PausedBy paused = outlook.pauses().by(key.queue(), line);
    out.add(head).add(position).add(AHEAD).add(ahead);
    out.add(BEHIND).add(waiting - position).add(WAITING).add(waiting);
    if (ticket > 0) {
      out.add(TICKET).add(ticket);
    }
    addLane(out, lane);
    if (paused == null) {
      long seconds = outlook.secondsAtRate(key.queue(), lane.aheadOfAll(), line);
      out.add(ESTIMATE).add(seconds);
    }
    addWait(out, outlook.wait(key.queue(), lane.aheadOfAll(), line, paused));
    out.add(TURN).add(line.settings().stay().passTtlSeconds()).add(BOARD).add(line.version());
    addPresence(out, line);
    if (line.settings().isLogged()) {
      out.add(SALT).add(salt()).add(QUOTE);
    }
    out.add(tail).add(change);
    if (paused != null) {
      addPause(out, paused, line);
    }
    return out.add(END);
  }

  private byte[] salt() {
    byte[] made = salt;
    if (made == null) {
      made = Ascii.text(salts.of(key.queue(), key.user()));
      salt = made;
    }
    return made;
  }

  private static void addLane(Ascii out, InLane lane) {
    if (!lane.name().isEmpty()) {
      out.add(LANE).add(Ascii.text(lane.name())).add(QUOTE);
    }
    lane.atMostBefore().ifPresent(most -> out.add(AT_MOST).add(most));
  }

  private void addWait(Ascii out, @Nullable Estimate wait) {
    if (wait != null) {
      out.add(LOW).add(wait.lowSeconds()).add(HIGH).add(wait.highSeconds());
      out.add(AT).add(outlook.now()).add(AT_END);
    }
  }

  private void addPresence(Ascii out, LineState line) {
    Door door = line.settings().door();
    if (door.asks()) {
      out.add(PROOF);
    }
    if (door.looks()) {
      out.add(GRACE).add(door.absenceGraceSeconds());
      if (outlook.lookout().isBack(key)) {
        out.add(PASSED_OVER);
      }
    }
  }

  private void addPause(Ascii out, PausedBy paused, LineState line) {
    out.add(PAUSED).add(Ascii.text(paused.word())).add(QUOTE);
    if (paused == PausedBy.OPERATOR && !line.state().reason().isEmpty()) {
      out.add(outlook.reason(line.state()));
    }
  }
}
