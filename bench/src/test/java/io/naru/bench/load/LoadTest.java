package io.naru.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoadTest {

  private final Load load = new Load(2);
  private final Users users = new Users();
  private final Traffic enter = Template.httpAsUser("POST", "x", "/enter").byNewcomers(users);

  @AfterEach
  void close() {
    load.close();
  }

  @Test
  void run_forAWhile_countsEveryAnswer() throws IOException {
    try (var server = new StubServer(Integer.MAX_VALUE, _ -> "201 Created")) {
      var sample = load.run(Target.http(server.address()), enter, 8, Duration.ofMillis(200));
      assertThat(sample.failures()).isZero();
      assertThat(sample.answers()).isLessThanOrEqualTo(server.users.size());
      assertThat(sample.latency().getTotalCount()).isEqualTo(server.users.size());
      assertThat(server.connections).hasSize(8);
    }
  }

  @Test
  void drain_pipelined_sendsExactlySoMany() throws IOException {
    try (var server = new StubServer(Integer.MAX_VALUE, _ -> "201 Created")) {
      var sample = load.drain(Target.http(server.address()), enter.limitedTo(5_003), 7, 4);
      assertThat(sample.answers()).isEqualTo(5_003);
      assertThat(new HashSet<>(server.users)).hasSize(5_003);
    }
  }

  @Test
  void drain_serverClosesNowAndThen_reconnectsWithoutLoss() throws IOException {
    try (var server = new StubServer(10, _ -> "200 OK")) {
      var sample = load.drain(Target.http(server.address()), enter.limitedTo(1_000), 4, 1);
      assertThat(sample.answers()).isEqualTo(1_000);
      assertThat(sample.failures()).isZero();
      assertThat(server.connections.size()).isBetween(100, 104);
    }
  }

  @Test
  void drain_refusals_areCountedAndShown() throws IOException {
    try (var server = new StubServer(Integer.MAX_VALUE, _ -> "503 Service Unavailable")) {
      var sample = load.drain(Target.http(server.address()), enter.limitedTo(10), 2, 1);
      assertThat(sample.answers()).isZero();
      assertThat(sample.failures()).isEqualTo(10);
      assertThat(sample.firstFailure()).startsWith("HTTP/1.1 503");
    }
  }

  @Test
  void run_twoAddresses_spreadsTheConnections() throws IOException {
    try (var one = new StubServer(Integer.MAX_VALUE, _ -> "201 Created");
        var other = new StubServer(Integer.MAX_VALUE, _ -> "201 Created")) {
      var both = Target.http(one.address(), other.address());
      var sample = load.drain(both, enter.limitedTo(1_000), 8, 1);
      assertThat(sample.answers()).isEqualTo(1_000);
      assertThat(one.connections).hasSize(4);
      assertThat(other.connections).hasSize(4);
      assertThat(one.users.size() + other.users.size()).isEqualTo(1_000);
    }
  }

  @Test
  void offer_fewerConnectionsThanDue_sendsEveryRequest() throws IOException {
    try (var server = new StubServer(Integer.MAX_VALUE, _ -> "201 Created")) {
      var sample =
          load.offer(Target.http(server.address()), enter, 2, 5_000, Duration.ofMillis(200));
      assertThat(server.users).hasSize(1_000);
      assertThat(sample.latency().getTotalCount()).isEqualTo(1_000);
      assertThat(sample.failures()).isZero();
    }
  }

  @Test
  void offer_serverStalls_allDueMeanwhileHaveWaited() throws IOException {
    var stalls = new Semaphore(2);
    StubServer.Answer stalling =
        _ -> {
          if (stalls.tryAcquire()) {
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
          }
          return "201 Created";
        };
    try (var server = new StubServer(Integer.MAX_VALUE, stalling)) {
      // One connection per thread, held up by its first answer until everything is overdue.
      var sample =
          load.offer(Target.http(server.address()), enter, 2, 1_000, Duration.ofMillis(100));
      assertThat(sample.latency().getTotalCount()).isEqualTo(100);
      assertThat(sample.latency().getMinValue()).isGreaterThanOrEqualTo(200_000);
    }
  }

  @Test
  void run_nobodyThere_saysSo() throws IOException {
    var server = new StubServer(1, _ -> "200 OK");
    server.close();
    var target = Target.http(server.address());
    assertThatThrownBy(() -> load.run(target, enter, 2, Duration.ofMillis(100)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("" + server.address().getPort());
  }
}
