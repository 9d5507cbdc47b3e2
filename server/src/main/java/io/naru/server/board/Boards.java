package io.naru.server.board;

import io.naru.line.Line;
import io.naru.line.Score;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.content.Content;
import io.naru.server.content.Glances;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * {@code GET /queue/{type}/{id}/board} and its tiles: the same bytes for everybody, and whoever
 * stands between may keep them.
 */
public final class Boards {

  /** Also while a newer one is fetched: nobody waits for that. */
  private static final CharSequence FOR_A_SECOND =
      HttpHeaders.createOptimized("public, max-age=1, s-maxage=1, stale-while-revalidate=1");

  /** Of this address there are no other bytes, unless the queue is made anew. */
  private static final CharSequence FOR_A_MINUTE =
      HttpHeaders.createOptimized("public, max-age=60");

  private static final String TILE = "{lane}/{size}/{from}/{gone}, as the board has them";
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,12}");

  private final Queues queues;
  private final Line line;
  private final Outlook outlook;
  private final Glances<QueueId, Content> boards = new Glances<>((queue, _) -> read(queue));
  private final Glances<Asked, TileJson> tiles = new Glances<>((asked, _) -> read(asked));

  private record Asked(QueueId queue, Tile.Block block) {}

  public Boards(Queues queues, Line line, Outlook outlook) {
    this.queues = queues;
    this.line = line;
    this.outlook = outlook;
  }

  public void handle(Exchange exchange) {
    exchange.then(
        boards.find(exchange.queue()),
        found ->
            found.ifPresentOrElse(
                board -> send(exchange, board, FOR_A_SECOND),
                () -> exchange.problem(Problems.QUEUE_NOT_FOUND)));
  }

  /** What people wait with is read from the line alone: it is there while the ledger is not. */
  private CompletionStage<Optional<Content>> read(QueueId queue) {
    return line.tickets(queue)
        .exceptionally(_ -> Optional.empty())
        .thenCompose(
            tickets ->
                tickets.isPresent()
                    ? CompletableFuture.completedStage(
                        tickets.map(known -> BoardJson.of(queue, known, outlook)))
                    : queues
                        .find(queue)
                        .thenApply(
                            found -> found.map(seen -> BoardJson.of(queue, seen.line(), outlook))))
        .thenApply(board -> board.map(json -> new Content("application/json", json.getBytes())));
  }

  /** {@code GET …/board/{lane}/{size}/{from}/{gone}}. */
  public void tile(Exchange exchange) {
    QueueId queue = exchange.queue();
    Tile.Block block = block(exchange);
    String count = number(exchange, 5);
    exchange.then(
        tiles.find(new Asked(queue, block)),
        found ->
            found.ifPresentOrElse(
                tile -> {
                  boolean isAsAsked =
                      tile.isFinal() && count.equals(Integer.toString(tile.count()));
                  send(exchange, tile.content(), isAsAsked ? FOR_A_MINUTE : FOR_A_SECOND);
                },
                () -> exchange.problem(Problems.QUEUE_NOT_FOUND)));
  }

  private CompletionStage<Optional<TileJson>> read(Asked asked) {
    return line.tile(asked.queue, asked.block)
        .thenApply(found -> found.map(tile -> TileJson.of(asked.block, tile)));
  }

  /** From a ticket to the end of its block. */
  private static Tile.Block block(Exchange exchange) {
    long band = Long.parseLong(number(exchange, 2));
    long size = Long.parseLong(number(exchange, 3));
    long from = Long.parseLong(number(exchange, 4));
    boolean isSize =
        Long.bitCount(size) == 1 && size >= Tickets.LEAST_BLOCK && size <= Tickets.LARGEST_BLOCK;
    if (!isSize || band < Score.FALLBACK || band > Score.LAST_LANE || from < 0) {
      throw new InvalidValue("board", TILE, "has no such tile");
    }
    return new Tile.Block((int) band, from, (int) (size - from % size));
  }

  private static String number(Exchange exchange, int parameter) {
    String text = exchange.parameter(parameter);
    if (!NUMBER.matcher(text).matches()) {
      throw new InvalidValue("board", TILE, "has no such tile");
    }
    return text;
  }

  /** A page of any site may read what everybody may: so whoever stands between keeps it once. */
  private static void send(Exchange exchange, Content content, CharSequence kept) {
    HttpServerResponse response = exchange.response();
    response
        .headers()
        .remove(HttpHeaders.VARY)
        .remove(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS);
    response
        .putHeader(HttpHeaders.CACHE_CONTROL, kept)
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    content.send(exchange, 200);
  }
}
