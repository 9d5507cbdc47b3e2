package io.naru.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A reader of Server-Sent Events, which does not come back by itself as a browser does. Whatever is
 * sent must be as {@code openapi.yaml} says: a message that is not fails whoever reads next, or
 * closes the stream.
 */
public final class EventStream implements AutoCloseable {

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final HttpResponse<InputStream> response;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<Event> boards = new LinkedBlockingQueue<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable String retry;
  private volatile @Nullable RuntimeException wrong;

  /** One message. A field that it does not have is empty. */
  public record Event(String name, String id, String data) {}

  private EventStream(HttpResponse<InputStream> response) {
    this.response = response;
    Thread.ofVirtual().start(this::read);
  }

  /** Headers as name, value, name, value. */
  public static EventStream open(int port, String path, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Accept", "text/event-stream");
    try {
      return new EventStream(
          HTTP.send(
              (headers.length == 0 ? request : request.headers(headers)).build(),
              BodyHandlers.ofInputStream()));
    } catch (IOException e) {
      throw new IllegalStateException("no stream at " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private void read() {
    try (var in =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      var name = "";
      var id = "";
      var data = "";
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        int colon = line.indexOf(": ");
        var value = colon < 0 ? "" : line.substring(colon + 2);
        switch (colon < 0 ? line : line.substring(0, colon)) {
          case "event" -> name = value;
          case "id" -> id = value;
          case "data" -> data = value;
          case "retry" -> retry = value;
          case "" -> {
            if (!name.isEmpty()) {
              OpenApi.shipped().checkMessage(name, data);
              (name.equals("queue-board") ? boards : events).add(new Event(name, id, data));
            }
            name = "";
            id = "";
            data = "";
          }
          default -> {}
        }
      }
    } catch (IOException e) {
      // Cut off, by either side: ended all the same.
    } catch (RuntimeException e) {
      wrong = e;
    } finally {
      ended.countDown();
    }
  }

  public int status() {
    return response.statusCode();
  }

  /** The value of a header, empty if there is none. */
  public String header(String name) {
    return response.headers().firstValue(name).orElse("");
  }

  /** How long to wait before coming back, in milliseconds, as told last. */
  public @Nullable String retry() {
    return retry;
  }

  /** The next message, or null if none comes in time. */
  public @Nullable Event next(Duration patience) throws InterruptedException {
    failIfWrong();
    return events.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The next board, which comes beside the other messages; null if none comes in time. */
  public @Nullable Event nextBoard(Duration patience) throws InterruptedException {
    failIfWrong();
    return boards.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void failIfWrong() {
    RuntimeException found = wrong;
    if (found != null) {
      wrong = null;
      throw new IllegalStateException("the stream sent what it may not", found);
    }
  }

  /** Whether the stream ends in time. */
  public boolean ends(Duration patience) throws InterruptedException {
    return ended.await(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    try {
      response.body().close();
    } catch (IOException e) {
      // It is closed, then.
    }
    failIfWrong();
  }
}
