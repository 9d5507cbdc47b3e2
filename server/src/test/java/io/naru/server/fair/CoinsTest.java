package io.naru.server.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.InvalidValue;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoinsTest {

  @Test
  void parse_relays_withoutSlashesAtTheEnd() {
    assertThat(Coins.parse("https://api.drand.sh, https://drand.example/v1/").relays())
        .containsExactly(
            URI.create("https://api.drand.sh"), URI.create("https://drand.example/v1"));
    assertThat(Coins.parse("http://127.0.0.1:1234").relays()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "drand.example",
        "http://drand.example",
        "ftp://drand.example",
        "https://user@drand.example",
        "https://drand.example?x=1",
        "https://drand.example#x",
        "https://",
        "https://a b",
        "file:///etc/passwd"
      })
  void parse_whatIsNoRelay_isRefusedByTheNameOfTheOption(String relays) {
    assertThatThrownBy(() -> Coins.parse(relays))
        .isInstanceOfSatisfying(
            InvalidValue.class, e -> assertThat(e.field()).isEqualTo("coin-relays"));
  }
}
