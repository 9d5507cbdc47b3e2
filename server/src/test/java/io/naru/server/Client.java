package io.naru.server;

import io.naru.testkit.OpenApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Well-behaved calls to one port. Every answer is as {@code openapi.yaml} says. */
final class Client implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;

  Client(int port) {
    this.base = "http://127.0.0.1:" + port;
  }

  /** Headers as name, value, name, value. */
  Answer get(String path, String... headers) {
    return send("GET", path, BodyPublishers.noBody(), headers);
  }

  Answer post(String path, String... headers) {
    return send("POST", path, BodyPublishers.noBody(), headers);
  }

  Answer send(String method, String path, BodyPublisher body, String... headers) {
    try {
      return answer(http.send(request(method, path, body, headers), BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in " + method + " " + path, e);
    }
  }

  CompletableFuture<Answer> postAsync(String path, String... headers) {
    return http.sendAsync(
            request("POST", path, BodyPublishers.noBody(), headers), BodyHandlers.ofString())
        .thenApply(Client::answer);
  }

  private HttpRequest request(String method, String path, BodyPublisher body, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create(base + path)).timeout(PATIENCE).method(method, body);
    return (headers.length == 0 ? request : request.headers(headers)).build();
  }

  private static Answer answer(HttpResponse<String> response) {
    var answer = new Answer(response.statusCode(), response.headers().map(), response.body());
    var request = response.request();
    OpenApi.shipped()
        .check(
            request.method(),
            request.uri().getRawPath(),
            answer.status(),
            answer.header("content-type"),
            answer.body());
    return answer;
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
