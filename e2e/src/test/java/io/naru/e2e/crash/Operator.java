package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.awaitility.core.ConditionTimeoutException;

/** Who opens and closes a queue; asks again, at another server, until it is done. */
final class Operator {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Set<Integer> DONE = Set.of(200, 201, 204);

  /** Of a deletion whose first answer came too late, the next one finds nothing. */
  private static final Set<Integer> GONE = Set.of(204, 404);

  private final List<Node> nodes;
  private final QueueName queue;
  private int turn;

  Operator(List<Node> nodes, QueueName queue) {
    this.nodes = nodes;
    this.queue = queue;
  }

  void activate(int maxCapacity, int batch, int intervalSeconds) {
    send(
        "POST",
        "/admin/queue/activate",
        """
        {%s,"maxCapacity":%d,"entryBatchSize":%d,"entryIntervalSeconds":%d,%s}
        """
            .formatted(queue.fields(), maxCapacity, batch, intervalSeconds, queue.settings()));
  }

  /** Makes a queue with settings of its own. */
  void make(String settings) {
    String body = "{%s,%s,%s}".formatted(queue.fields(), settings, queue.settings());
    send("POST", "/admin/queue/activate", body);
  }

  /** Changes some settings of a queue that is there. */
  void edit(String settings) {
    send("PUT", queue.adminPath(), "{" + settings + "}");
  }

  void deactivate() {
    send("POST", "/admin/queue/deactivate", "{" + queue.fields() + "}");
  }

  void pause() {
    send("POST", "/admin/queue/pause", "{" + queue.fields() + "}");
  }

  void resume() {
    send("POST", "/admin/queue/resume", "{" + queue.fields() + "}");
  }

  void endNow() {
    send("POST", "/admin/queue/end", "{" + queue.fields() + "}");
  }

  /** What everybody may read. */
  Reply get(String path) {
    return send("GET", path, "");
  }

  /** The same of what is no text. */
  byte[] bytes(String path) {
    return await(path)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(() -> tryBytes(path), Optional::isPresent)
        .orElseThrow();
  }

  private Optional<byte[]> tryBytes(String path) {
    Node node = nodes.get(turn++ % nodes.size());
    try {
      var address = URI.create("http://127.0.0.1:" + node.port() + path);
      var connection = (HttpURLConnection) address.toURL().openConnection();
      connection.setReadTimeout((int) AnswerRule.PATIENCE.toMillis());
      try (var in = connection.getInputStream()) {
        return Optional.of(in.readAllBytes());
      }
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Another key signs passes from now on. */
  void rotateKeys() {
    send("POST", "/admin/keys/rotate", "");
  }

  long process(int count) {
    String body = "{%s,\"count\":%d}".formatted(queue.fields(), count);
    return send("POST", "/admin/queue/process", body).number("admitted");
  }

  void delete() {
    String confirm = "?confirm=" + queue.type() + "/" + queue.id();
    send("DELETE", queue.adminPath() + confirm, "", GONE);
  }

  private Reply send(String method, String path, String body) {
    return send(method, path, body, DONE);
  }

  private Reply send(String method, String path, String body, Set<Integer> done) {
    List<String> heard = new ArrayList<>();
    try {
      return await(method + " " + path)
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .until(() -> tryOnce(method, path, body, done, heard), Optional::isPresent)
          .orElseThrow();
    } catch (ConditionTimeoutException e) {
      throw new ConditionTimeoutException(
          "%s %s is not done within %s: %s".formatted(method, path, PATIENCE, heard), e);
    }
  }

  private Optional<Reply> tryOnce(
      String method, String path, String body, Set<Integer> done, List<String> heard) {
    Node node = nodes.get(turn++ % nodes.size());
    try (var connection = new HttpConnection(node.port(), AnswerRule.PATIENCE)) {
      Reply reply = connection.send(method, path, body, Stage.ADMIN);
      heard.add("%s: %d %s".formatted(node.name(), reply.status(), reply.body()));
      return Optional.of(reply).filter(it -> done.contains(it.status()));
    } catch (IOException e) {
      heard.add("%s: %s".formatted(node.name(), e));
      return Optional.empty();
    }
  }
}
