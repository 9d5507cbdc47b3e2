package io.naru.e2e;

import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.OpenApi;
import java.io.IOException;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Somebody with a browser of their own, behind a proxy. What Naru answers them is as {@code
 * openapi.yaml} says, or asking fails.
 *
 * @param headers that go with each request: names and values by turns
 */
record Person(HttpClient http, URI proxy, List<String> headers) implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  static Person at(int port, String... headers) {
    return of(HttpClient.newBuilder().cookieHandler(new CookieManager()), port, headers);
  }

  /** At a machine with another address. */
  static Person from(InetAddress address, int port) {
    return of(HttpClient.newBuilder().localAddress(address), port);
  }

  private static Person of(HttpClient.Builder http, int port, String... headers) {
    return new Person(http.build(), URI.create("http://127.0.0.1:" + port), List.of(headers));
  }

  HttpResponse<String> send(String method, String path, String... more)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(proxy.resolve(path))
            .timeout(PATIENCE)
            .method(method, BodyPublishers.noBody());
    String[] all = Stream.concat(headers.stream(), Stream.of(more)).toArray(String[]::new);
    var answer =
        http.send(
            (all.length == 0 ? request : request.headers(all)).build(), BodyHandlers.ofString());
    // The proxy and the site have answers of their own, and no such header.
    if (answer.headers().firstValue("X-Request-Id").isPresent()) {
      String type = answer.headers().firstValue("Content-Type").orElse(null);
      OpenApi.shipped().check(method, path, answer.statusCode(), type, answer.body());
    }
    return answer;
  }

  /** Asks Naru, and nobody on the way to it. */
  Reply ask(String method, String path, String... more) throws IOException, InterruptedException {
    HttpResponse<String> answer = send(method, path, more);
    if (answer.headers().firstValue("X-Request-Id").isEmpty()) {
      throw new IllegalStateException("not an answer of Naru: " + answer + " " + answer.body());
    }
    return new Reply(answer.statusCode(), answer.body());
  }

  int status(String path, String... more) throws IOException, InterruptedException {
    return send("GET", path, more).statusCode();
  }

  @Override
  public void close() {
    http.close();
  }
}
