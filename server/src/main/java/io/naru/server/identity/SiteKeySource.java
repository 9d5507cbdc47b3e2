package io.naru.server.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.gate.LimitedBody;
import io.naru.queue.InvalidValue;
import io.naru.server.keys.Beat;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a site's keys come from. What is at an address, or in a file, is read beside everything
 * else: at the start, every five minutes, and when tokens name a key that is not known, but never
 * twice in half a minute, whatever they name. The last good keys serve on.
 */
final class SiteKeySource implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SiteKeySource.class);

  private static final Duration BEAT = Duration.ofSeconds(1);
  private static final long EVERY_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long AGAIN_NANOS = Duration.ofSeconds(30).toNanos();
  private static final Duration LIMIT = Duration.ofSeconds(3);
  private static final int MAX_BYTES = 65_536;

  private final @Nullable String jwks;
  private final @Nullable HttpClient http;
  private final LongSupplier nanos;
  private final Runnable changed;
  private final Beat beat = new Beat("naru-site-keys", BEAT, this::beat);
  private volatile SiteKeys keys;
  private volatile boolean isWanted;
  private @Nullable String last;
  private @Nullable String problem;
  private long readAt;

  /**
   * @param changed told when there are other keys
   */
  SiteKeySource(SiteTokens.Config config, LongSupplier nanos, Runnable changed) {
    this.jwks = config.jwks();
    this.http = jwks == null || !isAddress(jwks) ? null : client();
    this.nanos = nanos;
    this.changed = changed;
    this.keys = config.secret() == null ? SiteKeys.NONE : SiteKeys.shared(config.secretBytes());
  }

  private static HttpClient client() {
    return HttpClient.newBuilder()
        .connectTimeout(LIMIT)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build();
  }

  SiteKeys keys() {
    return keys;
  }

  /** A token named a key that is not here. */
  void want() {
    isWanted = true;
  }

  /**
   * @throws InvalidValue if there is a file, and it cannot be read: an address may answer later
   */
  void start() {
    if (jwks == null) {
      return;
    }
    if (http == null) {
      try {
        learn();
      } catch (IOException | IllegalArgumentException e) {
        throw new InvalidValue(
            SiteTokens.JWKS, SiteTokens.JWKS_ALLOWED, "cannot be read: " + e.getMessage());
      }
    } else {
      Thread.ofVirtual().name("naru-site-keys-first").start(this::read);
    }
    beat.start();
  }

  static boolean isAddress(String jwks) {
    return jwks.startsWith("http://") || jwks.startsWith("https://");
  }

  synchronized void beat() {
    long age = nanos.getAsLong() - readAt;
    boolean isMissed = isWanted || keys.isEmpty();
    if (age >= EVERY_NANOS || (isMissed && age >= AGAIN_NANOS)) {
      read();
    }
  }

  /** Outlives any failure. */
  synchronized void read() {
    readAt = nanos.getAsLong();
    isWanted = false;
    try {
      learn();
      if (problem != null) {
        log.info("the keys of the site's tokens are read again");
      }
      problem = null;
    } catch (IOException | RuntimeException e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(problem) && !beat.isClosed()) {
        log.warn(
            "the keys of the site's tokens cannot be read from {}: {}; {}",
            jwks,
            why,
            keys.isEmpty()
                ? "all its tokens are refused until they can"
                : "the last ones serve on");
      }
      problem = why;
    }
  }

  private synchronized void learn() throws IOException {
    if (jwks == null) {
      return;
    }
    String text = http != null ? fetch(http, jwks) : Files.readString(Path.of(jwks));
    if (!text.equals(last)) {
      keys = SiteKeys.parse(text);
      last = text;
      changed.run();
    }
  }

  private static String fetch(HttpClient http, String address) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address))
            .timeout(LIMIT)
            .header("Accept", "application/jwk-set+json, application/json")
            .build();
    HttpResponse<byte[]> response = LimitedBody.send(http, request, MAX_BYTES, LIMIT);
    if (response.statusCode() != 200) {
      throw new IOException("it answers " + response.statusCode());
    }
    return new String(response.body(), UTF_8);
  }

  @Override
  public void close() {
    beat.close();
    if (http != null) {
      http.shutdownNow();
    }
  }
}
