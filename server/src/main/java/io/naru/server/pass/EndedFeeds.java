package io.naru.server.pass;

import io.naru.line.Line;
import io.naru.queue.QueueId;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** What this server knows of all queues' turns that are over, as far as somebody asks. */
public final class EndedFeeds {

  private static final int MAX_FEEDS = 10_000;

  private final Line line;
  private final Passes passes;
  private final InstantSource clock;
  private final Map<QueueId, EndedFeed> feeds = new LinkedHashMap<>(16, 0.75f, true);

  public EndedFeeds(Line line, Passes passes, InstantSource clock) {
    this.line = line;
    this.passes = passes;
    this.clock = clock;
  }

  /** Anybody can ask for queues that do not exist: the first to be asked for goes first. */
  synchronized EndedFeed of(QueueId queue) {
    var oldest = feeds.values().iterator();
    while (oldest.hasNext() && (oldest.next().isWorthless() || feeds.size() >= MAX_FEEDS)) {
      oldest.remove();
    }
    return feeds.computeIfAbsent(queue, id -> new EndedFeed(id, line, passes, clock));
  }
}
