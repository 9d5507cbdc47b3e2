package io.naru.server.fair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.naru.fair.Drand;
import io.naru.gate.LimitedBody;
import io.naru.queue.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches coins: {@code GET {relay}/{chain}/public/{round}}, from one relay after the other, until
 * one is verified. Only the configured addresses are asked, no redirect is followed, no answer is
 * waited for longer than three seconds or taken beyond 16 kB. Who serves what does not verify is
 * named in the log, once, and passed over.
 */
final class CoinRelays implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(CoinRelays.class);

  private static final Duration LIMIT = Duration.ofSeconds(3);
  private static final int MAX_BYTES = 16_384;

  private final List<URI> relays;
  private final Drand chain;

  /** Null where nobody is asked: it reads all certificates of the JDK, at every start. */
  private final @Nullable HttpClient http;

  private final Set<URI> liars = ConcurrentHashMap.newKeySet();

  CoinRelays(Coins coins) {
    this.relays = coins.relays();
    this.chain = coins.chain();
    this.http = relays.isEmpty() ? null : client();
  }

  private static HttpClient client() {
    return HttpClient.newBuilder()
        .connectTimeout(LIMIT)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build();
  }

  boolean isEmpty() {
    return relays.isEmpty();
  }

  /** The signature of a round, in hexadecimal digits; empty if no relay has it yet. Blocks. */
  Optional<String> fetch(long round) {
    for (int i = 0; i < relays.size(); i++) {
      // Not always the same one first.
      URI relay = relays.get((int) ((round + i) % relays.size()));
      Optional<String> found = ask(relay, round);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<String> ask(URI relay, long round) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(relay + "/" + chain.chain() + "/public/" + round))
              .timeout(LIMIT)
              .header("Accept", "application/json")
              .build();
      HttpResponse<byte[]> response =
          LimitedBody.send(requireNonNull(http), request, MAX_BYTES, LIMIT);
      if (response.statusCode() != 200) {
        log.debug("relay {} answers {} for round {}", relay, response.statusCode(), round);
        return Optional.empty();
      }
      return read(relay, round, new String(response.body(), UTF_8));
    } catch (IOException e) {
      log.debug("relay {} does not answer for round {}", relay, round, e);
      return Optional.empty();
    }
  }

  private Optional<String> read(URI relay, long round, String body) {
    Map<String, @Nullable Object> said;
    try {
      said = Json.readObject(body);
    } catch (IllegalArgumentException e) {
      return lie(relay, round);
    }
    boolean isRound = said.get("round") instanceof Number told && told.longValue() == round;
    if (isRound
        && said.get("signature") instanceof String signature
        && chain.verifies(round, signature)) {
      return Optional.of(signature);
    }
    return lie(relay, round);
  }

  private Optional<String> lie(URI relay, long round) {
    if (liars.add(relay)) {
      log.warn(
          "relay {} serves something for round {} that is not its coin; it is not believed, and the"
              + " next one is asked",
          relay,
          round);
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    if (http != null) {
      http.shutdownNow();
    }
  }
}
