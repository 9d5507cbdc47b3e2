package io.naru.e2e.concert;

import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.OpenApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** One request at a time to a server on loopback; redirects are answers like others. */
final class Http {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Http() {}

  static Reply get(int port, String path, String... headers) {
    return send(port, "GET", path, "", headers);
  }

  /** Headers as name, value, name, value. */
  static Reply send(int port, String method, String path, String json, String... headers) {
    HttpResponse<String> response = exchange(port, method, path, json, headers);
    return new Reply(response.statusCode(), response.body());
  }

  /** A body is JSON unless a header says otherwise. */
  static HttpResponse<String> exchange(
      int port, String method, String path, String body, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(10))
            .method(method, BodyPublishers.ofString(body));
    request.setHeader("Content-Type", "application/json");
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    try {
      HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
      String type = response.headers().firstValue("Content-Type").orElse(null);
      OpenApi.shipped().check(method, path, response.statusCode(), type, response.body());
      return response;
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted: " + method + " " + path, e);
    }
  }
}
