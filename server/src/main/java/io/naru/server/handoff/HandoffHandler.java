package io.naru.server.handoff;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.HandedOff;
import io.naru.queue.HandoffCodes;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import io.naru.server.identity.Identity;
import io.naru.server.limits.AddressLimits;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /queue/{type}/{id}/handoff}: takes one's place along to another device. Without a
 * body, whoever waits gets a link for some minutes, as a picture too; with the {@code code} of that
 * link, whoever opens it has the place from then on, and the first device does not.
 *
 * <p>The code stands behind the {@code #} of the link, which browsers send to nobody.
 */
public final class HandoffHandler {

  private static final Problem NOT_WAITING =
      Problem.of(
          409,
          "not-waiting",
          "Not waiting",
          "only a place in line can be taken along, and you do not wait here");

  private static final Problem SITE_NAMES =
      Problem.of(
          409,
          "identity-from-site",
          "Identity from the site",
          "the site says who you are: log in on the other device, your place is there too");

  private static final Problem INVALID =
      Problem.of(
          403,
          "handoff-invalid",
          "Link invalid",
          "this link is none of this queue, or older than five minutes; the place stays where it is");

  private static final Problem USED =
      Problem.of(
          410,
          "handoff-used",
          "Link used",
          "this link was used, or the place is gone; where it was taken along to, it stays");

  private static final Problem HAS_PLACE =
      Problem.of(
          409,
          "handoff-has-place",
          "Has a place",
          "this device has a place of its own here: leave it first, then open the link again");

  private static final Problem NOT_NOW =
      Problem.of(
              409,
              "handoff-not-now",
              "Not now",
              "the place is just being decided: open the link again in a moment")
          .retryAfter(2);

  private static final Problem NEEDS_LEDGER =
      Problem.needsLedger("handoff", "the device that has the place");

  private static final Pattern ATTEMPT = Pattern.compile("[A-Za-z0-9_-]{22,64}");
  private static final String ATTEMPT_ALLOWED = "22 to 64 characters of base64url";

  private final Queues queues;
  private final Line line;
  private final Identity identity;
  private final EntryTokens tokens;
  private final HandoffCodes codes;
  private final EntryJson entries;
  private final AddressLimits limits;
  private final Supplier<String> publicUrl;
  private final boolean hasLedger;

  /**
   * @param publicUrl the address that visitors know this server by
   * @param hasLedger false where Redis decides alone, and no place can be taken along
   */
  public HandoffHandler(
      Queues queues,
      Line line,
      Identity identity,
      EntryTokens tokens,
      HandoffCodes codes,
      EntryJson entries,
      AddressLimits limits,
      Supplier<String> publicUrl,
      boolean hasLedger) {
    this.queues = queues;
    this.line = line;
    this.identity = identity;
    this.tokens = tokens;
    this.codes = codes;
    this.entries = entries;
    this.limits = limits;
    this.publicUrl = publicUrl;
    this.hasLedger = hasLedger;
  }

  public void handle(Exchange exchange) {
    Map<String, @Nullable Object> body = exchange.body();
    String code = code(body);
    String attempt = attempt(body);
    if (!hasLedger) {
      // Now, and not to whoever opens a link that was given out.
      exchange.problem(NEEDS_LEDGER);
      return;
    }
    if (code == null) {
      ofWhoAsks(exchange, entry -> give(exchange, entry));
      return;
    }
    codes
        .read(code)
        .filter(entry -> entry.queue().equals(exchange.queue()))
        .ifPresentOrElse(
            entry -> take(exchange, entry, code, attempt),
            () -> exchange.problem(limits.missed(exchange, INVALID)));
  }

  private static @Nullable String code(Map<String, @Nullable Object> body) {
    for (String field : body.keySet()) {
      if (!field.equals("code") && !field.equals("attempt")) {
        throw new InvalidValue(field, "code or attempt", "is not a field of this call");
      }
    }
    if (body.isEmpty()) {
      return null;
    }
    if (!(body.get("code") instanceof String code)) {
      throw new InvalidValue("code", "the code of a link", "is not text");
    }
    return code;
  }

  private static @Nullable String attempt(Map<String, @Nullable Object> body) {
    if (!body.containsKey("attempt")) {
      return null;
    }
    if (!(body.get("attempt") instanceof String attempt) || !ATTEMPT.matcher(attempt).matches()) {
      throw new InvalidValue("attempt", ATTEMPT_ALLOWED, "is not such text");
    }
    return attempt;
  }

  /**
   * Who opens a link. Of somebody new the answer may be lost, and with it the cookie that says who
   * has the place now: whoever asks again with what they alone know is the same one.
   */
  private String taker(Exchange exchange, String code, @Nullable String attempt) {
    return attempt == null
        ? identity.userOrNew(exchange)
        : identity.userOrNew(exchange, code + " " + attempt);
  }

  /** The entry that the token is of, or that the visitor has; if it waits. */
  private void ofWhoAsks(Exchange exchange, Consumer<EntryKey> next) {
    QueueId queue = exchange.queue();
    String bearer = identity.entryToken(exchange);
    if (bearer != null) {
      tokens
          .read(bearer)
          .filter(entry -> entry.queue().equals(queue))
          .ifPresentOrElse(
              entry -> exchange.then(line.locate(entry), at -> ifWaiting(exchange, at, next)),
              () -> exchange.problem(limits.missed(exchange, Problems.ENTRY_NOT_FOUND)));
      return;
    }
    Optional<String> user = identity.userOf(exchange);
    if (user.isEmpty()) {
      exchange.problem(Problems.ENTRY_NOT_FOUND);
    } else {
      exchange.then(line.locate(queue, user.get()), at -> ifWaiting(exchange, at, next));
    }
  }

  private static void ifWaiting(Exchange exchange, Standing standing, Consumer<EntryKey> next) {
    switch (standing) {
      case Standing.Found(var place) when place.entry().isWaiting() ->
          next.accept(place.entry().key());
      case Standing.Found(var place) when place.entry().isLive() -> exchange.problem(NOT_WAITING);
      case Standing.Found _, Standing.Unknown _ -> exchange.problem(Problems.ENTRY_NOT_FOUND);
      case Standing.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
    }
  }

  private void give(Exchange exchange, EntryKey entry) {
    if (!Identity.isOurs(entry.user())) {
      exchange.problem(SITE_NAMES);
      return;
    }
    HandoffCodes.Code code = codes.codeOf(entry);
    QueueId queue = entry.queue();
    String origin = identity.oneAddress(exchange).origin(exchange, publicUrl.get());
    String url =
        "%s/wait/%s/%s#handoff=%s".formatted(origin, queue.type(), queue.id(), code.text());
    exchange.json(
        201,
        Json.object(
            json -> {
              json.writeStringProperty("code", code.text());
              json.writeStringProperty("url", url);
              json.writeStringProperty("qr", Qr.svg(url));
              Json.time(json, "expiresAt", Micros.of(code.until()));
            }));
  }

  private void take(Exchange exchange, EntryKey entry, String code, @Nullable String attempt) {
    if (identity.isNamed(exchange)) {
      exchange.problem(SITE_NAMES);
      return;
    }
    exchange.then(
        queues.handOff(entry, taker(exchange, code, attempt)),
        handed -> {
          switch (handed) {
            case HandedOff.Has(var has) -> show(exchange, has);
            case HandedOff.NoPlace _ -> exchange.problem(USED);
            case HandedOff.HasOwn _ -> exchange.problem(HAS_PLACE);
            case HandedOff.OnceOnly _ -> exchange.problem(Problems.ONCE_ONLY);
            case HandedOff.TooOften(var retryAfter) ->
                exchange.problem(Problems.TOO_OFTEN.retryAfter(retryAfter));
            case HandedOff.NotNow _ -> exchange.problem(NOT_NOW);
            case HandedOff.NeedsLedger _ -> exchange.problem(NEEDS_LEDGER);
          }
        });
  }

  private void show(Exchange exchange, EntryKey has) {
    exchange.then(
        line.locate(has),
        standing -> {
          if (standing instanceof Standing.Found(var place) && place.entry().isLive()) {
            exchange.json(200, entries.of(place));
          } else {
            // It was over before it could be read.
            exchange.problem(USED);
          }
        });
  }
}
