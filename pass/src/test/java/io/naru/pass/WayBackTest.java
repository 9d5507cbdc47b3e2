package io.naru.pass;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WayBackTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/reservations/new?seat=12&row=a%2Fb",
        "/go?to=https://other.example//x",
        "/search?q=two%0Alines",
        "/a/b/../c;v=1/@me/~x/$&'()*+,=!:",
        "/item/a%2Fb",
        "/%EA%B3%B5%EC%97%B0",
        "/100%",
        "/sale#tickets",
        "/?",
        "/%25"
      })
  void isSafe_pathsOfASite_areTaken(String path) {
    assertThat(WayBack.isSafe(path)).isTrue();
  }

  static Stream<String> misleading() {
    return Stream.of(
        "",
        "sale",
        "?a=b",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/a?b=\\evil",
        "javascript:alert(1)",
        "https://evil.example",
        "https:/evil.example",
        "//user@evil.example",
        "@evil.example",
        ".evil.example",
        ":80@evil.example/",
        "/%09/evil.example",
        "/%0a/evil.example",
        "/a%0d%0aSet-Cookie:x",
        "/\t/evil.example",
        "/\r\nSet-Cookie: a=b",
        "/\n/evil.example",
        "/a b",
        " /a",
        "/\0",
        "/%00",
        "/%7f",
        "/%2fevil.example",
        "/%2F%2Fevil.example",
        "/%5cevil.example",
        "/%252fevil.example",
        "/%25252fevil.example",
        "/%2525252525252fevil.example",
        "/.//evil.example",
        "/a/..//evil.example",
        "/%2e%2e//evil.example",
        "/공연",
        "/\u2028",
        "/\uFF0Fevil.example",
        "/" + "a".repeat(2_000),
        "/" + "?".repeat(1_500));
  }

  @ParameterizedTest
  @MethodSource("misleading")
  void isSafe_whatCouldLeadElsewhere_isNot(String path) {
    assertThat(WayBack.isSafe(path)).isFalse();
  }

  @Test
  void isSafe_theLongest_stillFitsIntoAnAddress() {
    String longest = "/" + "a".repeat(1_999);

    assertThat(WayBack.isSafe(longest)).isTrue();
    assertThat(WayBack.query(longest)).startsWith("?return=%2Faaa").hasSizeLessThan(3_500);
  }
}
