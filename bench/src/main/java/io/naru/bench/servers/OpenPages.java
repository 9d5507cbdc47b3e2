package io.naru.bench.servers;

import io.naru.testkit.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * Waiting pages that are open at one server, each over a stream, or asking as {@code naru.js} asks
 * where there is none: the board every so often, and one's own place only where that says that it
 * is news. How often that is, they read in the script that the server delivers.
 */
public final class OpenPages implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern TICKET = Pattern.compile("\"ticket\":(\\d+)");
  private static final Pattern FRONT = Pattern.compile("\"front\":(\\d+)");
  private static final Pattern NEXT = Pattern.compile("\"next\":(\\d+)");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final Queue queue;
  private final long lookMillis;
  private final long turnMillis;
  private final int pages;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger opened = new AtomicInteger();
  private volatile Awaited awaited = new Awaited(_ -> false);

  /** What pages are to show, and when each of them did. */
  private static final class Awaited {
    final Predicate<String> shows;
    final Set<Integer> pages = ConcurrentHashMap.newKeySet();
    final List<Long> nanos = new ArrayList<>();

    Awaited(Predicate<String> shows) {
      this.shows = shows;
    }

    void told(int page, String text) {
      if (shows.test(text) && pages.add(page)) {
        synchronized (nanos) {
          nanos.add(System.nanoTime());
        }
      }
    }

    LongStream seen() {
      synchronized (nanos) {
        return List.copyOf(nanos).stream().mapToLong(Long::longValue);
      }
    }
  }

  private OpenPages(Naru naru, Queue queue, int pages) {
    this.server = naru.uri();
    this.queue = queue;
    this.pages = pages;
    String script = ask("/naru.js");
    this.lookMillis = constant(script, "LOOK");
    // As much of it as those take whose turn has come.
    this.turnMillis = constant(script, "SPREAD") / 10;
  }

  /** Pages over streams, one per token. */
  public static OpenPages streaming(Naru naru, Queue queue, List<String> tokens) {
    var pages = new OpenPages(naru, queue, tokens.size());
    return pages.open(tokens, pages::stream);
  }

  /** Pages that ask, one per token. */
  public static OpenPages asking(Naru naru, Queue queue, List<String> tokens) {
    var pages = new OpenPages(naru, queue, tokens.size());
    return pages.open(tokens, pages::look);
  }

  private interface Page {
    void follow(int number, String token) throws IOException, InterruptedException;
  }

  private OpenPages open(List<String> tokens, Page page) {
    for (int i = 0; i < tokens.size(); i++) {
      int number = i;
      threads.add(Thread.ofVirtual().start(() -> live(page, number, tokens.get(number))));
    }
    Poll.until(
        PATIENCE,
        () -> "only %d of %d pages opened".formatted(opened.get(), pages),
        () -> opened.get() == pages);
    return this;
  }

  private static void live(Page page, int number, String token) {
    try {
      page.follow(number, token);
    } catch (IOException | UncheckedIOException e) {
      // It was closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static long constant(String script, String name) {
    var found = Pattern.compile("const " + name + " = ([\\d_]+);").matcher(script);
    if (!found.find()) {
      throw new IllegalStateException("naru.js has no " + name);
    }
    return Long.parseLong(found.group(1).replace("_", ""));
  }

  private void stream(int page, String token) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(server.resolve(queue.path("subscribe/" + token))).build();
    var lines = client.send(request, BodyHandlers.ofLines()).body();
    var isFirst = new boolean[] {true};
    lines
        .filter(line -> line.startsWith("data:"))
        .forEach(
            line -> {
              if (isFirst[0]) {
                isFirst[0] = false;
                opened.incrementAndGet();
              }
              awaited.told(page, line);
            });
  }

  private void look(int page, String token) throws InterruptedException {
    long ticket = number(TICKET, ask("/queue/token/" + token + "/status"), Long.MAX_VALUE);
    opened.incrementAndGet();
    Thread.sleep(ThreadLocalRandom.current().nextLong(lookMillis));
    while (!Thread.currentThread().isInterrupted()) {
      String board = ask(queue.path("board"));
      awaited.told(page, board);
      if (ticket < number(FRONT, board, 0) || ticket >= number(NEXT, board, Long.MAX_VALUE)) {
        Thread.sleep(ThreadLocalRandom.current().nextLong(turnMillis));
        awaited.told(page, ask("/queue/token/" + token + "/status"));
        return;
      }
      Thread.sleep(lookMillis);
    }
  }

  private static long number(Pattern pattern, String json, long otherwise) {
    var found = pattern.matcher(json);
    return found.find() ? Long.parseLong(found.group(1)) : otherwise;
  }

  private String ask(String path) {
    try {
      var request = HttpRequest.newBuilder(server.resolve(path)).timeout(PATIENCE).build();
      return client.send(request, BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted", e));
    }
  }

  /** From now on pages are to show this. */
  public void await(Predicate<String> shows) {
    awaited = new Awaited(shows);
  }

  /**
   * Until all show it: how long it took each, in milliseconds.
   *
   * @param since when the act was sent, in nanoseconds
   */
  public List<Double> shown(long since) {
    Awaited now = awaited;
    Poll.until(
        PATIENCE,
        () -> "only %d of %d pages show it".formatted(now.pages.size(), pages),
        () -> now.seen().count() == pages);
    return now.seen().mapToObj(at -> (at - since) / 1e6).sorted().toList();
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    client.shutdownNow();
  }
}
