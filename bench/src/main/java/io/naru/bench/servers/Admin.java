package io.naru.bench.servers;

import io.naru.testkit.Poll;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The calls of an operator. */
public final class Admin {

  static final String FIRST = "first-in-the-line";
  private static final Pattern PASS = Pattern.compile("\"pass\"\\s*:\\s*\"([^\"]+)\"");
  private static final Pattern ADMITTED = Pattern.compile("\"admitted\"\\s*:\\s*(\\d+)");
  private static final Pattern ENTERED = Pattern.compile("\"entered\"\\s*:\\s*(\\d+)");
  private static final Pattern INSIDE = Pattern.compile("\"inside\"\\s*:\\s*(\\d+)");
  private static final Pattern OWING = Pattern.compile("\"owing\":(\\d+)");
  private static final Pattern WAITING = Pattern.compile("\"waiting\":(\\d+)");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final String key;

  Admin(URI server, String key) {
    this.server = server;
    this.key = key;
  }

  /** Opens a queue whose only place is taken, so that everybody else waits. */
  void openFull(Queue queue) {
    activate(queue, 1, 1, 3_600);
    expectSuccess(
        HttpRequest.newBuilder(server.resolve(queue.path("enter")))
            .header("User-Id", FIRST)
            .POST(BodyPublishers.noBody())
            .build());
  }

  /** The pass of the one who took the only place when the queue was opened. */
  public String passOfFirst(Queue queue) {
    return pass(queue, FIRST);
  }

  /** The pass of somebody who is let in by and by. */
  public String pass(Queue queue, String user) {
    var pass = new StringBuilder();
    Poll.until(
        PATIENCE,
        () -> "nobody is let in",
        () -> {
          var found = PASS.matcher(status(queue, user));
          pass.append(found.find() ? found.group(1) : "");
          return !pass.isEmpty();
        });
    return pass.toString();
  }

  /** The one who took the only place when the queue was opened leaves it. */
  public void leaveFirst(Queue queue) {
    leave(queue, FIRST);
  }

  /** Somebody goes. */
  public void leave(Queue queue, String user) {
    expectSuccess(
        HttpRequest.newBuilder(server.resolve(queue.path("leave")))
            .timeout(PATIENCE)
            .header("User-Id", user)
            .POST(BodyPublishers.noBody())
            .build());
  }

  /** Opens the queue with these settings, or changes them if it is open. */
  public void activate(Queue queue, int maxCapacity, int entryBatchSize, int entryIntervalSeconds) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","maxCapacity":%d,"entryBatchSize":%d,"entryIntervalSeconds":%d}\
        """
            .formatted(Queue.TYPE, queue.id(), maxCapacity, entryBatchSize, entryIntervalSeconds));
  }

  /** Opens a queue with one place inside, in which all who come before a moment are drawn. */
  void openLobby(Queue queue, Instant from, Instant opensAt) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","maxCapacity":1,"entryBatchSize":1,"entryIntervalSeconds":3600,\
        "draw":"SEED","lobbyOpensAt":"%s","opensAt":"%s"}\
        """
            .formatted(Queue.TYPE, queue.id(), from, opensAt));
  }

  /** Sets when the line opens. */
  void openAt(Queue queue, Instant opensAt) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","opensAt":"%s"}\
        """
            .formatted(Queue.TYPE, queue.id(), opensAt));
  }

  /** What is published of its draw. */
  String draw(Queue queue) {
    return expectSuccess(
        HttpRequest.newBuilder(server.resolve(queue.path("draw"))).timeout(PATIENCE).build());
  }

  /** What somebody is told. */
  String status(Queue queue, String user) {
    return expectSuccess(
        HttpRequest.newBuilder(server.resolve(queue.path("status")))
            .timeout(PATIENCE)
            .header("User-Id", user)
            .build());
  }

  /** Makes a queue of which everything is published; that can be said only in the beginning. */
  void makeLogged(Queue queue) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","log":true}\
        """
            .formatted(Queue.TYPE, queue.id()));
  }

  /**
   * From now on these events of the queue are told.
   *
   * @param kinds as JSON
   */
  public void tell(Queue queue, String kinds) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","events":%s}\
        """
            .formatted(Queue.TYPE, queue.id(), kinds));
  }

  /** From now on nobody's turn is over while something is measured. */
  public void keepInside(Queue queue) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","passTtlSeconds":86400}\
        """
            .formatted(Queue.TYPE, queue.id()));
  }

  /** From now on there are so many lanes, of shares 1, 2, 3 and so on. */
  public void split(Queue queue, int lanes) {
    String all =
        IntStream.range(0, lanes)
            .mapToObj(i -> "{\"name\":\"lane%d\",\"share\":%d}".formatted(i, i + 1))
            .collect(Collectors.joining(","));
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","lanes":[%s]}\
        """
            .formatted(Queue.TYPE, queue.id(), all));
  }

  /** From now on newcomers of a crowded address owe a proof. */
  public void guard(Queue queue) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","doors":{"perAddressPerMinute":30}}\
        """
            .formatted(Queue.TYPE, queue.id()));
  }

  /** How many of those who wait owe one. */
  public long owing(Queue queue) {
    return figure(queue, OWING);
  }

  /** 0 if it is not there. */
  private long figure(Queue queue, Pattern which) {
    var answer =
        expectSuccess(authorized("/admin/queues/%s".formatted(queue.name())).GET().build());
    var figure = which.matcher(answer);
    return figure.find() ? Long.parseLong(figure.group(1)) : 0;
  }

  /** From now on so many go in as the site can serve, each for that long. */
  public void follow(Queue queue, int staySeconds, int slowMillis) {
    post(
        "/admin/queue/activate",
        """
        {"eventType":"%s","eventId":"%d","maxCapacity":100000,"entryBatchSize":100,"entryIntervalSeconds":1,\
        "pacing":"LEAKY_BUCKET","passTtlSeconds":%d,"adaptive":{"mode":"STEADY","floorPerSecond":5,"ceilingPerSecond":1000,\
        "startPerSecond":20,"safePerSecond":5,"slowMillis":%d}}\
        """
            .formatted(Queue.TYPE, queue.id(), staySeconds, slowMillis));
  }

  /**
   * Acts on the queue.
   *
   * @param act as {@code pause}
   */
  public void act(Queue queue, String act) {
    post(
        "/admin/queue/" + act,
        """
        {"eventType":"%s","eventId":"%d"}\
        """
            .formatted(Queue.TYPE, queue.id()));
  }

  /** Publishes a message to everybody in line. */
  public void say(Queue queue, String message) {
    expectSuccess(
        authorized("/admin/queues/%s".formatted(queue.name()))
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString("{\"message\":\"%s\"}".formatted(message)))
            .build());
  }

  /** Tells how the site is. */
  public void signal(Queue queue, long count, double p95Millis) {
    post(
        "/admin/queue/signal",
        """
        {"eventType":"%s","eventId":"%d","source":"bench","count":%d,"errors":0,"p95Millis":%d}\
        """
            .formatted(Queue.TYPE, queue.id(), count, Math.round(p95Millis)));
  }

  /** How many have gone in since the queue was made. */
  public long entered(Queue queue) {
    return figure(queue, ENTERED);
  }

  /** How many are inside. */
  public long inside(Queue queue) {
    return figure(queue, INSIDE);
  }

  /** Whether the copy of a queue is whole, so that it can be compared with the ledger. */
  public boolean isComparable(Queue queue) {
    var path = "/admin/queues/%s/check".formatted(queue.name());
    var request = authorized(path).timeout(PATIENCE).POST(BodyPublishers.noBody()).build();
    try {
      return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** How many wait. */
  public long waiting(Queue queue) {
    return figure(queue, WAITING);
  }

  /** Lets up to that many in and returns how many it were. */
  public int process(Queue queue, int count) {
    var answer =
        post(
            "/admin/queue/process",
            """
            {"eventType":"%s","eventId":"%d","count":%d}\
            """
                .formatted(Queue.TYPE, queue.id(), count));
    var admitted = ADMITTED.matcher(answer);
    if (!admitted.find()) {
      throw new IllegalStateException("process does not say how many it admitted: " + answer);
    }
    return Integer.parseInt(admitted.group(1));
  }

  /** Removes the queue with everybody in it. */
  void delete(Queue queue) {
    var name = Queue.TYPE + "/" + queue.id();
    expectSuccess(authorized("/admin/queues/%s?confirm=%s".formatted(name, name)).DELETE().build());
  }

  void awaitReady() {
    var ready = HttpRequest.newBuilder(server.resolve("/health/ready")).build();
    var deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        var answer = client.send(ready, BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return;
        }
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("the server is not ready: " + answer.body());
        }
        Thread.sleep(2);
      } catch (IOException e) {
        throw new IllegalStateException("the server does not answer", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /** A request whose answer has no end. */
  HttpRequest following(String path) {
    return HttpRequest.newBuilder(server.resolve(path))
        .header("Authorization", "Bearer " + key)
        .build();
  }

  private String post(String path, String json) {
    return expectSuccess(
        authorized(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build());
  }

  /** All of its metrics, as they are scraped. */
  String metrics(int port) {
    return expectSuccess(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
            .timeout(PATIENCE)
            .build());
  }

  private HttpRequest.Builder authorized(String path) {
    return HttpRequest.newBuilder(server.resolve(path))
        .timeout(PATIENCE)
        .header("Authorization", "Bearer " + key);
  }

  private String expectSuccess(HttpRequest request) {
    try {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      if (answer.statusCode() / 100 != 2) {
        throw new IllegalStateException(
            "%s %s answers %d: %s"
                .formatted(request.method(), request.uri(), answer.statusCode(), answer.body()));
      }
      return answer.body();
    } catch (IOException e) {
      throw new IllegalStateException(request.uri() + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
