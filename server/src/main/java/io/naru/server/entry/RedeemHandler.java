package io.naru.server.entry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.queue.InvalidValue;
import io.naru.queue.Queues;
import io.naru.queue.Redeemed;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.pass.Passes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /queue/{type}/{id}/redeem} with the pass as bearer and {@code {"session":"…"}}: the
 * pass belongs to the first session that asks, and to no other.
 */
public final class RedeemHandler {

  private static final int MAX_SESSION = 128;
  private static final String ALLOWED = "text of 1.." + MAX_SESSION + " characters";

  private final Queues queues;
  private final Passes passes;

  public RedeemHandler(Queues queues, Passes passes) {
    this.queues = queues;
    this.passes = passes;
  }

  public void handle(Exchange exchange) {
    var entry = PassBearer.entryOf(exchange, passes);
    if (entry.isEmpty()) {
      exchange.problem(Problems.ENTRY_REQUIRED);
      return;
    }
    String session = sessionIn(exchange.body());
    exchange.then(
        queues.redeem(entry.get(), hash(session)),
        redeemed -> {
          if (redeemed == Redeemed.DONE) {
            exchange.json(200, Json.object(json -> json.writeStringProperty("status", "REDEEMED")));
          } else {
            exchange.problem(Problems.ENTRY_REQUIRED);
          }
        });
  }

  private static String sessionIn(Map<String, @Nullable Object> fields) {
    for (String name : fields.keySet()) {
      if (!name.equals("session")) {
        throw new InvalidValue(name, "session", "is not a field of this call");
      }
    }
    if (fields.get("session") instanceof String session
        && !session.isEmpty()
        && session.length() <= MAX_SESSION) {
      return session;
    }
    throw new InvalidValue("session", ALLOWED, "is missing, not text, or too long");
  }

  /** Sessions are secrets of the site: whoever reads our store must not be able to use them. */
  private static String hash(String session) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(session.getBytes(UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
