package io.naru.server;

import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.queue.EntryKey;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Shows everybody the place that they had when they first asked, as if it were that of now. */
final class WrongLine implements Line {

  static final String STALE_PLACE = "stale-place";

  private final Line right;
  private final Map<String, Place> first = new ConcurrentHashMap<>();

  WrongLine(Line right) {
    this.right = right;
  }

  @Override
  public CompletionStage<Standing> locate(QueueId queue, String user) {
    CompletionStage<Standing> now = right.locate(queue, user);
    return queue.id().equals(STALE_PLACE) ? now.thenApply(standing -> old(user, standing)) : now;
  }

  @Override
  public CompletionStage<Standing> earlier(EntryKey entry) {
    return right.earlier(entry);
  }

  @Override
  public CompletionStage<Moved> since(QueueId queue, long change) {
    return right.since(queue, change);
  }

  @Override
  public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
    return right.over(queue, after, each);
  }

  private Standing old(String user, Standing now) {
    if (!(now instanceof Standing.Found(var place)) || !place.entry().isWaiting()) {
      return now;
    }
    Place old = first.computeIfAbsent(user, _ -> place);
    return new Standing.Found(
        new Place(place.entry(), place.score(), old.ahead(), place.ticket(), place.line()));
  }
}
