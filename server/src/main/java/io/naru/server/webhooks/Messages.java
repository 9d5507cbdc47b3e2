package io.naru.server.webhooks;

import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.webhook.Kinds;
import io.naru.webhook.Message;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What receivers are told, in words: {@code type}, {@code timestamp} and {@code data}. */
final class Messages {

  private static final SecureRandom RANDOM = new SecureRandom();

  private Messages() {}

  /** Whether it arrives, and whether its signature is good. */
  static Message ping(String webhook, long at) {
    return of(random(), Kinds.PING, "webhook", null, at, Map.of("webhook", webhook));
  }

  /** Something that servers see of a queue. */
  static Message sign(
      QueueId queue, String kind, long at, Map<String, ? extends @Nullable Object> more) {
    return of(random(), kind, "queue", queue, at, more);
  }

  /**
   * @param about the first word of its type: what it happened to
   * @param more what belongs to the kind
   */
  static Message of(
      String id,
      String kind,
      String about,
      @Nullable QueueId queue,
      long at,
      Map<String, ? extends @Nullable Object> more) {
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    if (queue != null) {
      data.put("eventType", queue.type());
      data.put("eventId", queue.id());
    }
    data.putAll(more);
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("type", about + "." + kind.replace('-', '_'));
    body.put("timestamp", Micros.iso(at));
    body.put("data", data);
    return new Message(id, kind, queue, Json.write(body));
  }

  /** Of something that has no number of its own. */
  private static String random() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return "msg_" + HexFormat.of().formatHex(bytes);
  }
}
