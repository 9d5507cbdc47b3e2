package io.naru.bench.servers;

import io.naru.testkit.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Consoles that show one queue, as {@code queue.js} does: each reads the figures of every second,
 * and asks for the last hour when it is opened and every 15 seconds.
 */
public final class Consoles implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration CHARTS = Duration.ofSeconds(15);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong charts = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();

  Consoles(Admin admin, Queue queue, int count) {
    for (int i = 0; i < count; i++) {
      threads.add(Thread.ofVirtual().start(() -> follow(admin, queue)));
      threads.add(Thread.ofVirtual().start(() -> chart(admin, queue)));
    }
    Poll.until(
        PATIENCE,
        () ->
            "only %d messages and %d charts came to %d consoles"
                .formatted(read.get(), charts.get(), count),
        () -> read.get() >= count && charts.get() >= count);
  }

  private void follow(Admin admin, Queue queue) {
    try {
      var response =
          client.send(
              admin.following("/admin/queues/" + queue.name() + "/live"), BodyHandlers.ofLines());
      response.body().filter(line -> line.startsWith("data:")).forEach(_ -> read.incrementAndGet());
    } catch (IOException | UncheckedIOException e) {
      // It was closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void chart(Admin admin, Queue queue) {
    var path = "/admin/queues/" + queue.name() + "/timeline?minutes=60";
    try {
      while (!Thread.currentThread().isInterrupted()) {
        if (client.send(admin.following(path), BodyHandlers.discarding()).statusCode() == 200) {
          charts.incrementAndGet();
        }
        Thread.sleep(CHARTS);
      }
    } catch (IOException e) {
      // It was closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many messages all of them have read. */
  public long read() {
    return read.get();
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    client.shutdownNow();
  }
}
