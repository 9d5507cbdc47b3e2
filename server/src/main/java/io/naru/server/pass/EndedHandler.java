package io.naru.server.pass;

import io.naru.line.Line;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.server.http.Exchange;
import io.naru.server.keys.SigningKeys;
import io.naru.server.pass.EndedFeed.Cursor;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /queue/{type}/{id}/ended?after=CURSOR}: whose turn was over before their pass was, for
 * gates; what is new since the cursor, in parts. Anybody may ask: it says nothing about anybody
 * that could be read without their pass.
 */
public final class EndedHandler {

  private static final int MAX_FEEDS = 10_000;
  private static final Pattern CURSOR = Pattern.compile("(\\d{1,18})\\.(\\d{1,18})");

  private final Line line;
  private final Passes passes;
  private final SigningKeys keys;
  private final InstantSource clock;
  private final Map<QueueId, EndedFeed> feeds = new LinkedHashMap<>(16, 0.75f, true);

  public EndedHandler(Line line, Passes passes, SigningKeys keys, InstantSource clock) {
    this.line = line;
    this.passes = passes;
    this.keys = keys;
    this.clock = clock;
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queue();
    Cursor after = cursor(exchange.query("after"));
    EndedFeed feed = feedOf(queue);
    exchange.then(
        feed.after(after, part -> part.sign(keys.ring().inUse().key())),
        token -> exchange.send(200, "application/jwt", "no-store", Buffer.buffer(token)));
  }

  private static Cursor cursor(@Nullable String text) {
    if (text == null) {
      return new Cursor(0, 0);
    }
    Matcher matcher = CURSOR.matcher(text);
    if (!matcher.matches()) {
      throw new InvalidValue("after", "what the answer before has as born.to", "is not that");
    }
    return new Cursor(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
  }

  /** Anybody can ask for queues that do not exist: the first to be asked for goes first. */
  private synchronized EndedFeed feedOf(QueueId queue) {
    var oldest = feeds.values().iterator();
    while (oldest.hasNext() && (oldest.next().isWorthless() || feeds.size() >= MAX_FEEDS)) {
      oldest.remove();
    }
    return feeds.computeIfAbsent(queue, id -> new EndedFeed(id, line, passes, clock));
  }
}
