package io.naru.gate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The calls to Naru, all below one address that was configured: no redirects, small answers, and an
 * end within the limit whatever the other side does.
 *
 * <pre>
 * GET  /.well-known/jwks.json
 * GET  /.well-known/naru-revocations
 * GET  /queue/{type}/{id}/ended?after=…
 * POST /queue/{type}/{id}/complete    Authorization: Bearer PASS    Naru-Site-Key: …
 * POST /queue/{type}/{id}/return      Authorization: Bearer PASS    {"giveUp":true}
 * POST /queue/{type}/{id}/redeem      Authorization: Bearer PASS    {"session":"…"}
 * POST /admin/queue/signal            Authorization: Bearer KEY     {"source":"…",…}
 * </pre>
 */
final class NaruClient {

  static final Duration LIMIT = Duration.ofSeconds(2);

  /** In which a site shows that it is the site. */
  static final String SITE_KEY = "Naru-Site-Key";

  private final String url;
  private final @Nullable String siteKey;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(LIMIT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  /**
   * @param url without a slash at its end
   * @param siteKey sent with completions; null for none
   */
  NaruClient(String url, @Nullable String siteKey) {
    this.url = url;
    this.siteKey = siteKey;
  }

  /** An answer other than the one that was wanted. */
  static final class Answered extends IOException {
    final int status;

    Answered(String path, int status) {
      super("%s answered %s".formatted(path, status));
      this.status = status;
    }
  }

  /** The body of a document; an exception if there is no 200 with at most 64 kB in time. */
  String get(String path) throws IOException {
    return get(path, LimitedBody.USUAL);
  }

  /** The same, with at most so many bytes. */
  String get(String path, int limit) throws IOException {
    HttpResponse<byte[]> response = send(request(path).GET().build(), limit);
    if (response.statusCode() != 200) {
      throw new Answered(path.replaceAll("\\?.*", ""), response.statusCode());
    }
    return new String(response.body(), UTF_8);
  }

  /** The status of a call with a pass. */
  int post(String path, String token, String json) throws IOException {
    HttpRequest.Builder request = request(path).header("Authorization", "Bearer " + token);
    if (siteKey != null) {
      request.header(SITE_KEY, siteKey);
    }
    if (json.isEmpty()) {
      request.POST(BodyPublishers.noBody());
    } else {
      request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(json));
    }
    return send(request.build(), LimitedBody.USUAL).statusCode();
  }

  /**
   * Tells how the application answers, with a key of its own.
   *
   * @return what Naru says to that; an exception if it does not take it
   */
  String signal(String key, String json) throws IOException {
    HttpRequest request =
        request("/admin/queue/signal")
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build();
    HttpResponse<byte[]> response = send(request, LimitedBody.USUAL);
    if (response.statusCode() != 202) {
      throw new Answered(request.uri().getPath(), response.statusCode());
    }
    return new String(response.body(), UTF_8);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(LIMIT);
  }

  private HttpResponse<byte[]> send(HttpRequest request, int limit) throws IOException {
    return LimitedBody.send(http, request, limit, LIMIT);
  }
}
