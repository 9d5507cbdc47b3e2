package io.naru.server.stream;

import io.naru.line.Line;
import io.naru.line.Move;
import io.naru.line.Spot;
import io.naru.line.Standing;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.Problems;
import io.naru.server.entry.Shown;
import io.naru.server.entry.WaitingJson;
import io.naru.server.http.Problem;
import io.naru.server.stream.Frames.Farewell;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One open stream of somebody who waits. All of it happens on the event loop of its connection.
 *
 * <p>What a reader does not take is not piled up: a message is made when it can be sent, of the
 * place as it is then.
 */
final class Viewer {

  /** How long a reader may take nothing before it is cut off. */
  private static final long SLOW_MILLIS = 10_000;

  /** A place is asked for at most so often; less often while the answer does not help. */
  private static final long ASK_MILLIS = 250;

  private static final long ASK_IN_VAIN_MILLIS = 2_000;

  /** How long a line may take to get where the visitor saw it. Then it is another line. */
  private static final long CATCH_UP_MILLIS = 10_000;

  private final EntryKey key;
  private final Watch watch;
  private final EntryJson entries;
  private final Outlet outlet;
  private final Frames frames;
  private final WaitingJson json;
  private final Spot spot;
  private long ticket;
  private final Runnable whenOver;
  private final long bornAt;
  private final long endsAt;

  /** What the visitor saw before this stream; nothing older is shown for a while. */
  private final long seenChange;

  /** The last news of the board that it was sent. */
  private int sentBoard;

  private long sentAhead = Long.MAX_VALUE;
  private long sentAt;
  private long mayAskAt;
  private long fullSince;
  private boolean isAsking;
  private boolean mustAsk;
  private boolean isOver;

  /** Where it is in its watch's list. */
  int index;

  /** The stream of the same entry that was opened before this one. */
  @Nullable Viewer older;

  Viewer(
      Place place,
      Watch watch,
      Outlet outlet,
      EntryJson entries,
      long seenChange,
      long now,
      Runnable whenOver) {
    this.key = place.entry().key();
    this.watch = watch;
    this.entries = entries;
    this.outlet = outlet;
    this.frames = outlet.frames();
    this.json = entries.waiting(key);
    this.spot = new Spot(place.score(), place.ahead(), place.line().change());
    this.ticket = place.ticket();
    this.seenChange = seenChange;
    this.whenOver = whenOver;
    long life = Streams.LIFE.toMillis();
    this.bornAt = now;
    this.endsAt = now + ThreadLocalRandom.current().nextLong(life * 9 / 10, life);
    this.sentAt = now;
    this.mayAskAt = now;
  }

  EntryKey key() {
    return key;
  }

  Watch watch() {
    return watch;
  }

  /** The first message, unless the visitor has this very state already. */
  void begin(LineState line, long now) {
    outlet.begin(this::over);
    List<Buffer> first = new ArrayList<>();
    first.add(frames.retry());
    if (seenChange == spot.change()) {
      sentAhead = aheadOf(shown(line));
    } else if (mayShow(now)) {
      first.add(message(line, now));
    }
    first.addAll(news());
    write(first);
  }

  /** The board, unless it was told already. */
  private List<Buffer> news() {
    boolean isNews = sentBoard != watch.board().number();
    sentBoard = watch.board().number();
    return isNews ? List.of(watch.board().frame(frames)) : List.of();
  }

  /** The board if that is news, and then this. */
  private List<Buffer> newsAnd(Buffer message) {
    List<Buffer> all = new ArrayList<>(news());
    all.add(message);
    return all;
  }

  /** Nothing is said of a place that is not known, or older than one that was shown. */
  private boolean mayShow(long now) {
    return spot.isKnown() && (spot.change() >= seenChange || now - bornAt >= CATCH_UP_MILLIS);
  }

  /** Moves on with the line. */
  void follow(List<Move> moves, Line line, long now) {
    if (isOver || isAsking || mustAsk) {
      return;
    }
    switch (spot.follow(moves)) {
      case SAME, NEARER -> {}
      case OUT -> ask(line, now);
      case LOST -> askSoon();
    }
  }

  /** The moves are lost: the place must be asked for again. */
  void askSoon() {
    mustAsk = true;
  }

  /** Sends what is due, and asks what must be asked. */
  void beat(Line line, LineState state, long now) {
    if (isOver) {
      return;
    }
    entries.lookout().see(key, spot.score(), spot.ahead(), state);
    if (mustAsk && !isAsking && now >= mayAskAt) {
      ask(line, now);
    }
    if (isOver || isTooSlow(now)) {
      return;
    }
    if (now >= endsAt) {
      end(List.of(frames.farewell(Farewell.LIFETIME)));
      return;
    }
    if (sentBoard != watch.board().number()) {
      boardChanged(state, now);
      return;
    }
    long silence = now - sentAt;
    long ahead = aheadOf(shown(state));
    boolean isNews = ahead < watch.near() && ahead < sentAhead && silence >= Streams.MIN_GAP_MILLIS;
    if (mayShow(now) && (isNews || silence >= Streams.HEARTBEAT_MILLIS)) {
      outlet.send(message(state, now));
      watch.sent();
    } else if (silence >= Streams.HEARTBEAT_MILLIS) {
      sentAt = now;
      outlet.stillHere();
      watch.sent();
    }
  }

  /** Says what is new of the queue, and at once what that is for one's own place. */
  private void boardChanged(LineState state, long now) {
    // Whoever may have gone in just before the end is asked for first.
    boolean isInLine = !isAsking && !mustAsk && spot.isKnown() && spot.change() >= state.change();
    if (state.state().isEnded() && isInLine) {
      end(newsAnd(frames.last(endedPlace(state), entries, outlet.requestId())));
    } else if (!state.state().isEnded()) {
      write(mayShow(now) ? newsAnd(message(state, now)) : news());
    }
  }

  private Place endedPlace(LineState state) {
    return new Place(Entry.waiting(key), spot.score(), spot.ahead(), ticket, state);
  }

  private boolean isTooSlow(long now) {
    if (!outlet.isFull()) {
      fullSince = 0;
      return false;
    }
    if (fullSince == 0) {
      fullSince = now;
    } else if (now - fullSince > SLOW_MILLIS) {
      cutOff();
    }
    return true;
  }

  void cutOff() {
    watch.cutOff();
    over();
    outlet.cut();
  }

  private Shown shown(LineState line) {
    return entries.outlook().shown(key, spot.score(), spot.ahead(), line);
  }

  /** As far from the front as can be while there is no place. */
  private static long aheadOf(Shown shown) {
    return shown.isKnown() ? shown.ahead() : Long.MAX_VALUE;
  }

  private Buffer message(LineState line, long now) {
    sentAt = now;
    sentAhead = aheadOf(shown(line));
    return frames.waiting(json, spot, ticket, line);
  }

  private void ask(Line line, long now) {
    isAsking = true;
    mustAsk = false;
    mayAskAt = now + ASK_MILLIS;
    watch.then(
        line.locate(key),
        (standing, failure) -> {
          isAsking = false;
          if (isOver) {
            return;
          }
          if (failure == null) {
            answered(standing, now);
          } else {
            // The last known place is shown until somebody can say more.
            askedInVain(now);
          }
        });
  }

  private void askedInVain(long now) {
    mayAskAt = now + ASK_IN_VAIN_MILLIS;
    mustAsk = true;
  }

  private void answered(Standing standing, long now) {
    switch (standing) {
      case Standing.Found(var place) -> found(place, now);
      case Standing.Unknown _ -> ended(Problems.ENTRY_NOT_FOUND);
      case Standing.NoQueue _ -> ended(Problems.QUEUE_NOT_FOUND);
    }
  }

  private void found(Place place, long now) {
    if (!place.entry().isWaiting()) {
      watch.board().see(place.line());
      end(newsAnd(frames.last(place, entries, outlet.requestId())));
    } else if (isRead(place)) {
      placed(place.line());
    } else {
      // Older than what is known here; the line will get there.
      askedInVain(now);
    }
  }

  private boolean isRead(Place place) {
    boolean isMoved = place.score() != spot.score();
    boolean isRead = spot.read(place.score(), place.ahead(), place.line().change());
    if (isRead) {
      ticket = place.ticket();
    }
    if (isRead && isMoved) {
      // In another lane, where more may be ahead.
      sentAhead = Long.MAX_VALUE;
    }
    return isRead;
  }

  /** The place was read when the line was so. */
  void placed(LineState line) {
    if (!watch.leadsOnFrom(line)) {
      askSoon();
    }
  }

  private void ended(Problem problem) {
    end(List.of(frames.ended(problem.json(outlet.requestId()))));
  }

  void leave(Farewell why) {
    if (!isOver) {
      end(List.of(frames.farewell(why)));
    }
  }

  private void write(List<Buffer> messages) {
    outlet.send(messages.toArray(Buffer[]::new));
    watch.sent();
  }

  private void end(List<Buffer> messages) {
    over();
    if (outlet.end(messages.toArray(Buffer[]::new))) {
      watch.sent();
    }
  }

  private void over() {
    if (!isOver) {
      isOver = true;
      watch.remove(this);
      whenOver.run();
    }
  }
}
