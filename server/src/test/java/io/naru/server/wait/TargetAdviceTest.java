package io.naru.server.wait;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetAdviceTest {

  @ParameterizedTest
  @CsvSource({
    "https://shop.example/, https://shop.example",
    "https://www.shop.example/a, https://wait.shop.example",
    "http://127.0.0.1:8090/, http://127.0.0.1:8080",
    "http://shop.example/, https://wait.shop.example",
    "'', https://wait.shop.example"
  })
  void of_siteThatGetsThePass_isNothing(String target, String naru) {
    assertThat(TargetAdvice.of(target, naru)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "https://shop.test/, https://naru.example, no cookie",
    "http://localhost:8090/, http://127.0.0.1:8080, no cookie",
    "http://127.0.0.1:8090/, http://localhost:8080, no cookie",
    "http://10.0.0.2/, http://10.0.0.1, no cookie",
    "https://shop.example/, http://wait.shop.example, https from https"
  })
  void of_siteThatDoesNot_saysWhy(String target, String naru, String why) {
    assertThat(TargetAdvice.of(target, naru))
        .hasValueSatisfying(advice -> assertThat(advice).startsWith("targetUrl: ").contains(why));
  }
}
