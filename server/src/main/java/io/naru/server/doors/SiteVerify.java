package io.naru.server.doors;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.queue.InvalidValue;
import io.naru.queue.Json;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A verifier that is asked as Turnstile, hCaptcha and reCAPTCHA are: a form with the secret and the
 * response, answered by an object with {@code success}. Only the configured address is asked, no
 * redirect is followed, and for nobody longer than two seconds.
 *
 * <p>Down may count as proven, so nothing that a visitor sends may make it look down: what no
 * script of a verifier gives out is not asked about, and a verifier that refuses a question (4xx)
 * was asked wrongly and is not down.
 */
public final class SiteVerify implements Verifier {

  private static final Logger log = LoggerFactory.getLogger(SiteVerify.class);

  private static final long REMARK_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final int MAX_ANSWER = 65_536;
  private static final int MAX_ASKING = 64;

  private final Config config;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(LIMIT).build();
  private final Semaphore asking = new Semaphore(MAX_ASKING);
  private final AtomicLong remarkedAt = new AtomicLong(System.nanoTime() - REMARK_NANOS);

  /**
   * @param url where it is asked
   * @param secret that it knows us by
   * @param shown what the page needs of it
   */
  public record Config(URI url, String secret, Shown shown) {

    /**
     * @param origins further ones, whose frames it shows
     */
    public static Config of(URI url, String secret, String siteKey, URI script, List<URI> origins) {
      check("verifier-url", url);
      check("verifier-script", script);
      origins.forEach(origin -> check("verifier-origins", origin));
      return new Config(
          url,
          secret,
          new Shown(
              siteKey,
              script.toString(),
              Stream.concat(Stream.of(script), origins.stream())
                  .map(Config::origin)
                  .distinct()
                  .toList()));
    }

    private static String origin(URI url) {
      return url.getScheme() + "://" + url.getRawAuthority();
    }

    /** Plain http is for tests, on this machine alone. */
    private static void check(String option, URI url) {
      boolean isHere = "localhost".equals(url.getHost()) || "127.0.0.1".equals(url.getHost());
      boolean isGood =
          url.getHost() != null
              && url.getUserInfo() == null
              && ("https".equals(url.getScheme()) || ("http".equals(url.getScheme()) && isHere));
      if (!isGood) {
        throw new InvalidValue(option, "an https:// address", "is " + url);
      }
    }
  }

  SiteVerify(Config config) {
    this.config = config;
  }

  @Override
  public Shown shown() {
    return config.shown();
  }

  @Override
  public CompletionStage<Verdict> verify(String response) {
    if (!response.chars().allMatch(SiteVerify::isPrintable)) {
      return CompletableFuture.completedStage(Verdict.BAD);
    }
    if (!asking.tryAcquire()) {
      return CompletableFuture.completedStage(Verdict.BUSY);
    }
    String form =
        "secret="
            + URLEncoder.encode(config.secret(), UTF_8)
            + "&response="
            + URLEncoder.encode(response, UTF_8);
    HttpRequest request =
        HttpRequest.newBuilder(config.url())
            .timeout(LIMIT)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();
    return client
        .sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MAX_ANSWER))
        // Its own limit ends with the head of the answer.
        .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .handle((answer, failure) -> failure == null ? read(answer) : Verdict.DOWN)
        .whenComplete((_, _) -> asking.release());
  }

  /** What all of them give out is; anything else is up to nine times as long in a form. */
  private static boolean isPrintable(int character) {
    return character >= ' ' && character <= '~';
  }

  private Verdict read(HttpResponse<String> answer) {
    int status = answer.statusCode();
    if (isRefusal(status)) {
      remark(status);
      return Verdict.BAD;
    }
    return status == 200 ? said(answer.body()) : Verdict.DOWN;
  }

  /** Of the question. A verifier that was too slow, or is asked too much, cannot be asked now. */
  private static boolean isRefusal(int status) {
    return status >= 400 && status < 500 && status != 408 && status != 429;
  }

  /** Nobody could prove anything where its address or our secret is wrong. */
  private void remark(int status) {
    long now = System.nanoTime();
    long last = remarkedAt.get();
    if (now - last >= REMARK_NANOS && remarkedAt.compareAndSet(last, now)) {
      log.warn(
          "the verifier answers {} to what a visitor brought, which counts as refused; if it answers"
              + " everybody so, look at --verifier-url and its secret (said once a minute)",
          status);
    }
  }

  private static Verdict said(String body) {
    try {
      Map<String, @Nullable Object> said = Json.readObject(body);
      return switch (said.get("success")) {
        case Boolean isGood -> isGood ? Verdict.GOOD : Verdict.BAD;
        case null, default -> Verdict.DOWN;
      };
    } catch (IllegalArgumentException e) {
      return Verdict.DOWN;
    }
  }
}
