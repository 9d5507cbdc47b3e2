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
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A reader of what Naru pushes, as Server-Sent Events or over a WebSocket, which does not come back
 * by itself as a browser does. Whatever is sent must be as {@code openapi.yaml} says: a message
 * that is not fails whoever reads next, or closes the stream.
 */
public final class EventStream implements AutoCloseable {

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final @Nullable HttpResponse<?> response;
  private final AutoCloseable connection;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<Event> boards = new LinkedBlockingQueue<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable String retry;
  private volatile int closed;
  private volatile @Nullable RuntimeException wrong;

  /** One message. A field that it does not have is empty. */
  public record Event(String name, String id, String data) {}

  private EventStream(HttpResponse<InputStream> response) {
    this.response = response;
    this.connection = response.body();
    Thread.ofVirtual().start(() -> read(response.body()));
  }

  /** A WebSocket that was refused. */
  private EventStream(HttpResponse<?> refusal, AutoCloseable connection) {
    this.response = refusal;
    this.connection = connection;
    ended.countDown();
  }

  private EventStream(int port, String path, String... headers)
      throws ExecutionException, InterruptedException {
    var builder = HTTP.newWebSocketBuilder();
    for (int i = 0; i < headers.length; i += 2) {
      builder.header(headers[i], headers[i + 1]);
    }
    var socket = builder.buildAsync(URI.create("ws://127.0.0.1:" + port + path), new Texts()).get();
    this.response = null;
    this.connection = socket::abort;
  }

  /** The same over a WebSocket. */
  public static EventStream openSocket(int port, String path, String... headers) {
    try {
      return new EventStream(port, path, headers);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof WebSocketHandshakeException refused) {
        return new EventStream(refused.getResponse(), () -> {});
      }
      throw new IllegalStateException("no WebSocket at " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Each message is one object, with the data at its end. */
  private final class Texts implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        try {
          take(text.toString());
        } catch (RuntimeException e) {
          wrong = e;
        }
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }

    private void take(String message) {
      var fields = StrictJson.object(message);
      if (fields.get("retry") instanceof Number millis) {
        retry = millis.toString();
      }
      int data = message.indexOf("\"data\":");
      if (data > 0) {
        var name = String.valueOf(fields.get("event"));
        var id = fields.get("id") instanceof String given ? given : "";
        EventStream.this.take(
            new Event(name, id, message.substring(data + 7, message.length() - 1)));
      }
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      closed = code;
      ended.countDown();
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      ended.countDown();
    }
  }

  private void take(Event event) {
    OpenApi.shipped().checkMessage(event.name(), event.data());
    (event.name().equals("queue-board") ? boards : events).add(event);
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

  private void read(InputStream body) {
    try (var in = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
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
              take(new Event(name, id, data));
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

  /** 101 of a WebSocket that is open. */
  public int status() {
    return response == null ? 101 : response.statusCode();
  }

  /** With which code a WebSocket was closed; 0 if it was not. */
  public int closed() {
    return closed;
  }

  /** The value of a header, empty if there is none. */
  public String header(String name) {
    return response == null ? "" : response.headers().firstValue(name).orElse("");
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
      connection.close();
    } catch (Exception e) {
      // It is closed, then.
    }
    failIfWrong();
  }
}
