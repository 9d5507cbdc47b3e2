package io.naru.e2e.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.naru.queue.Json;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A small sale whose first five owe a proof when their turn comes: the four behind them go in, the
 * next two wait for a place inside. What breaks then breaks between being passed over and the
 * proof.
 */
final class OwingSale implements AutoCloseable {

  /** So long the place is kept of whoever was passed over: longer than a slow machine is down. */
  private static final Duration PROOF = Duration.ofSeconds(25);

  /** So long after an outage of ours no place ends for want of a proof. */
  private static final Duration GOODWILL = Duration.ofSeconds(60);

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int OWING = 5;
  private static final int CAPACITY = 4;
  private static final int BEHIND = 2;
  private static final String HMAC = "HmacSHA256";

  private final Stage stage;
  private final QueueName queue;
  private final Operator operator;
  private final History history = new History();
  private final Map<String, String> tokens = new HashMap<>();
  private final List<String> inside = new ArrayList<>();
  private final long passedOver;

  OwingSale(Stage stage, String id) {
    this.stage = stage;
    queue = new QueueName("OWING", id, false, false);
    operator = new Operator(stage.nodes(), queue);
    operator.activate(CAPACITY, CAPACITY, 1);
    operator.pause();
    operator.edit(doors("ALWAYS"));
    for (int i = 1; i <= OWING; i++) {
      enter("owing-" + i);
    }
    // Nobody who comes by a trusted proxy's own address is one too many of it.
    operator.edit(doors("OVER_LIMIT"));
    for (int i = 1; i <= CAPACITY; i++) {
      enter("paid-" + i);
      inside.add("paid-" + i);
    }
    for (int i = 1; i <= BEHIND; i++) {
      enter("behind-" + i);
    }
    operator.resume();
    await("the five passed over, and those behind them inside")
        .atMost(PATIENCE)
        .until(() -> figure("absent") == OWING && figure("inside") == CAPACITY);
    passedOver = System.nanoTime();
  }

  private static String doors(String work) {
    return "\"doors\":{\"work\":\"%s\",\"proofSeconds\":%d,\"slowSeconds\":0}"
        .formatted(work, PROOF.toSeconds());
  }

  private void enter(String user) {
    Reply reply = ask("POST", queue.path() + "/enter", "", 201, "User-Id: " + user);
    tokens.put(user, reply.field("entryToken"));
  }

  private long figure(String name) {
    return ask("GET", queue.adminPath(), "", 200, Stage.ADMIN).number(name);
  }

  /** At whichever server answers, for as long as somebody at a page would try. */
  private Reply ask(String method, String path, String body, int status, String... headers) {
    return await(method + " " + path)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              for (Node node : stage.nodes()) {
                try (var connection = new HttpConnection(node.port(), AnswerRule.PATIENCE)) {
                  Reply reply = connection.send(method, path, body, headers);
                  if (reply.status() == status) {
                    return reply;
                  }
                } catch (IOException e) {
                  // Another one may be there.
                }
              }
              return null;
            },
            reply -> reply != null);
  }

  /** Brings what they owe, as their page would. */
  void prove(String user) {
    String token = Objects.requireNonNull(tokens.get(user), user);
    Reply asked = ask("GET", "/queue/token/" + token + "/challenge", "", 200);
    String body = "{\"payload\":\"" + solved(asked.body()) + "\"}";
    ask("POST", "/queue/token/" + token + "/proof", body, 204);
  }

  /** Somebody inside is done; who goes in for them. */
  String nextInside() throws SQLException {
    String done = inside.removeFirst();
    try (var door = new Door(stage.nodes(), 0, queue, history)) {
      Seen seen =
          await("a pass of " + done)
              .atMost(PATIENCE)
              .until(() -> door.status(done).seen(), it -> it != null && it.isEntered());
      await(done + " to be done").atMost(PATIENCE).until(() -> door.complete(done, seen).isOk());
    }
    String next =
        await("somebody for " + done)
            .atMost(PATIENCE)
            .until(this::newcomer, newcomer -> newcomer != null);
    inside.add(next);
    return next;
  }

  private @Nullable String newcomer() throws SQLException {
    return rows().stream()
        .filter(row -> row.isInside() && !inside.contains(row.user()))
        .map(Row::user)
        .findFirst()
        .orElse(null);
  }

  /** Who waits, in their order. */
  List<String> waiting() throws SQLException {
    return rows().stream().filter(Row::isWaiting).map(Row::user).toList();
  }

  private List<Row> rows() throws SQLException {
    try (var connection = stage.server().connect()) {
      return LedgerReader.read(connection, queue);
    }
  }

  /** The same as every server shows it, once their copies are there again. */
  List<String> shown() {
    return await("places that both servers show")
        .atMost(PATIENCE)
        .until(
            () -> {
              List<String> one = shownBy(stage.one());
              return one.equals(shownBy(stage.two())) ? one : null;
            },
            shown -> shown != null);
  }

  private List<String> shownBy(Node node) {
    Map<Long, String> places = new LinkedHashMap<>();
    try (var door = new Door(List.of(node), 0, queue, history)) {
      for (String user : tokens.keySet()) {
        Seen seen = door.status(user).seen();
        if (seen != null && seen.isWaiting()) {
          places.put(seen.position(), user);
        }
      }
    }
    return places.keySet().stream().sorted().map(places::get).toList();
  }

  /** Until the time is over in which whoever was passed over should have brought the proof. */
  void awaitTimeUp() throws InterruptedException {
    long over = passedOver + PROOF.plusSeconds(2).toNanos() - System.nanoTime();
    Faults.last(Duration.ofNanos(Math.max(0, over)));
  }

  /**
   * Why somebody's place ended, once we make up for our outage no more. A server that is starved
   * for seconds is an outage as well, so that is set back until they have ended.
   */
  String end(String user) {
    await("the end of " + user)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              try (var connection = stage.server().connect()) {
                LedgerReader.endGoodwill(connection, queue, GOODWILL);
              }
              return !waiting().contains(user);
            });
    String token = Objects.requireNonNull(tokens.get(user), user);
    return ask("GET", "/queue/token/" + token + "/status", "", 410).field("reason");
  }

  private static String solved(String challenge) {
    Map<String, @Nullable Object> given = Json.readObject(challenge);
    var parameters = (Map<?, ?>) Objects.requireNonNull(given.get("parameters"));
    Map<String, @Nullable Object> asked = new LinkedHashMap<>();
    asked.put("parameters", parameters);
    asked.put("signature", given.get("signature"));
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("challenge", asked);
    payload.put("solution", solution(parameters));
    return Base64.getEncoder().encodeToString(Json.write(payload).getBytes(UTF_8));
  }

  /** Tries one number after the other, as ALTCHA's libraries do. */
  private static Map<String, Object> solution(Map<?, ?> parameters) {
    byte[] nonce = HexFormat.of().parseHex("" + parameters.get("nonce"));
    byte[] salt = HexFormat.of().parseHex("" + parameters.get("salt"));
    int cost = Integer.parseInt("" + parameters.get("cost"));
    String prefix = "" + parameters.get("keyPrefix");
    for (int counter = 0; counter < 10_000; counter++) {
      String key = HexFormat.of().formatHex(key(nonce, salt, counter, cost));
      if (key.startsWith(prefix)) {
        return Map.of("counter", counter, "derivedKey", key);
      }
    }
    throw new IllegalStateException("no number fits " + parameters);
  }

  /** PBKDF2, one block of it. */
  private static byte[] key(byte[] nonce, byte[] salt, int counter, int cost) {
    try {
      byte[] password = ByteBuffer.allocate(nonce.length + 4).put(nonce).putInt(counter).array();
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(password, HMAC));
      mac.update(salt);
      byte[] round = mac.doFinal(new byte[] {0, 0, 0, 1});
      byte[] key = round.clone();
      for (int i = 1; i < cost; i++) {
        round = mac.doFinal(round);
        for (int j = 0; j < key.length; j++) {
          key[j] ^= round[j];
        }
      }
      return key;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    operator.delete();
  }
}
