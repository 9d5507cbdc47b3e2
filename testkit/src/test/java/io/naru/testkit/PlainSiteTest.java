package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainSiteTest {

  private final PlainSite site = PlainSite.open();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    client.shutdownNow();
    site.close();
  }

  private HttpResponse<String> get(URI address) throws Exception {
    return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }

  @Test
  void shop_buying_countsOrders() throws Exception {
    assertThat(get(site.uri().resolve("/checkout")).body()).contains("Buy");
    var buy =
        HttpRequest.newBuilder(site.uri().resolve("/checkout/buy"))
            .POST(BodyPublishers.noBody())
            .build();
    var answer = client.send(buy, BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("/done");
    assertThat(site.orders()).isOne();
    assertThat(get(site.uri().resolve("/checkout/orders")).body()).isEqualTo("1");
  }

  @Test
  void bodies_bothWays_arrive() throws Exception {
    var echo =
        HttpRequest.newBuilder(site.uri().resolve("/echo"))
            .POST(BodyPublishers.ofString("x".repeat(100_000)))
            .build();
    assertThat(client.send(echo, BodyHandlers.ofString()).body()).hasSize(100_000);
    assertThat(get(site.uri().resolve("/large?bytes=50000")).body()).hasSize(50_000);
    assertThat(get(site.uri().resolve("/chunked?bytes=50000")).body()).hasSize(50_000);
    assertThat(get(site.uri().resolve("/status/503")).statusCode()).isEqualTo(503);
    assertThat(site.heads()).hasSize(4).first().asString().startsWith("POST /echo HTTP/1.1\r\n");
  }

  @Test
  void webSocket_message_comesBack() throws Exception {
    var heard = new CompletableFuture<String>();
    var socket =
        client
            .newWebSocketBuilder()
            .buildAsync(
                URI.create("ws://127.0.0.1:" + site.port() + "/socket"),
                new WebSocket.Listener() {
                  @Override
                  public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean l) {
                    heard.complete(text.toString());
                    return CompletableFuture.completedFuture(null);
                  }
                })
            .join();
    socket.sendText("hello".repeat(100), true).join();
    assertThat(heard.join()).isEqualTo("hello".repeat(100));
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
  }

  @Test
  @Tag("process")
  void process_folder_isShown(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("hello.html"), "<h1>Hello</h1>");
    try (var process = PlainSite.start(folder);
        var files = AddressProcess.folder(folder)) {
      for (var address : new URI[] {process.uri(), files.uri()}) {
        var answer = get(address.resolve("/hello.html"));
        assertThat(answer.body()).isEqualTo("<h1>Hello</h1>");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/html");
      }
    }
  }
}
