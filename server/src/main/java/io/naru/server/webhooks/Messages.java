package io.naru.server.webhooks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.journal.Event;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.webhook.Kinds;
import io.naru.webhook.Message;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What receivers are told: {@code type}, {@code timestamp} and {@code data}, which is the same as
 * for other systems behind.
 */
final class Messages {

  private static final int ID_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private Messages() {}

  /** Something that was decided. Whoever makes a message of it makes the same. */
  static Message of(Unread of, Happened change, Event event) {
    String word = event.kind().word();
    return new Message(
        id(digest(event.id(of, change))),
        word,
        of.queue(),
        body(
            (event.kind().isOfEntry() ? "entry." : "queue.") + word,
            change.at(),
            event.json(of.queue(), change)));
  }

  /** Something that servers see of a queue. */
  static Message sign(
      QueueId queue, String kind, long at, Map<String, ? extends @Nullable Object> more) {
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("eventType", queue.type());
    data.put("eventId", queue.id());
    data.put("kind", kind);
    data.put("at", Micros.iso(at));
    data.putAll(more);
    return new Message(id(random()), kind, queue, body("queue." + kind, at, Json.write(data)));
  }

  /** Nothing: somebody wants to see whether it arrives. */
  static Message ping(String webhook, long at) {
    String data = Json.write(Map.of("webhook", webhook));
    return new Message(id(random()), Kinds.PING, null, body("webhook." + Kinds.PING, at, data));
  }

  private static String body(String type, long at, String data) {
    return "{\"type\":\""
        + type
        + "\",\"timestamp\":\""
        + Micros.iso(at)
        + "\",\"data\":"
        + data
        + "}";
  }

  /** Without a point, which stands between the parts of what is signed. */
  private static String id(byte[] bytes) {
    return "msg_" + HexFormat.of().formatHex(bytes, 0, ID_BYTES);
  }

  private static byte[] digest(String name) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static byte[] random() {
    byte[] bytes = new byte[ID_BYTES];
    RANDOM.nextBytes(bytes);
    return bytes;
  }
}
