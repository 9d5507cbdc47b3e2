package io.naru.bench.servers;

import io.naru.testkit.NginxServer;
import io.naru.testkit.StrictJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Very many who work their places out of the board, as {@code naru-board.js} does; in one lane.
 * What they all see they read once, through a cache.
 */
public final class Watchers {

  private static final String HTTP =
      "proxy_cache_path cache keys_zone=naru:10m max_size=100m; log_format origin '$uri';";

  /** As docs/reach.md has it, and with a line for each request that reaches the server. */
  private static final String LOCATION =
      """
      location ~ ^/queue/[^/]+/[^/]+/board {
        proxy_pass NARU;
        proxy_cache naru;
        proxy_cache_key $uri;
        proxy_cache_lock on;
        proxy_cache_use_stale updating;
        proxy_cache_background_update on;
        proxy_set_header Accept-Encoding "";
        log_subrequest on;
        access_log origin.log origin if=$upstream_status;
      }
      """;

  private static final int AT_ONCE = 64;
  private static final long TILE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int GOING_IN = 20;
  private static final int LEAVING = 30;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Naru naru;
  private final Queue queue;
  private final NginxServer cache;
  private final Random random = new Random(20260101);

  /** Of those who wait still, as far as is known here, by ticket. */
  private final Map<Long, String> tokens = new HashMap<>();

  private final Map<Long, Long> places = new HashMap<>();
  private final Map<Long, Tile> tiles = new HashMap<>();
  private long rises;

  private record Tile(long from, BitSet gone, long readAt) {}

  public Watchers(Naru naru, Queue queue, NginxServer cache, List<String> all) {
    this.naru = naru;
    this.queue = queue;
    this.cache = cache;
    ask(all, (token, entry) -> tokens.put(number(entry, "ticket"), token));
  }

  /** Whether this server's boards say who waits where. */
  public static boolean hasTickets(Naru naru, Queue queue) {
    var request = HttpRequest.newBuilder(naru.uri().resolve(queue.path("board"))).build();
    try (var http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body().contains("\"lanes\"");
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** An nginx that keeps boards as long as it may. */
  public static NginxServer cache(Path program, Naru naru) {
    return NginxServer.start(program, HTTP, LOCATION.replace("NARU", naru.uri().toString()));
  }

  public String path() {
    return queue.path("board");
  }

  /** How many boards the server was asked for, tiles apart. */
  public long boardsFetched() {
    Path log = cache.folder().resolve("origin.log");
    try (var lines = Files.lines(log)) {
      return lines.filter(line -> line.endsWith("/board")).count();
    } catch (IOException e) {
      throw new UncheckedIOException("no " + log, e);
    }
  }

  public int waiting() {
    return tokens.size();
  }

  /** How many were told a higher place than before. */
  public long rises() {
    return rises;
  }

  /** Some go in, and some give up, wherever they stand. */
  public void move() {
    naru.admin().process(queue, GOING_IN);
    List<Long> all = new ArrayList<>(tokens.keySet());
    for (int i = 0; i < LEAVING && !all.isEmpty(); i++) {
      Long ticket = all.get(random.nextInt(all.size()));
      String token = tokens.remove(ticket);
      if (token != null) {
        places.remove(ticket);
        var request =
            HttpRequest.newBuilder(naru.uri().resolve(queue.path("leave")))
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.noBody());
        send(request.build());
      }
    }
  }

  /** Everybody looks. */
  public void look() {
    Map<String, @Nullable Object> board = read(path());
    Map<?, ?> lane = (Map<?, ?>) list(board, "lanes").getFirst();
    long[] gone = list(lane, "gone").stream().mapToLong(n -> ((Number) n).longValue()).toArray();
    long front = number(lane, "front");
    long size = number(board, "block");
    // Those before the front have gone in: they ask for themselves.
    tokens.keySet().removeIf(ticket -> ticket < front);
    places.keySet().retainAll(tokens.keySet());
    long[] before = new long[gone.length + 1];
    for (int i = 0; i < gone.length; i++) {
      before[i + 1] = before[i] + gone[i];
    }
    for (long ticket : tokens.keySet()) {
      int own = (int) (ticket / size - front / size);
      long place = ticket - front - before[own] - goneBefore(ticket, front, size, gone[own]);
      Long last = places.put(ticket, place);
      rises += last != null && place > last ? 1 : 0;
    }
  }

  private int goneBefore(long ticket, long front, long size, long count) {
    if (count == 0) {
      return 0;
    }
    long from = Math.max(front, ticket / size * size);
    Tile tile = tiles.get(ticket / size);
    if (tile == null || System.nanoTime() - tile.readAt > TILE_NANOS) {
      var read = read(path() + "/0/" + size + "/" + from + "/" + count);
      byte[] bits = Base64.getUrlDecoder().decode(String.valueOf(read.get("gone")));
      tile = new Tile(from, BitSet.valueOf(bits), System.nanoTime());
      tiles.put(ticket / size, tile);
    }
    int first = (int) Math.max(0, from - tile.from);
    return tile.gone.get(first, (int) Math.max(first, ticket - tile.from)).cardinality();
  }

  /** Nobody moves any more: boards and tiles are as they will be. */
  public void settle(Duration patience) {
    long until = System.nanoTime() + patience.toNanos();
    long waiting = naru.admin().waiting(queue);
    while (number(read(path()), "waiting") != waiting) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("the board does not become what the queue is");
      }
    }
    tiles.clear();
    look();
  }

  /** How many places are not what the server says. */
  public long wrong() {
    long[] wrong = {0};
    Map<String, Long> byToken = new HashMap<>();
    places.forEach((ticket, place) -> byToken.put(String.valueOf(tokens.get(ticket)), place));
    ask(
        List.copyOf(byToken.keySet()),
        (token, entry) ->
            wrong[0] += Long.valueOf(number(entry, "ahead")).equals(byToken.get(token)) ? 0 : 1);
    return wrong[0];
  }

  /** Asks the server for the status of each. */
  private void ask(List<String> all, BiConsumer<String, Map<String, @Nullable Object>> each) {
    var free = new Semaphore(AT_ONCE);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (String token : all) {
      free.acquireUninterruptibly();
      URI uri = naru.uri().resolve("/queue/token/" + token + "/status");
      asked.add(
          http.sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .thenAccept(
                  answer -> {
                    synchronized (each) {
                      each.accept(token, StrictJson.object(answer.body()));
                    }
                  })
              .whenComplete((_, _) -> free.release()));
    }
    CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).join();
  }

  private Map<String, @Nullable Object> read(String path) {
    URI uri = URI.create("http://127.0.0.1:" + cache.port()).resolve(path);
    return StrictJson.object(send(HttpRequest.newBuilder(uri).build()));
  }

  private String send(HttpRequest request) {
    try {
      var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(request.uri() + " answers " + answer.body());
      }
      return answer.body();
    } catch (IOException e) {
      throw new UncheckedIOException("no answer from " + request.uri(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static List<?> list(Map<?, ?> json, String name) {
    if (json.get(name) instanceof List<?> list) {
      return list;
    }
    throw new IllegalStateException("no " + name + " in " + json);
  }

  private static long number(Map<?, ?> json, String name) {
    if (json.get(name) instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalStateException("no " + name + " in " + json);
  }
}
