package io.naru.e2e.crash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Call.Outcome;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One visitor's way in: one request at a time, at one server until it fails or another is wanted.
 * Everything is recorded.
 */
final class Door implements AutoCloseable {

  private final List<Node> nodes;
  private final QueueName queue;
  private final History history;
  private int current;
  private @Nullable HttpConnection connection;
  private long pid;

  Door(List<Node> nodes, int first, QueueName queue, History history) {
    this.nodes = nodes;
    this.current = first % nodes.size();
    this.queue = queue;
    this.history = history;
  }

  Call enter(String user) {
    return send(
        Act.ENTER,
        user,
        0,
        "POST",
        queue.path() + "/enter",
        "User-Id: " + user,
        queue.laneHeader(user));
  }

  /** Asks for a place and goes away before the answer can come. */
  Call enterAndGo(String user) {
    long asked = history.now();
    Node node = nodes.get(current);
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), node.port())) {
      String request =
          "POST %s/enter HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Id: %s\r\n%s\r\n\r\n"
              .formatted(queue.path(), user, queue.laneHeader(user));
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var call =
        new Call(
            Act.ENTER,
            user,
            0,
            node.name(),
            asked,
            history.now(),
            Outcome.UNKNOWN,
            AnswerRule.GONE,
            "gone",
            null,
            0);
    history.add(call);
    return call;
  }

  Call status(String user) {
    return status(user, null);
  }

  /**
   * @param seen the last that was seen of them, which is sent along as pages do
   */
  Call status(String user, @Nullable Seen seen) {
    String known = seen == null ? "" : "?change=" + seen.change();
    return send(Act.STATUS, user, 0, "GET", queue.path() + "/status" + known, "User-Id: " + user);
  }

  Call leave(String user, Seen entry) {
    return send(
        Act.LEAVE, user, entry.joined(), "POST", queue.path() + "/leave", "User-Id: " + user);
  }

  Call complete(String user, Seen entry) {
    String bearer = "Authorization: Bearer " + entry.pass();
    return send(Act.COMPLETE, user, entry.joined(), "POST", queue.path() + "/complete", bearer);
  }

  /**
   * Comes back after a payment that failed.
   *
   * @param givesUp whether for good, or for another try
   */
  Call giveBack(String user, Seen entry, boolean givesUp) {
    long asked = history.now();
    @Nullable Reply reply = null;
    try {
      reply =
          connection()
              .send(
                  "POST",
                  queue.path() + "/return",
                  "{\"giveUp\":%s}".formatted(givesUp),
                  "Authorization: Bearer " + entry.pass());
    } catch (IOException e) {
      leaveServer();
    }
    return record(givesUp ? Act.RETURN : Act.RETRY, user, entry.joined(), asked, reply, 0);
  }

  /** Says what there is, as the site. */
  Call push(long version, int remaining, int held) {
    long asked = history.now();
    @Nullable Reply reply = null;
    try {
      String pools = "[{\"name\":\"A\",\"remaining\":%d,\"held\":%d}]".formatted(remaining, held);
      String body = "{%s,\"version\":%d,\"pools\":%s}".formatted(queue.fields(), version, pools);
      reply = connection().send("POST", "/admin/queue/stock", body, Stage.ADMIN);
    } catch (IOException e) {
      leaveServer();
    }
    return record(Act.STOCK, "site", version, asked, reply, remaining == 0 ? 0 : remaining + held);
  }

  /** Lets some in by hand, as an operator. */
  Call process(int count) {
    long asked = history.now();
    @Nullable Reply reply = null;
    try {
      String body = "{%s,\"count\":%d}".formatted(queue.fields(), count);
      reply = connection().send("POST", "/admin/queue/process", body, Stage.ADMIN);
    } catch (IOException e) {
      leaveServer();
    }
    boolean isOk = reply != null && reply.status() == 200;
    return record(
        Act.PROCESS, "operator", 0, asked, reply, isOk ? (int) number(reply, "admitted") : count);
  }

  private static long number(@Nullable Reply reply, String name) {
    return reply == null ? 0 : reply.number(name);
  }

  private Call send(
      Act act, String user, long meant, String method, String path, String... headers) {
    long asked = history.now();
    @Nullable Reply reply = null;
    try {
      reply = connection().send(method, path, "", headers);
    } catch (IOException e) {
      leaveServer();
    }
    return record(act, user, meant, asked, reply, 0);
  }

  private Call record(
      Act act, String user, long meant, long asked, @Nullable Reply reply, int count) {
    String server = nodes.get(current).name();
    @Nullable Seen seen = reply == null ? null : Seen.in(reply).orElse(null);
    var call =
        reply == null
            ? new Call(
                act, user, meant, server, asked, history.now(), Outcome.UNKNOWN, 0, "", null, count)
            : new Call(
                act,
                user,
                meant,
                server,
                asked,
                history.now(),
                outcome(reply, seen),
                reply.status(),
                problem(reply),
                seen,
                count);
    history.add(call);
    if (call.outcome() == Outcome.UNKNOWN) {
      next();
    }
    return call;
  }

  private static Outcome outcome(Reply reply, @Nullable Seen seen) {
    if (reply.status() < 300 || seen != null) {
      return Outcome.OK;
    }
    return reply.status() >= 500 ? Outcome.UNKNOWN : Outcome.REFUSED;
  }

  private static String problem(Reply reply) {
    return reply.body().contains("\"code\":") ? reply.field("code") : "";
  }

  /** Goes to the next server, as visitors do when one fails. */
  void next() {
    leaveServer();
    current = (current + 1) % nodes.size();
  }

  private HttpConnection connection() throws IOException {
    Node node = nodes.get(current);
    // A connection to what the server was before it was killed says nothing about what it is now.
    if (connection != null && pid != node.pid()) {
      leaveServer();
    }
    if (connection == null) {
      pid = node.pid();
      connection = new HttpConnection(node.port(), AnswerRule.PATIENCE);
    }
    return connection;
  }

  private void leaveServer() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (IOException e) {
      // It was to be given up anyway.
    } finally {
      connection = null;
    }
  }

  @Override
  public void close() {
    leaveServer();
  }
}
