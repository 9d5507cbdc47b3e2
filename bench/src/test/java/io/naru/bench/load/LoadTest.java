package io.naru.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
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
  void run_nobodyThere_saysSo() throws IOException {
    var server = new StubServer(1, _ -> "200 OK");
    server.close();
    var target = Target.http(server.address());
    assertThatThrownBy(() -> load.run(target, enter, 2, Duration.ofMillis(100)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("" + server.address().getPort());
  }
}
