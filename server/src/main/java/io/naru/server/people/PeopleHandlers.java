package io.naru.server.people;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;

import io.naru.history.History;
import io.naru.history.Past;
import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryTokens;
import io.naru.queue.Erased;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.queue.Removed;
import io.naru.queue.UserId;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import io.naru.server.keys.KeyRing;
import io.naru.server.keys.SigningKeys;
import io.naru.server.pass.Passes;
import java.net.URLDecoder;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code …/people}: one person in a queue, found, explained, taken out, erased. What is logged of
 * it names the entry by when it joined, never the person.
 */
public final class PeopleHandlers {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final Problem NOT_FOUND =
      Problem.of(
          404,
          "person-not-found",
          "Person not found",
          "nobody of that name, token or pass is kept in this queue");
  private static final Problem NO_TURN =
      Problem.of(
          409, "no-turn", "No turn", "this person is not inside, so there is no pass to revoke");

  /** A person comes back some times; whoever came more often has pages. */
  private static final int DEFAULT_PAGE = 20;

  private static final int MAX_PAGE = 1_000;
  private static final int MAX_FIND = 2_000;

  /** Each of them forgets many entries. */
  private static final int MAX_ROUNDS = 200;

  /** For somebody with very many entries. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final int ERASED_BYTES = 12;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Queues queues;
  private final Line line;
  private final @Nullable History history;
  private final EntryTokens tokens;
  private final Passes passes;
  private final SigningKeys keys;
  private final Predicate<QueueId> isAway;
  private final InstantSource clock;
  private final PersonJson json;

  /**
   * @param history null where nothing keeps it
   * @param isAway whether nobody can be let in to a queue, because what decides about it does not
   *     work
   */
  public PeopleHandlers(
      Queues queues,
      Line line,
      @Nullable History history,
      EntryTokens tokens,
      Passes passes,
      SigningKeys keys,
      Predicate<QueueId> isAway,
      InstantSource clock) {
    this.queues = queues;
    this.line = line;
    this.history = history;
    this.tokens = tokens;
    this.passes = passes;
    this.keys = keys;
    this.isAway = isAway;
    this.clock = clock;
    this.json = new PersonJson(passes);
  }

  public void person(Exchange exchange) {
    show(exchange, kept(), user(exchange));
  }

  /** By a name, an entry token, a pass or its id. */
  public void find(Exchange exchange) {
    History kept = kept();
    String text = exchange.query("find");
    if (text == null || text.isEmpty() || text.length() > MAX_FIND) {
      throw new InvalidValue(
          "find", "a user, an entry token, a pass or its id", "is missing or too long");
    }
    QueueId queue = exchange.queue();
    Optional<String> byToken =
        tokens.read(text).filter(key -> key.queue().equals(queue)).map(key -> key.user());
    if (byToken.isPresent()) {
      show(exchange, kept, byToken.get());
      return;
    }
    exchange.then(
        byPass(kept, queue, text),
        found -> {
          String user = found.orElse(text);
          if (UserId.isValid(user)) {
            show(exchange, kept, user);
          } else {
            exchange.problem(NOT_FOUND);
          }
        });
  }

  /** Whose pass this is, or whose pass has this id. */
  private CompletionStage<Optional<String>> byPass(History kept, QueueId queue, String text) {
    return Passes.named(text)
        .map(
            named ->
                kept.entry(queue, named.joined())
                    .thenApply(
                        found ->
                            found
                                .map(Past::entry)
                                .filter(entry -> entry.entered() > 0)
                                .filter(entry -> passes.idOf(entry).equals(named.id()))
                                .map(entry -> entry.key().user())))
        .orElse(completedStage(Optional.empty()));
  }

  private void show(Exchange exchange, History kept, String user) {
    QueueId queue = exchange.queue();
    int limit = limit(exchange.query("limit"));
    long before = before(exchange.query("after"));
    withLatest(
        exchange,
        kept,
        user,
        latest ->
            exchange.then(
                kept.entries(queue, user, before, limit + 1),
                found ->
                    exchange.then(
                        queues.find(queue),
                        overview ->
                            exchange.then(
                                line.locate(queue, user),
                                standing ->
                                    show(
                                        exchange,
                                        user,
                                        latest,
                                        found.orElse(List.of()),
                                        limit,
                                        overview,
                                        standing)))));
  }

  private void show(
      Exchange exchange,
      String user,
      Past latest,
      List<Past> found,
      int limit,
      Optional<Overview> overview,
      Standing standing) {
    if (overview.isEmpty()) {
      exchange.problem(Problems.QUEUE_NOT_FOUND);
      return;
    }
    // The line does not know those who left, nor what is long over.
    Place place =
        standing instanceof Standing.Found(var there)
                && there.entry().key().equals(latest.entry().key())
            ? there
            : null;
    boolean hasMore = found.size() > limit;
    List<Explained> why =
        Explained.of(
            latest, place, overview.get(), isAway.test(exchange.queue()), Micros.now(clock));
    exchange.json(
        200, json.of(user, hasMore ? found.subList(0, limit) : found, hasMore, place, why));
  }

  public void remove(Exchange exchange) {
    String user = user(exchange);
    exchange.then(
        queues.remove(exchange.queue(), user, EndReason.REMOVED, exchange.actor()),
        removed -> {
          switch (removed) {
            case Removed.Done(var entry) -> ended(exchange, "REMOVE", entry, EndReason.REMOVED);
            case Removed.Nobody _ -> exchange.problem(NOT_FOUND);
            case Removed.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
            case Removed.NeedsLedger _ -> exchange.problem(needsLedger());
          }
        });
  }

  /** First the pass: should the rest fail, nobody gets in with it. */
  public void revoke(Exchange exchange) {
    History kept = kept();
    String user = user(exchange);
    withLatest(
        exchange,
        kept,
        user,
        latest -> {
          Entry entry = latest.entry();
          if (entry.status() != Status.ENTERED) {
            exchange.problem(NO_TURN);
            return;
          }
          exchange.then(
              revoked(List.of(entry), exchange.actor())
                  .thenCompose(
                      _ ->
                          queues.remove(
                              exchange.queue(), user, EndReason.REVOKED, exchange.actor())),
              _ -> ended(exchange, "REVOKE", entry, EndReason.REVOKED));
        });
  }

  private void ended(Exchange exchange, String act, Entry entry, EndReason reason) {
    audit(exchange, act + " the entry of " + Micros.iso(entry.key().joined()));
    exchange.json(
        200,
        Json.object(
            answer -> {
              answer.writeStringProperty("status", Status.LEFT.name());
              answer.writeStringProperty("reason", reason.text());
            }));
  }

  /**
   * A pass's id is made of the name, so the gates would no longer hear of a turn that is over: what
   * could still be good is revoked before.
   */
  public void erase(Exchange exchange) {
    History kept = kept();
    QueueId queue = exchange.queue();
    String user = user(exchange);
    byte[] random = new byte[ERASED_BYTES];
    RANDOM.nextBytes(random);
    exchange.mayTake(PATIENCE);
    String name = "erased-" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    withLatest(
        exchange,
        kept,
        user,
        _ ->
            exchange.then(
                kept.entries(queue, user, Long.MAX_VALUE, MAX_PAGE)
                    .thenCompose(
                        found -> revoked(stillGood(found.orElse(List.of())), exchange.actor()))
                    .thenCompose(_ -> erase(exchange, kept, user, name, 1)),
                erased -> {
                  if (erased == Erased.NO_QUEUE) {
                    exchange.problem(Problems.QUEUE_NOT_FOUND);
                  } else {
                    audit(exchange, "ERASE a person");
                    exchange.response().setStatusCode(204).end();
                  }
                }));
  }

  /** Until nothing is left of the name. */
  private CompletionStage<Erased> erase(
      Exchange exchange, History kept, String user, String name, int round) {
    QueueId queue = exchange.queue();
    return queues
        .erase(queue, user, name, exchange.actor())
        .thenCompose(
            erased ->
                kept.entries(queue, user, Long.MAX_VALUE, 1)
                    .thenCompose(
                        left -> {
                          if (left.orElse(List.of()).isEmpty()) {
                            return completedStage(erased);
                          }
                          return round < MAX_ROUNDS
                              ? erase(exchange, kept, user, name, round + 1)
                              : failedStage(
                                  new QueueUnavailable(
                                      QueueUnavailable.Kind.OVERLOADED,
                                      "somebody comes back faster than they are erased"));
                        }));
  }

  private List<Entry> stillGood(List<Past> all) {
    long now = Micros.now(clock);
    return all.stream().map(Past::entry).filter(entry -> entry.until() > now).toList();
  }

  /** Revokes their passes, on a thread that may wait. */
  private CompletionStage<Void> revoked(List<Entry> entries, Actor by) {
    return CompletableFuture.runAsync(
            () ->
                entries.forEach(each -> keys.revokePass(passes.idOf(each), each.key().queue(), by)),
            task -> Thread.ofVirtual().start(task))
        .exceptionallyCompose(
            e ->
                failedStage(
                    e instanceof CompletionException c
                            && c.getCause() instanceof KeyRing.TooMany many
                        ? new Problem.Found(
                            Problem.of(
                                409,
                                "too-many-keys",
                                "Too many keys",
                                String.valueOf(many.getMessage())))
                        : e));
  }

  /** Goes on with somebody's latest entry, or says that there is none. */
  private void withLatest(Exchange exchange, History kept, String user, Consumer<Past> next) {
    exchange.then(
        kept.entries(exchange.queue(), user, Long.MAX_VALUE, 1),
        found -> {
          if (found.isEmpty()) {
            exchange.problem(Problems.QUEUE_NOT_FOUND);
          } else if (found.get().isEmpty()) {
            exchange.problem(NOT_FOUND);
          } else {
            next.accept(found.get().getFirst());
          }
        });
  }

  private History kept() {
    if (history == null) {
      throw new Problem.Found(needsLedger());
    }
    return history;
  }

  private static Problem needsLedger() {
    return Problem.withoutLedger("people and what they did");
  }

  /** The name in the path, in which anything may be encoded. */
  private static String user(Exchange exchange) {
    try {
      String raw = exchange.parameter(2).replace("+", "%2B");
      String user = URLDecoder.decode(raw, ISO_8859_1);
      if (UserId.isValid(user)) {
        return user;
      }
    } catch (IllegalArgumentException e) {
      // Said below, as for a name that nobody can have.
    }
    throw new InvalidValue("user", UserId.ALLOWED, "is not one");
  }

  private static int limit(@Nullable String text) {
    if (text == null) {
      return DEFAULT_PAGE;
    }
    try {
      int wanted = Integer.parseInt(text);
      if (wanted >= 1 && wanted <= MAX_PAGE) {
        return wanted;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    throw new InvalidValue("limit", "1.." + MAX_PAGE, "is not a whole number in range");
  }

  /** Behind which entry the page begins, which is earlier: the latest come first. */
  private static long before(@Nullable String text) {
    if (text == null) {
      return Long.MAX_VALUE;
    }
    try {
      return Micros.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new InvalidValue("after", "the next of a page before", "is not one");
    }
  }

  private static void audit(Exchange exchange, String act) {
    audit.info(
        "{} {} by {} from {}",
        act,
        exchange.queue(),
        exchange.actor().who(),
        exchange.actor().from());
  }
}
