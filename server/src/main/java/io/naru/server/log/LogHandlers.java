package io.naru.server.log;

import io.naru.fair.Checkpoint;
import io.naru.fair.Merkle;
import io.naru.fair.Note;
import io.naru.fair.Receipt;
import io.naru.fair.Tiles;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.queue.Queues;
import io.naru.server.content.Glances;
import io.naru.server.entry.Problems;
import io.naru.server.entry.Salts;
import io.naru.server.http.Blocking;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.limits.AddressLimits;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /queue/{type}/{id}/log/…}: a log as C2SP's tlog-tiles has it, the same bytes for
 * everybody; and {@code GET /queue/token/{entryToken}/receipt}.
 */
public final class LogHandlers {

  private static final CharSequence TEXT = HttpHeaders.createOptimized("text/plain; charset=utf-8");
  private static final CharSequence BYTES = HttpHeaders.createOptimized("application/octet-stream");

  private static final CharSequence FOR_A_SECOND = HttpHeaders.createOptimized("public, max-age=1");

  private static final CharSequence FOR_AN_HOUR =
      HttpHeaders.createOptimized("public, max-age=3600");

  /** What is in a log never changes. */
  private static final CharSequence FOR_EVER =
      HttpHeaders.createOptimized("public, max-age=31536000, immutable");

  private static final Problem NO_LOG =
      Problem.of(404, "no-log", "No log", "this queue is not logged; see its setting log");
  private static final Problem PENDING =
      Problem.of(
              404, "log-pending", "Not in the log yet", "this is in the log in a moment; ask again")
          .retryAfter(1);
  private static final Problem NO_TILE =
      Problem.of(
          404,
          "no-tile",
          "No such tile",
          "the log has no such tile, or not as many in it; see its checkpoint");

  private static final String ENTRIES = "entries";
  private static final Pattern LEVEL = Pattern.compile("[0-9]|[1-5][0-9]");
  private static final Pattern WIDTH = Pattern.compile("[1-9][0-9]{0,2}");
  private static final String PARTIAL = ".p";

  /** A receipt takes some reads of the store, for which others wait, too. */
  private static final int MAX_RECEIPTS = 2;

  private static final long PATIENCE_MILLIS = 1_000;

  private final @Nullable LogStore store;
  private final Queues queues;
  private final EntryTokens tokens;
  private final Salts salts;
  private final LogKey key;
  private final AddressLimits limits;
  private final Semaphore receipts = new Semaphore(MAX_RECEIPTS);
  private final Glances<QueueId, Looked> looks = new Glances<>((queue, _) -> look(queue));

  /**
   * @param store null where no queue can be logged
   */
  public LogHandlers(
      @Nullable LogStore store,
      Queues queues,
      EntryTokens tokens,
      Salts salts,
      LogKey key,
      AddressLimits limits) {
    this.store = store;
    this.queues = queues;
    this.tokens = tokens;
    this.salts = salts;
    this.key = key;
    this.limits = limits;
  }

  /**
   * What there is of a queue.
   *
   * @param log empty where nothing is published, as in most: that, too, is asked once a second
   * @param isLogged whether something will be
   */
  private record Looked(Optional<Log> log, boolean isLogged) {}

  private CompletionStage<Optional<Looked>> look(QueueId queue) {
    CompletionStage<Optional<Log>> found =
        store == null ? CompletableFuture.completedStage(Optional.empty()) : store.log(queue);
    return found
        .thenApply(log -> log.filter(some -> !some.checkpoint().isEmpty()))
        .thenCompose(
            log ->
                log.isPresent()
                    ? CompletableFuture.completedStage(Optional.of(new Looked(log, true)))
                    : queues
                        .find(queue)
                        .thenApply(
                            there ->
                                there.map(o -> new Looked(log, o.queue().settings().isLogged()))));
  }

  /** Goes on with the log of a queue, or says why there is none. */
  private void withLog(Exchange exchange, QueueId queue, Consumer<Log> next) {
    exchange.then(
        looks.find(queue),
        found ->
            found
                .flatMap(Looked::log)
                .ifPresentOrElse(next, () -> exchange.problem(without(found))));
  }

  private static Problem without(Optional<Looked> found) {
    return found
        .map(looked -> looked.isLogged() ? PENDING : NO_LOG)
        .orElse(Problems.QUEUE_NOT_FOUND);
  }

  public void checkpoint(Exchange exchange) {
    withLog(
        exchange,
        exchange.queue(),
        log -> send(exchange, TEXT, FOR_A_SECOND, Buffer.buffer(log.checkpoint())));
  }

  public void key(Exchange exchange) {
    withLog(
        exchange,
        exchange.queue(),
        log -> send(exchange, TEXT, FOR_AN_HOUR, Buffer.buffer(keyOf(log) + "\n")));
  }

  private String keyOf(Log log) {
    return key.signer(log.origin()).verifier().toString();
  }

  /**
   * {@code …/log/tile/{level}/{n}}, {@code n} in groups of three digits, and {@code .p/{width}}
   * behind it for one that is not full; {@code entries} for a level are the records.
   */
  public void tile(Exchange exchange) {
    QueueId queue = exchange.queue();
    String level = exchange.parameter(2);
    Asked asked = asked(exchange);
    boolean isLevel = level.equals(ENTRIES) || LEVEL.matcher(level).matches();
    if (asked == null || !isLevel) {
      exchange.problem(NO_TILE);
      return;
    }
    withLog(
        exchange,
        queue,
        log -> {
          if (level.equals(ENTRIES)) {
            sendIfThere(exchange, records(log, asked));
          } else {
            sendIfThere(exchange, hashes(log, Integer.parseInt(level), asked));
          }
        });
  }

  /** Which tile, and how many of what is in it. */
  private record Asked(long number, int width) {}

  private static @Nullable Asked asked(Exchange exchange) {
    List<String> parts =
        new ArrayList<>(exchange.parameters().subList(3, exchange.parameters().size()));
    int width = HashTile.WIDTH;
    if (parts.size() > 1 && parts.get(parts.size() - 2).endsWith(PARTIAL)) {
      String given = parts.removeLast();
      width = WIDTH.matcher(given).matches() ? Integer.parseInt(given) : HashTile.WIDTH;
      if (width >= HashTile.WIDTH) {
        return null;
      }
      String last = parts.removeLast();
      parts.add(last.substring(0, last.length() - PARTIAL.length()));
    }
    long number = Tiles.ofNumber(String.join("/", parts));
    return number < 0 ? null : new Asked(number, width);
  }

  private CompletionStage<Optional<byte[]>> hashes(Log log, int level, Asked asked) {
    return theStore()
        .tile(log, level, asked.number)
        .thenApply(
            found ->
                found
                    .filter(tile -> tile.width() >= asked.width)
                    .map(tile -> Arrays.copyOf(tile.hashes(), asked.width * HashTile.HASH)));
  }

  private CompletionStage<Optional<byte[]>> records(Log log, Asked asked) {
    return theStore()
        .bundle(log, asked.number)
        .thenApply(
            found ->
                found
                    .filter(bundle -> bundle.count() >= asked.width)
                    .map(bundle -> BundleText.first(bundle, asked.width)));
  }

  /** Whoever has a log got it from there. */
  private LogStore theStore() {
    if (store == null) {
      throw new IllegalStateException("no queue is logged here");
    }
    return store;
  }

  private static void sendIfThere(Exchange exchange, CompletionStage<Optional<byte[]>> read) {
    exchange.then(
        read,
        found ->
            found.ifPresentOrElse(
                bytes -> send(exchange, BYTES, FOR_EVER, Buffer.buffer(bytes)),
                () -> exchange.problem(NO_TILE)));
  }

  /** A page of any site may read what everybody may. */
  private static void send(Exchange exchange, CharSequence type, CharSequence kept, Buffer body) {
    exchange
        .response()
        .headers()
        .remove(HttpHeaders.VARY)
        .remove(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS)
        .set(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, "*")
        .set("X-Content-Type-Options", "nosniff");
    exchange.send(200, type, kept, body);
  }

  /** {@code GET /queue/token/{entryToken}/receipt}. */
  public void receipt(Exchange exchange) {
    tokens
        .read(exchange.parameter(0))
        .ifPresentOrElse(
            entry -> receipt(exchange, entry),
            () -> exchange.problem(limits.missed(exchange, Problems.ENTRY_NOT_FOUND)));
  }

  private void receipt(Exchange exchange, EntryKey entry) {
    withLog(
        exchange,
        entry.queue(),
        log ->
            exchange.then(
                Blocking.call(() -> bounded(() -> receiptOf(log, entry))),
                found ->
                    found.ifPresentOrElse(
                        receipt -> exchange.json(200, Buffer.buffer(receipt.write())),
                        () -> exchange.problem(PENDING))));
  }

  private <T> T bounded(Supplier<T> step) {
    try {
      if (!receipts.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new QueueUnavailable(Kind.OVERLOADED, "too many receipts are being made");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable(Kind.DISCONNECTED, "this server is stopping", e);
    }
    try {
      return step.get();
    } finally {
      receipts.release();
    }
  }

  /** Empty as long as no checkpoint covers the record. */
  private Optional<Receipt> receiptOf(Log log, EntryKey entry) {
    Bundle bundle =
        theStore().bundleOf(log, entry.joined()).toCompletableFuture().join().orElse(null);
    if (bundle == null) {
      return Optional.empty();
    }
    List<String> records = BundleText.texts(bundle);
    for (int i = 0; i < records.size(); i++) {
      if (PublicRecord.joined(records.get(i)) == entry.joined()) {
        long index = bundle.number() * Tiles.WIDTH + i;
        return proved(log, entry, index, records.get(i));
      }
    }
    return Optional.empty();
  }

  private Optional<Receipt> proved(Log log, EntryKey entry, long index, String record) {
    long size = Checkpoint.ofText(Note.read(log.checkpoint()).text()).size();
    if (index >= size) {
      return Optional.empty();
    }
    var nodes = Tiles.nodes(size, new StoredTiles(theStore(), log));
    return Optional.of(
        new Receipt(
            log.origin(),
            entry.queue(),
            entry.joined(),
            entry.user(),
            salts.of(entry.queue(), entry.user()),
            index,
            record,
            Merkle.inclusion(index, size, nodes),
            log.checkpoint(),
            keyOf(log)));
  }
}
