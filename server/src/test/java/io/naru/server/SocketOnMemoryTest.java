package io.naru.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.server.StoredServer.Store;
import io.naru.testkit.EventStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same over a WebSocket, and what only that has. */
class SocketOnMemoryTest extends StreamContract {

  @RegisterExtension static final StoredServer SERVER = StoredServer.on(Store.MEMORY);

  @Override
  StoredServer stored() {
    return SERVER;
  }

  @Override
  EventStream open(int port, String path, String... headers) {
    return EventStream.openSocket(port, path, headers);
  }

  @Override
  void assertOpen(EventStream stream) {
    assertThat(stream.status()).isEqualTo(101);
  }

  private String path(String user) {
    SERVER.server().activate(queue, "\"maxCapacity\":1,\"notBefore\":\"2040-01-01T00:00:00Z\"");
    String token = SERVER.server().enter(queue, user).is(201).text("entryToken");
    return "/queue/" + queue + "/subscribe/" + token;
  }

  @Test
  void send_anything_isNotReadAndEnds() throws Exception {
    var closed = new CompletableFuture<Integer>();
    try (var http = HttpClient.newHttpClient()) {
      WebSocket socket =
          http.newWebSocketBuilder()
              .buildAsync(
                  URI.create("ws://127.0.0.1:" + SERVER.server().port() + path("ann")),
                  new WebSocket.Listener() {
                    @Override
                    public @Nullable CompletionStage<?> onClose(
                        WebSocket webSocket, int code, String reason) {
                      closed.complete(code);
                      return null;
                    }
                  })
              .get(10, TimeUnit.SECONDS);

      socket.sendText("{\"what\":\"else\"}", true);

      assertThat(closed.get(10, TimeUnit.SECONDS)).isEqualTo(1_003);
    }
    await().until(() -> SERVER.server().status(queue, "ann").status() == 200);
  }

  /**
   * Upgrades that are none, or come with a body: answered as any other bad request, and the server
   * goes on.
   */
  @Test
  void upgrade_withoutAKeyOrOfAnotherVersion_isRefused() throws Exception {
    String path = path("bob");
    String asked = "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n";
    String key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    String version = "Sec-WebSocket-Version: 13\r\n";
    String body = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    for (String wrong :
        List.of(version + "\r\n", "Sec-WebSocket-Version: 1\r\n" + key, version + key + body)) {
      assertThat(answer(asked + "Upgrade: websocket\r\n" + wrong + "\r\n"))
          .startsWith("HTTP/1.1 400 ")
          .contains("application/problem+json", "sec-websocket-version: 13");
    }
    // What is something else than a WebSocket may be left out by whoever is asked.
    assertThat(answer(asked + "Upgrade: h2c\r\n\r\n")).startsWith("HTTP/1.1 200 ");
  }

  private static String answer(String request) throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.server().port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(300), US_ASCII);
    }
  }
}
