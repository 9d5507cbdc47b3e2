package io.naru.bench.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Somebody who asks one server again and again, ten times a second: whether it takes people, and
 * for the place of one of them, which never changes.
 */
public final class Probe implements AutoCloseable {

  private static final Duration EVERY = Duration.ofMillis(100);

  /** Who waits longer than that has not been answered. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Pattern POSITION = Pattern.compile("\"position\":(\\d+)");
  private static final AtomicLong NAMES = new AtomicLong();

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final Queue queue;
  private final String user;
  private final long position;
  private final Thread enters;
  private final Thread asks;
  private volatile long lastBad;
  private volatile String trouble = "";
  private final AtomicLong wrong = new AtomicLong();

  /**
   * @param user who has this position, and keeps it
   */
  public Probe(Naru naru, Queue queue, String user, long position) {
    this.server = naru.uri();
    this.queue = queue;
    this.user = user;
    this.position = position;
    this.lastBad = System.nanoTime();
    this.enters = Thread.ofVirtual().start(() -> goOn(this::enters));
    this.asks = Thread.ofVirtual().start(() -> goOn(this::isAnswered));
  }

  private interface Ask {
    boolean isGood() throws IOException, InterruptedException;
  }

  private void goOn(Ask ask) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        var start = System.nanoTime();
        boolean isGood;
        try {
          isGood = ask.isGood();
        } catch (IOException e) {
          isGood = false;
          trouble = e.toString();
        }
        var end = System.nanoTime();
        if (!isGood || end - start > SOON.toNanos()) {
          lastBad = end;
        }
        Thread.sleep(EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean enters() throws IOException, InterruptedException {
    var request =
        request("enter", "probe-" + NAMES.incrementAndGet()).POST(BodyPublishers.noBody()).build();
    var answer = client.send(request, BodyHandlers.ofString());
    boolean isIn = answer.statusCode() / 100 == 2;
    if (!isIn) {
      trouble = answer.body();
    }
    return isIn;
  }

  private boolean isAnswered() throws IOException, InterruptedException {
    var answer = client.send(request("status", user).build(), BodyHandlers.ofString());
    var shown = POSITION.matcher(answer.body());
    if (!shown.find()) {
      trouble = answer.body();
      return false;
    }
    boolean isRight = Long.parseLong(shown.group(1)) == position;
    if (!isRight) {
      trouble = answer.body();
      wrong.incrementAndGet();
    }
    return isRight;
  }

  private HttpRequest.Builder request(String call, String who) {
    return HttpRequest.newBuilder(server.resolve(queue.path(call)))
        .header("User-Id", who)
        .timeout(PATIENCE);
  }

  /** When somebody last was not answered, not soon, or wrongly, in nanoseconds. */
  public long lastBad() {
    return lastBad;
  }

  /** How many wrong places were shown. */
  public long wrong() {
    return wrong.get();
  }

  /** What was answered last that was not good. */
  public String trouble() {
    return trouble;
  }

  @Override
  public void close() {
    enters.interrupt();
    asks.interrupt();
    client.shutdownNow();
  }
}
