package io.naru.bench.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WorkerSiteTest {

  private static final long MILLI = 1_000_000;

  private final WorkerSite site = new WorkerSite(Duration.ofMillis(120));

  /** When its workers were all free. */
  private final long start = System.nanoTime() + 1;

  @Test
  void serve_moreThanWorkers_waitForTheirTurn() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      assertThat(site.serve(start)).isEqualTo(start + 50 * MILLI);
    }
    assertThat(site.serve(start)).isEqualTo(start + 100 * MILLI);
    assertThat(site.serve(start + 50 * MILLI)).isEqualTo(start + 100 * MILLI);
  }

  @Test
  void serve_manyWait_allOfItIsSlower() throws InterruptedException {
    long last = 0;
    for (int i = 0; i < 20 + 80; i++) {
      last = site.serve(start);
    }
    assertThat(last).isEqualTo(start + 5 * 50 * MILLI);
    assertThat(site.serve(start)).isEqualTo(start + (5 * 50 + 65) * MILLI);
  }

  @Test
  void served_countsWhatTookLongerThanPatience() throws InterruptedException {
    for (int i = 0; i < 60; i++) {
      site.serve(start);
    }
    assertThat(site.served()).isEqualTo(60);
    assertThat(site.slow()).isEqualTo(20);
    assertThat(site.window().getTotalCount()).isEqualTo(60);
  }
}
