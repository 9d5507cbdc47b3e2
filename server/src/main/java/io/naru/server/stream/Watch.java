package io.naru.server.stream;

import io.naru.line.Line;
import io.naru.line.Move;
import io.naru.line.Moved;
import io.naru.queue.LineState;
import io.naru.server.stream.Frames.Farewell;
import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The viewers of one queue on one event loop. Everything happens on that loop. */
final class Watch {

  private static final Logger log = LoggerFactory.getLogger(Watch.class);

  /** So many are sent a message before others on this loop get their turn. */
  private static final int SLICE = 256;

  /** While the moves stay lost, everybody is asked for again at most so often. */
  private static final long GAP_MILLIS = 2_000;

  private final Thread loop = Thread.currentThread();
  private final Context context;
  private final Line line;
  private final BoardNews board;
  private final LongConsumer placedAt;
  private final StreamCounts counts;
  private final List<Viewer> viewers = new ArrayList<>();
  private @Nullable LineState state;

  /** All moves up to this change have come by. */
  private long passed = -1;

  /** Whether the moves were lost since everybody was asked for last, and when that was. */
  private boolean isLost;

  private long askedAllAt = Long.MIN_VALUE / 2;
  private int next;
  private boolean isSending;

  /** See {@link #near()}. */
  private int near;

  /**
   * @param context on this thread
   * @param placedAt told the change of every place that was read
   */
  Watch(Context context, Line line, BoardNews board, LongConsumer placedAt, StreamCounts counts) {
    this.context = context;
    this.line = line;
    this.board = board;
    this.placedAt = placedAt;
    this.counts = counts;
  }

  void add(Viewer viewer, LineState read, long now) {
    viewer.index = viewers.size();
    viewers.add(viewer);
    viewer.placed(read);
    // By now at least as new as what was read.
    see(state == null ? read : state);
    viewer.begin(read, now);
  }

  void remove(Viewer viewer) {
    Viewer last = viewers.removeLast();
    if (!last.equals(viewer)) {
      viewers.set(viewer.index, last);
      last.index = viewer.index;
    }
  }

  /** Whether the moves to come lead on from there; if not, some have come by already. */
  boolean leadsOnFrom(LineState read) {
    if (state == null || read.change() >= state.change()) {
      state = read;
    }
    placedAt.accept(read.change());
    return read.change() >= passed;
  }

  void sent() {
    counts.send();
  }

  void cutOff() {
    counts.cutOff();
  }

  /** Goes on with an answer on this loop. */
  <T> void then(CompletionStage<T> stage, BiConsumer<? super T, ? super @Nullable Throwable> next) {
    stage.whenComplete(
        (result, failure) -> {
          if (Thread.currentThread().equals(loop)) {
            next.accept(result, failure);
          } else {
            context.runOnContext(_ -> next.accept(result, failure));
          }
        });
  }

  /**
   * A beat: the line moved on, or did not, or cannot say.
   *
   * @param moved null if the line did not answer
   */
  void beat(@Nullable Moved moved) {
    context.runOnContext(_ -> beatNow(moved, Streams.nowMillis()));
  }

  private void beatNow(@Nullable Moved moved, long now) {
    switch (moved) {
      case Moved.Steps(var newState, var moves) -> follow(newState, moves, now);
      case Moved.Gap _ -> isLost = true;
      case Moved.Older _ -> {}
      case null -> {}
    }
    if (isLost && now - askedAllAt >= GAP_MILLIS) {
      isLost = false;
      askedAllAt = now;
      viewers.forEach(Viewer::askSoon);
    }
    if (!isSending && !viewers.isEmpty()) {
      isSending = true;
      next = viewers.size();
      sendSome();
    }
  }

  private void follow(LineState newState, List<Move> moves, long now) {
    state = newState;
    passed = newState.change();
    if (moves.isEmpty()) {
      return;
    }
    // From the end: whoever ends is replaced by one that has had its turn.
    for (int i = viewers.size() - 1; i >= 0; i--) {
      viewers.get(i).follow(moves, line, now);
    }
  }

  /** What those who watch are told of the queue. */
  BoardNews board() {
    return board;
  }

  private void see(LineState current) {
    board.see(current);
    near = current.settings().pace().near();
  }

  /** Who has fewer than these ahead is told at once when that changes, all others by and by. */
  int near() {
    return near;
  }

  private void sendSome() {
    long now = Streams.nowMillis();
    next = Math.min(next, viewers.size());
    LineState current = state;
    if (current != null) {
      see(current);
    }
    for (int end = Math.max(0, next - SLICE); next > end && current != null; next--) {
      if (next <= viewers.size()) {
        beat(viewers.get(next - 1), current, now);
      }
    }
    isSending = next > 0 && current != null;
    if (isSending) {
      context.runOnContext(_ -> sendSome());
    }
  }

  private void beat(Viewer viewer, LineState current, long now) {
    try {
      viewer.beat(line, current, now);
    } catch (RuntimeException e) {
      // Whatever is wrong with one of them, the others see their places.
      log.warn("a stream failed", e);
      viewer.cutOff();
    }
  }

  /** Tells everybody to come back elsewhere. */
  void leaveAll(Farewell why, Runnable done) {
    context.runOnContext(
        _ -> {
          for (int i = viewers.size() - 1; i >= 0; i--) {
            viewers.get(i).leave(why);
          }
          done.run();
        });
  }

  void leave(Viewer viewer, Farewell why) {
    context.runOnContext(_ -> viewer.leave(why));
  }
}
