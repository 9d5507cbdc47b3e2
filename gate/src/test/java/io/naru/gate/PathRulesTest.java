package io.naru.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attack 9: there is no spelling of a protected path that is not protected. */
class PathRulesTest {

  private final PathRules rules = new PathRules(List.of("/reservations/**", "/pay/*/confirm"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/reservations",
        "/reservations/",
        "/reservations/1",
        "/reservations/1/seats",
        "//reservations/1",
        "/reservations//1",
        "/./reservations/1",
        "/public/../reservations/1",
        "/public/%2e%2e/reservations/1",
        "/public/.%2E/reservations/1",
        "/public/..;/reservations/1",
        "/public/..;x=1/reservations/1",
        "/%2e/reservations/1",
        "/../reservations",
        "/RESERVATIONS/1",
        "/Reservations",
        "/%72eservations/1",
        "/%52ESERVATIONS",
        "/reservations;a=b/1",
        "/reservations;/1",
        "/;x/reservations/1",
        "/reservations%3bx/1",
        "/reservations%2f1",
        "/reservations%2F1",
        "/public%2f..%2freservations",
        "/public/..%2freservations",
        "\\reservations",
        "/\\reservations",
        "/public\\..\\reservations/1",
        "/public%5c..%5creservations",
        "/reservations%5c1",
        "/%2572eservations/1",
        "/public/%252e%252e/reservations/1",
        "/reservations%252f1",
        "/reservations/../public",
        "/reservations/%2e%2e/public",
        "/reservations/%252e%252e/public",
        "/reservations/x%2f..%2f..%2fpublic",
        "/reservations/..;/public",
        "/pay/7/confirm",
        "/pay/7/confirm/",
        "/pay/a%2fb/confirm",
        "/pay/a%252fb/confirm",
        "/pay/a\\b/confirm",
        "/PAY/7;x/CONFIRM",
        "/pay/7/x/../confirm"
      })
  void protects_everySpelling(String path) {
    assertThat(rules.protects(path)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "reservations",
        "*",
        "http://host/x",
        "/a%",
        "/a%2",
        "/a%zz",
        "/a%00b",
        "/a%0d%0ab",
        "/a\0b",
        "/a%7f",
        "/%ff",
        "/%c0%ae%c0%ae/reservations",
        "/%e0%80%af",
        "/a%25252525252e"
      })
  void protects_whatCannotBeRead(String path) {
    assertThat(rules.protects(path)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "//",
        "/public",
        "/reservation",
        "/reservationsx",
        "/my/reservations",
        "/public/../about",
        "/public/%2e/about",
        "/%EC%98%88%EB%A7%A4",
        "/100%25",
        "/a%20b;c=d",
        "/pay/7",
        "/pay/confirm",
        "/pay/7/8/confirm"
      })
  void leavesAlone_whatNobodyProtected(String path) {
    assertThat(rules.protects(path)).isFalse();
  }

  @Test
  void patterns_starsMeanWhatTheySay() {
    assertThat(new PathRules(List.of("/**")).protects("/")).isTrue();
    assertThat(new PathRules(List.of("/**")).protects("/a/b")).isTrue();
    assertThat(new PathRules(List.of("/")).protects("/")).isTrue();
    assertThat(new PathRules(List.of("/")).protects("/a")).isFalse();
    var deep = new PathRules(List.of("/api/**/order*.json"));
    assertThat(deep.protects("/api/order.json")).isTrue();
    assertThat(deep.protects("/api/v1/x/Orders-7.JSON;v=1")).isTrue();
    assertThat(deep.protects("/api/v1/x/orders.xml")).isFalse();
    assertThat(new PathRules(List.of("/예매/**")).protects("/%EC%98%88%EB%A7%A4/1")).isTrue();
    assertThat(new PathRules(List.of("/KİLO")).protects("/kİlo")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "reservations",
        "/a//b",
        "/a**",
        "/a/",
        "/**/a/**/b/**",
        "/a/{id}",
        "/a?",
        "/a;x",
        "/%61",
        "/a\\\\b",
        "/a#",
        "/a ",
        " /a",
        "/a\n",
        "/a/../b",
        "/./a",
        "/a/.."
      })
  void pattern_thatIsNone_isRefused(String pattern) {
    assertThatThrownBy(() -> new PathRules(List.of(pattern)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + pattern + "'");
  }

  @Test
  void decodedPath_mayHavePercentSigns() {
    assertThat(rules.protectsDecoded("/100% sure")).isFalse();
    assertThat(rules.protectsDecoded("/reservations/100%")).isTrue();
    assertThat(rules.protects("/100% sure")).as("as it came").isTrue();
  }

  /** Each way up is one more reading of all that is before it: work that a stranger hands out. */
  @Test
  void protects_whatIsTooLongToBeMeant() {
    var free = new PathRules(List.of("/reservations/**"));
    String attack = "/" + "a/".repeat(1_500) + "../a/".repeat(900);
    for (String path : List.of(attack, "/a".repeat(257), "/".repeat(300), "/a%2f".repeat(129))) {
      assertThat(PathRules.readings(path)).as(path).isEmpty();
      assertThat(free.protects(path)).as(path).isTrue();
      assertThat(free.protectsDecoded(path)).as(path).isTrue();
    }

    assertThat(PathRules.readings("/a".repeat(256))).hasSize(1);
    assertThat(free.protects("/a".repeat(256))).isFalse();
    assertThat(free.protects("/%61".repeat(256))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/..",
        "//..",
        "/..;x",
        "/..%3bx",
        "/%2e%2e",
        "/.%2E",
        "/%252e%252e",
        "/%25252e.",
        "\\..",
        "%2f..",
        "%5c..",
        "%252f.."
      })
  void protects_whatGoesUpTooOften(String up) {
    var free = new PathRules(List.of("/reservations/**"));

    assertThat(PathRules.readings("/a" + up.repeat(16) + "/b")).isNotEmpty();
    assertThat(free.protects("/a" + up.repeat(16) + "/b")).isFalse();
    assertThat(PathRules.readings("/a" + up.repeat(17) + "/b")).isEmpty();
    assertThat(free.protects("/a" + up.repeat(17) + "/b")).isTrue();
  }

  @Test
  void protects_whatTakesTooLongToTell() {
    String pattern = "/**/*" + "a".repeat(60) + "b*/**";
    String path = "/a/..".repeat(16) + "/" + "a".repeat(4_000);
    var dear = new PathRules(Collections.nCopies(32, pattern));

    assertThat(dear.protects(path)).isTrue();

    var comparison = new Comparison();
    assertThat(comparison.matches(new String[] {"*a*b"}, List.of("a".repeat(100)))).isFalse();
    assertThat(comparison.steps()).isBetween(100, 1_000);
    while (comparison.steps() < Comparison.MAX_STEPS) {
      comparison.matches(new String[] {"**", "*a*b", "**"}, List.of("a".repeat(100)));
    }
    assertThat(comparison.steps()).isEqualTo(Comparison.MAX_STEPS);
    assertThat(comparison.matches(new String[] {"a"}, List.of("b"))).isTrue();
  }

  @Test
  void matches_randomPatterns_asByTryingEverything() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    for (int i = 0; i < 50_000; i++) {
      List<String> pattern = some(random, List.of("a", "b", "aa", "*", "a*", "*b", "*a*", "**"));
      List<String> path = some(random, List.of("a", "b", "aa", "ab", "ba", "aab"));
      if (Collections.frequency(pattern, "**") <= 2) {
        assertThat(new PathRules(List.of("/" + String.join("/", pattern))).matches(path))
            .as("seed %d: %s against %s", seed, pattern, path)
            .isEqualTo(matchesByTrying(pattern, path));
      }
    }
  }

  private static List<String> some(Random random, List<String> of) {
    return random.ints(random.nextInt(8), 0, of.size()).mapToObj(of::get).toList();
  }

  private static boolean matchesByTrying(List<String> pattern, List<String> path) {
    if (pattern.isEmpty()) {
      return path.isEmpty();
    }
    List<String> rest = pattern.subList(1, pattern.size());
    if (pattern.get(0).equals("**")) {
      return IntStream.rangeClosed(0, path.size())
          .anyMatch(from -> matchesByTrying(rest, path.subList(from, path.size())));
    }
    return !path.isEmpty()
        && path.get(0).matches(pattern.get(0).replace("*", ".*"))
        && matchesByTrying(rest, path.subList(1, path.size()));
  }

  @Test
  void pattern_longerThanAnyReading_isRefused() {
    assertThatThrownBy(() -> new PathRules(List.of("/a".repeat(257))))
        .isInstanceOf(IllegalArgumentException.class);
    // As long as an address can bring it: as deep as it is, telling takes no stack.
    assertThatThrownBy(() -> new PathRules(List.of("/a".repeat(100_000))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new PathRules(List.of("/a".repeat(256))).protects("/a".repeat(256))).isTrue();
  }

  /** Respells a protected path at random; whatever the spelling, it stays protected. */
  @Test
  void protects_randomSpellings() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      var path = new StringBuilder();
      for (String segment : List.of("reservations", "12", "seats")) {
        path.append(
            List.of("/", "//", "/./", "/x/../", "/%2e/", "/;a/", "\\").get(random.nextInt(7)));
        for (int at = 0; at < segment.length(); at++) {
          char c = segment.charAt(at);
          switch (random.nextInt(6)) {
            case 0 -> path.append("%%%02x".formatted((int) c));
            case 1 -> path.append("%%25%02X".formatted((int) c));
            case 2 -> path.append(Character.toUpperCase(c));
            default -> path.append(c);
          }
        }
        path.append(List.of("", ";", ";a=b", "%3bx").get(random.nextInt(4)));
      }
      if (path.charAt(0) == '\\') {
        path.insert(0, '/');
      }
      assertThat(rules.protects(path.toString())).as("seed %d: %s", seed, path).isTrue();
    }
  }
}
