package io.naru.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrandTest {

  static Errand to(String url, String queue, int connections, @Nullable String header) {
    return new Errand(
        URI.create(url),
        queue,
        new Wave(1, Duration.ZERO, Wave.Shape.BURST),
        Habits.DEFAULT,
        Errand.Follow.POLL,
        connections,
        0,
        header,
        1);
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:8080, true",
    "http://127.8.9.1, true",
    "http://localhost:8080/, true",
    "http://[::1]:8080, true",
    "https://127.0.0.1, true",
    "http://192.0.2.1, false",
    "https://192.0.2.1, false",
    "http://no-such-host.invalid, false",
  })
  void loopback_isThisMachineAlone(String url, boolean isLoopback) {
    assertThat(to(url, "SALE/1", 1, null).isLoopback()).isEqualTo(isLoopback);
  }

  @ParameterizedTest
  @CsvSource({
    "wss://shop.example, SALE/1, 1, User-Id, --url",
    "ftp://127.0.0.1, SALE/1, 1, User-Id, --url",
    "http://127.0.0.1/console, SALE/1, 1, User-Id, --url",
    "https://a@127.0.0.1, SALE/1, 1, User-Id, --url",
    "http://127.0.0.1, SALE, 1, User-Id, TYPE/id",
    "http://127.0.0.1, 'SALE/1 HTTP/1.1', 1, User-Id, TYPE/id",
    "http://127.0.0.1, SALE/1, 0, User-Id, '--connections: must be 1..10000, is 0'",
    "http://127.0.0.1, SALE/1, 10001, User-Id, '--connections: must be 1..10000'",
    "http://127.0.0.1, SALE/1, 1, 'User: x', --user-header",
  })
  void absurd_isRefusedByName(
      String url, String queue, int connections, String header, String message) {
    assertThatThrownBy(() -> to(url, queue, connections, header))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }
}
