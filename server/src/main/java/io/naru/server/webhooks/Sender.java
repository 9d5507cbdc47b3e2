package io.naru.server.webhooks;

import io.naru.server.webhooks.Targets.Target;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Posts to receivers. To the very address that was looked at, with the certificate of the name that
 * was looked up; no redirect is followed, no answer is waited for beyond the limit, which is one
 * for all of it, and of what is answered the head counts: what comes behind it is read as far as a
 * few kilobytes, and then the connection is closed.
 */
final class Sender implements AutoCloseable {

  static final Duration LIMIT = Duration.ofSeconds(15);

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final int MAX_BODY = 4_096;

  /** Those that took too long may still be there. */
  private static final int MAX_LOOKING_UP = 2 * Deliverer.MAX_AT_ONCE;

  private final Vertx vertx;
  private final Targets targets;
  private final HttpClient client;
  private final InstantSource clock;
  private final Duration limit;

  /** Looking up may take long and cannot be ended, so it has threads that nobody else needs. */
  private final ThreadPoolExecutor lookups =
      new ThreadPoolExecutor(
          0,
          MAX_LOOKING_UP,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().daemon().name("naru-webhook-names-", 0).factory());

  Sender(Vertx vertx, Targets targets, InstantSource clock) {
    this(vertx, targets, new HttpClientOptions(), clock, LIMIT);
  }

  /**
   * @param trusting which certificates are good, for tests
   */
  Sender(
      Vertx vertx,
      Targets targets,
      HttpClientOptions trusting,
      InstantSource clock,
      Duration limit) {
    this.vertx = vertx;
    this.targets = targets;
    this.clock = clock;
    this.limit = limit;
    client =
        vertx.createHttpClient(
            trusting
                .setKeepAlive(false)
                .setVerifyHost(true)
                .setConnectTimeout((int) CONNECT_LIMIT.toMillis())
                .setDecompressionSupported(false),
            new PoolOptions().setHttp1MaxSize(Deliverer.MAX_AT_ONCE));
  }

  /** Posts once; whatever happens is an answer. Blocks, no longer than the limit. */
  Answer post(String url, Map<String, String> headers, String body) {
    long end = System.nanoTime() + limit.toNanos();
    var answer = new CompletableFuture<Answer>();
    try {
      Target target =
          CompletableFuture.supplyAsync(() -> resolve(url), lookups)
              .get(limit.toMillis(), TimeUnit.MILLISECONDS);
      new Exchange(answer, end).begin(target, headers, body);
      return answer.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      return Answer.none(reason(e.getCause() == null ? e : e.getCause()));
    } catch (TimeoutException e) {
      return tooLate();
    } catch (RejectedExecutionException e) {
      return Answer.none("too many names are being looked up");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Answer.none("this server stops");
    } finally {
      // Whoever is still under way stops.
      answer.cancel(false);
    }
  }

  private Target resolve(String url) {
    try {
      return targets.resolve(url);
    } catch (Targets.Refused e) {
      throw new CompletionException(e);
    }
  }

  private Answer tooLate() {
    return Answer.none("did not answer within " + limit.toSeconds() + " s");
  }

  private static String reason(Throwable failure) {
    String message = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    return switch (failure) {
      case Targets.Refused refused -> String.valueOf(refused.getMessage());
      case SSLException _ -> "its certificate is not good, or it does not speak TLS: " + message;
      default -> "cannot be reached: " + message;
    };
  }

  @Override
  public void close() {
    lookups.shutdownNow();
    var _ = client.close();
  }

  /** One request and its answer. */
  private final class Exchange {
    private final CompletableFuture<Answer> answer;
    private final long end;

    Exchange(CompletableFuture<Answer> answer, long end) {
      this.answer = answer;
      this.end = end;
    }

    void begin(Target target, Map<String, String> headers, String body) {
      RequestOptions options =
          new RequestOptions()
              .setMethod(HttpMethod.POST)
              .setServer(SocketAddress.inetSocketAddress(target.port(), target.address()))
              .setHost(target.host())
              .setPort(target.port())
              .setSsl(target.isTls())
              .setURI(target.path())
              .setFollowRedirects(false);
      headers.forEach(options::putHeader);
      client
          .request(options)
          .onFailure(this::fail)
          .onSuccess(
              request -> {
                if (answer.isDone()) {
                  request.reset();
                  return;
                }
                long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
                long timer = vertx.setTimer(left, _ -> giveUp(request));
                // What a bad receiver sends is no news for the log.
                request.connection().exceptionHandler(_ -> {});
                request.connection().closeHandler(_ -> vertx.cancelTimer(timer));
                request
                    .send(Buffer.buffer(body))
                    .onFailure(this::fail)
                    .onSuccess(response -> read(request, response));
              });
    }

    /** Why it is closed is said first: it may be heard of a moment before the time is up. */
    private void giveUp(HttpClientRequest request) {
      answer.complete(tooLate());
      request.connection().close();
    }

    private void fail(Throwable failure) {
      answer.complete(Answer.none(reason(failure)));
    }

    private void read(HttpClientRequest request, HttpClientResponse response) {
      int[] read = new int[1];
      response.exceptionHandler(_ -> {});
      response.handler(
          some -> {
            read[0] += some.length();
            if (read[0] > MAX_BODY) {
              request.connection().close();
            }
          });
      answer.complete(
          new Answer(
              response.statusCode(),
              error(response.statusCode()),
              retryAfter(response.getHeader("Retry-After"))));
    }

    private static String error(int status) {
      boolean isRedirect = status >= 300 && status <= 399;
      return status >= 200 && status <= 299
          ? ""
          : "answered " + status + (isRedirect ? ": redirects are not followed" : "");
    }
  }

  /** In seconds; 0 if there is none that can be read. */
  private long retryAfter(@Nullable String header) {
    if (header == null) {
      return 0;
    }
    try {
      if (header.matches("[0-9]{1,9}")) {
        return Long.parseLong(header);
      }
      Instant at = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(header));
      return Math.max(0, Duration.between(clock.instant(), at).toSeconds());
    } catch (DateTimeException e) {
      return 0;
    }
  }
}
