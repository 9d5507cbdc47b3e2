package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Who opens and closes a queue; asks again, at another server, until it is done. */
final class Operator {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Set<Integer> DONE = Set.of(200, 201, 204);

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

  /** Changes some settings of a queue that is there. */
  void edit(String settings) {
    send("PUT", queue.adminPath(), "{" + settings + "}");
  }

  void deactivate() {
    send("POST", "/admin/queue/deactivate", "{" + queue.fields() + "}");
  }

  long process(int count) {
    String body = "{%s,\"count\":%d}".formatted(queue.fields(), count);
    return send("POST", "/admin/queue/process", body).number("admitted");
  }

  void delete() {
    String confirm = "?confirm=" + queue.type() + "/" + queue.id();
    send("DELETE", queue.adminPath() + confirm, "");
  }

  private Reply send(String method, String path, String body) {
    return await(method + " " + path)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(() -> tryOnce(method, path, body), Optional::isPresent)
        .orElseThrow();
  }

  private Optional<Reply> tryOnce(String method, String path, String body) {
    Node node = nodes.get(turn++ % nodes.size());
    try (var connection = new HttpConnection(node.port(), AnswerRule.PATIENCE)) {
      Reply reply = connection.send(method, path, body, Stage.ADMIN);
      return Optional.of(reply).filter(it -> DONE.contains(it.status()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
