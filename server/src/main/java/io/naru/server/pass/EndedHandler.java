package io.naru.server.pass;

import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.server.http.Exchange;
import io.naru.server.keys.SigningKeys;
import io.naru.server.pass.EndedFeed.Cursor;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /queue/{type}/{id}/ended?after=CURSOR}: whose turn was over before their pass was, for
 * gates; what is new since the cursor, in parts. Anybody may ask: it says nothing about anybody
 * that could be read without their pass.
 */
public final class EndedHandler {

  private final EndedFeeds feeds;
  private final SigningKeys keys;

  public EndedHandler(EndedFeeds feeds, SigningKeys keys) {
    this.feeds = feeds;
    this.keys = keys;
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queue();
    Cursor after = cursor(exchange.query("after"));
    exchange.then(
        feeds.of(queue).after(after, part -> part.sign(keys.ring().inUse().key())),
        token -> exchange.send(200, "application/jwt", "no-store", Buffer.buffer(token)));
  }

  private static Cursor cursor(@Nullable String text) {
    if (text == null) {
      return new Cursor(0, 0);
    }
    return Cursor.parse(text)
        .orElseThrow(
            () ->
                new InvalidValue("after", "what the answer before has as born.to", "is not that"));
  }
}
