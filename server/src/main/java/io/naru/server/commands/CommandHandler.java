package io.naru.server.commands;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedStage;

import io.naru.kafka.Commands;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Signal;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.UserId;
import io.naru.server.admin.AdminHandlers;
import io.naru.server.admin.SignalHandler;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completions, stock and signals, as bodies of the calls of the same name with a {@code kind}. Who
 * may write to the topic is who may do that; the topic's rights say so.
 */
public final class CommandHandler implements Commands {

  private static final String KINDS = "complete, stock or signal";

  private final Queues queues;
  private final Consumer<QueueId> heard;
  private final InstantSource clock;

  /**
   * @param heard told of every signal that counts
   */
  public CommandHandler(Queues queues, Consumer<QueueId> heard, InstantSource clock) {
    this.queues = queues;
    this.heard = heard;
    this.clock = clock;
  }

  @Override
  public CompletionStage<Optional<String>> apply(byte[] body, Instant written) {
    try {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>(Json.read(Buffer.buffer(body)));
      String kind = fields.remove("kind") instanceof String word ? word : "";
      QueueId queue = Exchange.queueIn(fields);
      CompletionStage<Optional<String>> applied =
          switch (kind) {
            case "complete" -> complete(queue, fields);
            case "stock" -> stock(queue, fields);
            case "signal" -> signal(queue, fields, written);
            default -> throw new InvalidValue("kind", KINDS, "is '" + kind + "'");
          };
      return applied.exceptionallyCompose(CommandHandler::refusedOrLater);
    } catch (InvalidValue e) {
      return refused(e.getMessage());
    } catch (Problem.Found e) {
      return refused(e.problem().detail());
    }
  }

  /** What is wrong with the command is so for ever; with anything else it may work later. */
  private static CompletionStage<Optional<String>> refusedOrLater(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof InvalidValue ? refused(cause.getMessage()) : failedStage(cause);
  }

  private static CompletionStage<Optional<String>> refused(@Nullable String reason) {
    return completedFuture(Optional.of(reason == null ? "it is not understood" : reason));
  }

  private CompletionStage<Optional<String>> complete(
      QueueId queue, Map<String, @Nullable Object> fields) {
    Set<String> known = Set.of("eventType", "eventId", "user", "joinedAt");
    for (String name : fields.keySet()) {
      if (!known.contains(name)) {
        throw new InvalidValue(
            name, "kind, eventType, eventId, user, joinedAt", "is not a field of this command");
      }
    }
    if (!(fields.get("user") instanceof String user)) {
      throw new InvalidValue("user", "text", "is missing or not text");
    }
    if (!UserId.isValid(user)) {
      throw new InvalidValue("user", UserId.ALLOWED, "is not a valid user id");
    }
    var entry = new EntryKey(queue, user, joined(fields.get("joinedAt")));
    return queues
        .complete(entry, CompletedBy.SITE)
        .thenApply(
            ended ->
                ended == Ended.DONE
                    ? Optional.empty()
                    : Optional.of("nobody is inside " + queue + " with that user and joinedAt"));
  }

  /** As events have it, to the microsecond: with the user it names the very entry. */
  private static long joined(@Nullable Object given) {
    try {
      if (given instanceof String text) {
        return Micros.of(OffsetDateTime.parse(text).toInstant());
      }
    } catch (DateTimeParseException | ArithmeticException e) {
      // Said below, as for what is no text.
    }
    throw new InvalidValue("joinedAt", "an instant as 2026-03-01T20:00:00.123456Z", "is not one");
  }

  private CompletionStage<Optional<String>> stock(
      QueueId queue, Map<String, @Nullable Object> fields) {
    return queues
        .push(queue, AdminHandlers.readStock(fields))
        .thenApply(
            pushed ->
                switch (pushed) {
                  case Pushed.Taken _, Pushed.Older _ -> Optional.empty();
                  case Pushed.Off _ -> Optional.of(queue + " does not go by stock");
                  case Pushed.NoQueue _ -> noQueue(queue);
                  case Pushed.NeedsLedger _ -> Optional.of("stock needs a ledger");
                });
  }

  private CompletionStage<Optional<String>> signal(
      QueueId queue, Map<String, @Nullable Object> fields, Instant written) {
    return queues
        .signal(queue, inTime(SignalHandler.read(fields), written))
        .thenApply(
            signaled ->
                switch (signaled) {
                  case HEARD -> {
                    heard.accept(queue);
                    yield Optional.empty();
                  }
                  case NOT_ADAPTIVE -> Optional.empty();
                  case NO_QUEUE -> noQueue(queue);
                  case NEEDS_LEDGER -> Optional.of("signals need a ledger");
                });
  }

  /**
   * One that does not say of when it is, is of when it was written: it may come late, or again, and
   * is then no news. A clock that is ahead of ours shall not make it one of the future.
   */
  private Signal inTime(Signal signal, Instant written) {
    return signal.at() != 0 || written.equals(Instant.EPOCH) || written.isAfter(clock.instant())
        ? signal
        : new Signal(
            signal.source(),
            signal.count(),
            signal.errors(),
            signal.p95Millis(),
            Micros.of(written));
  }

  private static Optional<String> noQueue(QueueId queue) {
    return Optional.of("there is no queue " + queue);
  }
}
