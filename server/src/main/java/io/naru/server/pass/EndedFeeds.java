package io.naru.server.pass;

import io.naru.line.Line;
import io.naru.queue.QueueId;
import java.time.InstantSource;
import java.util.LinkedHashMap;

/** What this server knows of all queues' turns that are over, as far as somebody asks. */
public final class EndedFeeds {

  private static final int MAX_FEEDS = 10_000;

  private final Line line;
  private final Passes passes;
  private final InstantSource clock;
  private final LinkedHashMap<QueueId, EndedFeed> feeds = new LinkedHashMap<>(16, 0.75f, true);

  public EndedFeeds(Line line, Passes passes, InstantSource clock) {
    this.line = line;
    this.passes = passes;
    this.clock = clock;
  }

  synchronized EndedFeed of(QueueId queue) {
    EndedFeed known = feeds.get(queue);
    if (known != null) {
      return known;
    }
    makeRoom();
    var begun = new EndedFeed(queue, line, passes, clock);
    feeds.put(queue, begun);
    return begun;
  }

  /**
   * Anybody can ask for queues that do not exist. Those go first, all at once, so that looking for
   * them costs little; what is known of a queue would have to be read anew for its gates.
   */
  private void makeRoom() {
    var oldest = feeds.values().iterator();
    while (oldest.hasNext() && oldest.next().isWorthless()) {
      oldest.remove();
    }
    if (feeds.size() >= MAX_FEEDS) {
      feeds.values().removeIf(EndedFeed::isWorthless);
    }
    if (feeds.size() >= MAX_FEEDS) {
      feeds.pollFirstEntry();
    }
  }
}
