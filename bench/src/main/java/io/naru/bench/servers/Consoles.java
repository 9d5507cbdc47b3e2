package io.naru.bench.servers;

import io.naru.testkit.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Consoles that show one queue: each reads the figures of every second, and does nothing else. */
public final class Consoles implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicLong read = new AtomicLong();

  Consoles(Admin admin, Queue queue, int count) {
    for (int i = 0; i < count; i++) {
      Thread.ofVirtual().start(() -> follow(admin, queue));
    }
    Poll.until(
        PATIENCE,
        () -> "only %d messages came to %d consoles".formatted(read.get(), count),
        () -> read.get() >= count);
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

  /** How many messages all of them have read. */
  public long read() {
    return read.get();
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
