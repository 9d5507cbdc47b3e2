package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is done in the background. */
class BackgroundTest {

  @Test
  void repeat_somethingFailsUnexpectedly_pausesAllTheSame() throws Exception {
    var runs = new AtomicInteger();
    var failures = new Failures(Dialect.of("jdbc:sqlite:none", InstantSource.system()));
    try (var background = new Background(failures)) {
      background.repeat(
          Duration.ofHours(1),
          () -> {
            runs.incrementAndGet();
            throw new IllegalStateException("this is what the test is about");
          });
      await().until(() -> runs.get() > 0);
      // Enough for a loop without a pause to come round again.
      for (int i = 0; i < 100; i++) {
        background.call("wait a little", () -> true).toCompletableFuture().get(10, SECONDS);
      }
    }

    assertThat(runs).hasValue(1);
  }
}
