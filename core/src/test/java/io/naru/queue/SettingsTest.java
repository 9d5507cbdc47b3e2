package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.naru.admission.Pacing;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stay.OnExpiry;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

  static Stream<Arguments> numbers() {
    return Stream.of(
        arguments("maxCapacity", 1, 10_000_000),
        arguments("entryBatchSize", 1, 100_000),
        arguments("entryIntervalSeconds", 1, 3_600),
        arguments("passTtlSeconds", 10, 86_400),
        arguments("maxWaiting", 1, 10_000_000),
        arguments("newPlacesPerMinute", 0, 1_000));
  }

  @Test
  void default_isWhatTheContractSays() {
    assertThat(Settings.DEFAULT)
        .isEqualTo(
            new Settings(
                new Pace(1_000, 100, 1, Pacing.Kind.STEPS, Optional.empty(), Optional.empty()),
                new Times(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()),
                new Fairness(Fairness.Draw.SEED, 0, 0, false),
                new Lanes(List.of(), Lanes.Order.SHARES),
                new Supply(Optional.empty()),
                new Stay(300, OnExpiry.END, false, CompletedBy.VISITOR),
                new Fallback(60, 2, 900),
                new Door(10_000_000, 3, 0, Optional.empty()),
                new Reporting(Optional.empty()),
                new Look(Words.NONE, "", "", "", Words.NONE, "", Words.NONE, ""),
                Map.of()));
    assertThat(Settings.DEFAULT.pacing()).isEqualTo(new Pacing(100, 1));
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void with_numberInRange_isTaken(String field, int min, int max) {
    for (Object value : List.of(min, max, (long) min, (long) max)) {
      Settings changed = Settings.DEFAULT.with(Map.of(field, value));

      assertThat(changed.asMap().get(field)).isEqualTo(((Number) value).intValue());
      assertThat(changed.with(Map.of(field, onlyDefault(field)))).isEqualTo(Settings.DEFAULT);
    }
  }

  private static Object onlyDefault(String field) {
    return Objects.requireNonNull(Settings.DEFAULT.asMap().get(field));
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void with_anythingElse_isRefusedWithFieldAndRange(String field, int min, int max) {
    List<Object> bad =
        List.of(
            min - 1,
            max + 1,
            min - 1L,
            max + 1L,
            Integer.MIN_VALUE,
            Integer.MAX_VALUE,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            (1L << 32) + min,
            "10",
            "",
            10.5,
            10.0,
            10.0f,
            Double.NaN,
            BigInteger.TWO.pow(80),
            true,
            List.of(10),
            Map.of("a", 10));
    for (Object value : bad) {
      assertRefused(field, value, min + ".." + max);
    }
    assertRefused(field, null, min + ".." + max);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "maxcapacity", "maxCapacity ", "MAXCAPACITY", "isActive", "version"})
  void with_unknownName_isRefused(String name) {
    assertRefused(name, 5, "maxCapacity, entryBatchSize, ");
  }

  @Test
  void with_oneBadAmongGood_isRefused() {
    assertThatExceptionOfType(InvalidValue.class)
        .isThrownBy(
            () -> Settings.DEFAULT.with(Map.of("maxCapacity", 5, "entryBatchSize", 0, "title", "")))
        .satisfies(e -> assertThat(e.field()).isEqualTo("entryBatchSize"));
  }

  @Test
  void with_nothing_isTheSame() {
    assertThat(Settings.DEFAULT.with(Map.of())).isEqualTo(Settings.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Sale", "나루 — \"Sale\" <b>&amp;", "\ud83c\udf9f"})
  void with_title_isTaken(String title) {
    assertThat(Settings.DEFAULT.with(Map.of("title", title)).look().title())
        .isEqualTo(Words.of(title));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000b", "a\nb", "a\rb", "\t", "\u001b[2J", "a\u007f", "a\u0085b"})
  void with_titleWithControlCharacters_isRefused(String title) {
    assertRefused("title", title, "200 characters");
  }

  @Test
  void with_titleTooLongOrNoText_isRefused() {
    assertThat(Settings.DEFAULT.with(Map.of("title", "a".repeat(200))).look().title().in("en"))
        .hasSize(200);
    assertRefused("title", "a".repeat(201), "200 characters");
    assertRefused("title", null, "200 characters");
    assertRefused("title", 5, "200 characters");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "https://shop.example",
        "https://shop.example/",
        "http://localhost:8080/sale?id=1&x=%20#top",
        "https://[::1]:8443/",
        "https://192.0.2.1/a",
        "https://shop.example/@user"
      })
  void with_webAddress_isTaken(String url) {
    assertThat(Settings.DEFAULT.with(Map.of("targetUrl", url)).look().targetUrl()).isEqualTo(url);
    assertThat(Settings.DEFAULT.with(Map.of("logoUrl", url)).look().logoUrl()).isEqualTo(url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//evil.example",
        "///evil.example",
        "/relative",
        "relative",
        "?a",
        "#a",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "javascript://shop.example/%0aalert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "ftp://shop.example/",
        "https:",
        "https:/",
        "https://",
        "https:///path",
        "https:evil.example",
        "https:/evil.example",
        "https://bank@evil",
        "https://bank.example@evil.example/",
        "https://bank.example:pw@evil.example/",
        "https://@evil.example/",
        "https://bank.example%40evil.example/",
        "https://bank.example\\@evil.example/",
        "https:\\\\evil.example",
        "https://bank.example\\.evil.example",
        "https://shop.example:port/",
        "https://[::1/",
        "https://shop example/",
        " https://shop.example/",
        "https://shop.example/ ",
        "https://shop.example/\u0000",
        "https://shop.example/\r\nSet-Cookie: a=b",
        "https://shop.example/\n",
        "https://shop.example/\t",
        "https://shop.example/\u0085",
        "https://shop.example/\u2028",
        "https://shop.example/%",
        "https://shop.example/<script>",
        "https://shop.example/\"onload="
      })
  void with_addressThatMisleads_isRefused(String url) {
    assertRefused("targetUrl", url, "https://");
    assertRefused("logoUrl", url, "https://");
  }

  @Test
  void with_addressTooLongOrNoText_isRefused() {
    String longest = "https://shop.example/" + "a".repeat(2_000 - 21);
    assertThat(Settings.DEFAULT.with(Map.of("targetUrl", longest)).look().targetUrl())
        .hasSize(2_000);
    assertRefused("targetUrl", longest + "a", "2000 characters");
    assertRefused("targetUrl", null, "2000 characters");
    assertRefused("targetUrl", 5, "2000 characters");
  }

  @ParameterizedTest
  @CsvSource({
    "https://shop.example/티켓/예매?좌석=1#위,"
        + "https://shop.example/%ED%8B%B0%EC%BC%93/%EC%98%88%EB%A7%A4?%EC%A2%8C%EC%84%9D=1#%EC%9C%84",
    "https://shop.example/%ED%8B%B0켓,https://shop.example/%ED%8B%B0%EC%BC%93",
    "https://shop.example/🎟?a=é,https://shop.example/%F0%9F%8E%9F?a=%C3%A9",
    "https://티켓.한국:8443/a,https://xn--7f7br4e.xn--3e0b707e:8443/a",
    "http://bücher.example?q,http://xn--bcher-kva.example?q",
    "https://BÜCHER.example/A,https://xn--bcher-kva.example/A"
  })
  void with_addressAsPeopleWriteIt_isKeptEncoded(String url, String encoded) {
    for (String field : List.of("targetUrl", "logoUrl")) {
      Settings settings = Settings.DEFAULT.with(Map.of(field, url));
      assertThat(settings.asMap()).containsEntry(field, encoded);
      assertThat(settings.with(Map.of(field, encoded))).as("once only").isEqualTo(settings);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://faß.example/",
        "https://a\u200db.example/",
        "https://bank.example／@evil.example/",
        "https://bank.example。@evil.example/",
        "https://은행.example@evil.example/",
        "https://은행 .example/",
        "https://.은행..example/",
        "https://은행.example:８０/",
        "https://shop.example/티켓 예매",
        "https://shop.example/티켓\u3000",
        "https://shop.example/티켓\n",
        "https://shop.example/\ud800티켓",
        "자바://shop.example/"
      })
  void with_addressThatCannotBeEncoded_isRefused(String url) {
    assertRefused("targetUrl", url, "https://");
    assertRefused("logoUrl", url, "https://");
  }

  @Test
  void with_addressThatIsTooLongOnceEncoded_isRefused() {
    String longest = "https://shop.example/" + "a".repeat(2_000 - 21 - 9) + "석";
    assertThat(Settings.DEFAULT.with(Map.of("targetUrl", longest)).look().targetUrl())
        .hasSize(2_000);
    assertRefused("targetUrl", longest + "a", "2000 characters");
  }

  @Test
  void withStored_addressThatWasKeptAsWritten_isEncodedHoweverLong() {
    String written = "https://shop.example/" + "석".repeat(1_000);

    Settings settings = Settings.DEFAULT.withStored(Map.of("targetUrl", written));

    assertThat(settings.look().targetUrl())
        .startsWith("https://shop.example/%EC%84%9D")
        .hasSize(9_021);
    assertThat(Settings.DEFAULT.withStored(Map.of("targetUrl", settings.look().targetUrl())))
        .isEqualTo(settings);
    assertThat(settings.with(Map.of("title", "other")).look().targetUrl())
        .isEqualTo(settings.look().targetUrl());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "#000000", "#ffffff", "#1A73e8"})
  void with_color_isTaken(String color) {
    assertThat(Settings.DEFAULT.with(Map.of("color", color)).look().color()).isEqualTo(color);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "red",
        "#fff",
        "1a73e8",
        "#1a73e8ff",
        "#1a73eg",
        " #1a73e8",
        "#1a73e8\n",
        "#1a73e8;}body{"
      })
  void with_noColor_isRefused(String color) {
    assertRefused("color", color, "#rrggbb");
    assertRefused("color", 0x1a73e8, "#rrggbb");
  }

  @Test
  void with_message_isTakenUpToItsLimit() {
    String longest = "글".repeat(500);
    assertThat(Settings.DEFAULT.with(Map.of("message", longest)).look().message())
        .isEqualTo(Words.of(longest));
    assertRefused("message", longest + "글", "500 characters");
    assertRefused("message", "two\nlines", "500 characters");
    assertRefused("message", null, "500 characters");
  }

  @Test
  void with_audience_isTakenUpToItsLimit() {
    String longest = "a".repeat(200);
    assertThat(Settings.DEFAULT.with(Map.of("audience", longest)).look().audience())
        .isEqualTo(longest);
    assertRefused("audience", longest + "a", "200 characters");
    assertRefused("audience", "a\nb", "200 characters");
    assertRefused("audience", 7, "200 characters");
  }

  @Test
  void asMap_everySetting_isThereByName() {
    assertThat(Settings.DEFAULT.asMap().keySet())
        .containsExactly(
            "maxCapacity",
            "entryBatchSize",
            "entryIntervalSeconds",
            "pacing",
            "burst",
            "adaptive",
            "lobbyOpensAt",
            "opensAt",
            "notBefore",
            "closesAt",
            "endsAt",
            "draw",
            "jitterMillis",
            "fairWindowMillis",
            "log",
            "lanes",
            "laneOrder",
            "stock",
            "passTtlSeconds",
            "onExpiry",
            "once",
            "completedBy",
            "retrySeconds",
            "maxReturns",
            "fallbackSeconds",
            "maxWaiting",
            "newPlacesPerMinute",
            "absenceGraceSeconds",
            "doors",
            "events",
            "title",
            "targetUrl",
            "color",
            "logoUrl",
            "message",
            "audience",
            "endText",
            "endUrl");
    assertThat(
            Arrays.stream(Settings.class.getRecordComponents())
                .filter(part -> part.getType().isRecord())
                .flatMap(part -> Arrays.stream(part.getType().getRecordComponents())))
        .extracting(component -> component.getName())
        .containsExactlyElementsOf(Settings.DEFAULT.asMap().keySet());
    assertThat(Settings.FIELDS)
        .extracting(Field::name)
        .containsExactlyElementsOf(Settings.DEFAULT.asMap().keySet());
  }

  @Test
  void with_adaptive_hasItsDefaultsAndIsKept() {
    Settings all = Settings.DEFAULT.with(Map.of("adaptive", Map.of()));

    assertThat(all.pace().adaptive())
        .contains(
            new Adaptive(Adaptive.Mode.STEADY, 100, 5_000, 1_000, 100, 500, 1, 1.1, 0.8, 100));
    assertThat(all.pacing().perSecond()).isEqualTo(1_000);
    assertThat(Settings.ofText(all.text())).isEqualTo(all);
    assertThat(all.needsLedger()).contains("adaptive");
    Settings small =
        Settings.DEFAULT.with(
            Map.of(
                "adaptive", Map.of("mode", "AIMD", "floorPerSecond", 0.5, "ceilingPerSecond", 20)));
    Adaptive rule = small.pace().adaptive().orElseThrow();
    assertThat(rule.startPerSecond()).isEqualTo(20);
    assertThat(rule.safePerSecond()).isEqualTo(20);
    assertThat(Settings.ofText(small.text())).isEqualTo(small);
    Map<String, @Nullable Object> none = new HashMap<>();
    none.put("adaptive", null);
    assertThat(all.with(none)).isEqualTo(Settings.DEFAULT);
  }

  static Stream<Arguments> wrongAdaptive() {
    return Stream.of(
        arguments("adaptive", List.of(), "null, or an object"),
        arguments("adaptive", "STEADY", "null, or an object"),
        arguments("adaptive.mode", Map.of("mode", "PID"), "STEADY or AIMD"),
        arguments("adaptive.speed", Map.of("speed", 1), "floorPerSecond"),
        arguments("adaptive.floorPerSecond", Map.of("floorPerSecond", 0), "0.01..100000"),
        arguments("adaptive.floorPerSecond", Map.of("floorPerSecond", "9"), "0.01..100000"),
        arguments("adaptive.floorPerSecond", Map.of("floorPerSecond", Double.NaN), "0.01..100000"),
        arguments(
            "adaptive.ceilingPerSecond",
            Map.of("floorPerSecond", 10, "ceilingPerSecond", 9),
            "10..100000"),
        arguments("adaptive.startPerSecond", Map.of("startPerSecond", 99), "100..5000"),
        arguments("adaptive.safePerSecond", Map.of("safePerSecond", 5_001), "100..5000"),
        arguments("adaptive.slowMillis", Map.of("slowMillis", 0.5), "1..60000"),
        arguments("adaptive.slowMillis", Map.of("slowMillis", 1.5), "1..60000"),
        arguments("adaptive.errorPercent", Map.of("errorPercent", 101), "0.01..100"),
        arguments("adaptive.increase", Map.of("increase", 1), "1.001..10"),
        arguments("adaptive.decrease", Map.of("decrease", 1), "0.01..0.99"),
        arguments("adaptive.everyMillis", Map.of("everyMillis", 99), "100..60000"));
  }

  @ParameterizedTest
  @MethodSource("wrongAdaptive")
  void with_adaptiveThatCannotBe_isRefusedWithFieldAndRange(
      String field, Object value, String allowed) {
    assertThatExceptionOfType(InvalidValue.class)
        .isThrownBy(() -> Settings.DEFAULT.with(Map.of("adaptive", value)))
        .satisfies(e -> assertThat(e.field()).isEqualTo(field))
        .satisfies(e -> assertThat(e.allowed()).contains(allowed));
  }

  @Test
  void with_onExpiry_isTaken() {
    Settings requeues = Settings.DEFAULT.with(Map.of("onExpiry", "REQUEUE"));

    assertThat(requeues.stay().onExpiry()).isEqualTo(OnExpiry.REQUEUE);
    assertThat(requeues.stay().requeues()).isTrue();
    assertThat(requeues.with(Map.of("onExpiry", "END"))).isEqualTo(Settings.DEFAULT);
    assertThat(Settings.DEFAULT.stay().requeues()).isFalse();
  }

  @Test
  void with_onExpiryThatIsNone_isRefused() {
    for (Object value : List.of("", "end", "Requeue", "REQUEUE ", "RETURN", 1, true, List.of())) {
      assertRefused("onExpiry", value, "END or REQUEUE");
    }
    assertRefused("onExpiry", null, "END or REQUEUE");
  }

  @Test
  void with_once_isTaken() {
    assertThat(Settings.DEFAULT.with(Map.of("once", true)).stay().once()).isTrue();
    assertThat(Settings.DEFAULT.with(Map.of("once", true)).with(Map.of("once", false)))
        .isEqualTo(Settings.DEFAULT);
  }

  @Test
  void with_onceThatIsNeitherYesNorNo_isRefused() {
    for (Object value : List.of("true", "", 1, 0L, 1.0, List.of(true))) {
      assertRefused("once", value, "true or false");
    }
    assertRefused("once", null, "true or false");
  }

  @Test
  void with_completedBy_isVisitorOrSite() {
    assertThat(Settings.DEFAULT.with(Map.of("completedBy", "SITE")).stay().completedBy())
        .isEqualTo(CompletedBy.SITE);
    for (Object value : List.of("site", "", "NOBODY", 1, true)) {
      assertRefused("completedBy", value, "VISITOR or SITE");
    }
  }

  @Test
  void with_instant_isTakenWithAnyOffsetAndKeptInUtc() {
    Settings seoul = Settings.DEFAULT.with(Map.of("notBefore", "2026-12-24T20:00:00+09:00"));

    assertThat(seoul.times().notBefore()).contains(Instant.parse("2026-12-24T11:00:00Z"));
    assertThat(seoul.asMap()).containsEntry("notBefore", "2026-12-24T11:00:00Z");
    assertThat(Settings.ofText(seoul.text())).isEqualTo(seoul);
    assertThat(seoul.with(Collections.singletonMap("notBefore", null))).isEqualTo(Settings.DEFAULT);
  }

  @Test
  void with_noInstant_isRefused() {
    for (Object value :
        List.of("", "tomorrow", "2026-12-24", "2026-12-24T20:00:00", 1_766_000_000, true)) {
      assertRefused("notBefore", value, "an instant as 2026-12-24T20:00:00Z");
    }
    assertRefused("notBefore", "1999-12-31T23:59:59Z", "an instant");
    assertRefused("notBefore", "2100-01-01T00:00:00Z", "an instant");
  }

  @Test
  void with_timesOutOfOrder_nameTheLaterOne() {
    String eight = "2026-12-24T20:00:00Z";
    Settings opens = Settings.DEFAULT.with(Map.of("opensAt", eight, "notBefore", eight));

    for (String name : List.of("closesAt", "endsAt")) {
      for (String time : List.of(eight, "2026-12-24T19:59:59.999999Z")) {
        assertThatThrownBy(() -> opens.with(Map.of(name, time)))
            .isInstanceOfSatisfying(
                InvalidValue.class,
                refused -> {
                  assertThat(refused.field()).isEqualTo(name);
                  assertThat(refused.allowed()).isEqualTo("after opensAt");
                });
      }
    }
    Settings closes = opens.with(Map.of("closesAt", "2026-12-24T20:00:00.000001Z"));
    assertThatThrownBy(() -> closes.with(Map.of("endsAt", "2026-12-24T20:00:00.000000Z")))
        .isInstanceOf(InvalidValue.class);
    assertThat(closes.with(Map.of("endsAt", "2026-12-24T20:00:00.000001Z")).times().end())
        .isEqualTo(closes.times().entryUntil());
    // Whoever moves the opening behind the rest is told what is in the way.
    assertThatThrownBy(() -> closes.with(Map.of("opensAt", "2027-01-01T00:00:00Z")))
        .hasMessageContaining("closesAt is not after opensAt");
  }

  @Test
  void with_stock_isTakenWithDefaultsAndGivenBack() {
    Settings stock = Settings.DEFAULT.with(Map.of("stock", Map.of("lowAt", 50L)));

    assertThat(stock.supply().stock()).contains(new Supply.Bound(1, 50, 10, Supply.WhenStale.HOLD));
    assertThat(stock.asMap())
        .containsEntry(
            "stock", Map.of("perVisitor", 1, "lowAt", 50, "staleSeconds", 10, "whenStale", "HOLD"));
    assertThat(Settings.ofText(stock.text())).isEqualTo(stock);
    assertThat(stock.needsLedger()).contains("stock");
    assertThat(stock.with(Collections.singletonMap("stock", null))).isEqualTo(Settings.DEFAULT);
  }

  @Test
  void with_stockThatIsNone_isRefusedByTheNameOfWhatIsWrong() {
    for (Object value : List.of("", "on", 1, true, List.of())) {
      assertRefused("stock", value, "perVisitor");
    }
    Map<String, Object> wrong =
        Map.of(
            "perVisitor", 0,
            "lowAt", -1,
            "staleSeconds", 86_401,
            "whenStale", "GUESS");
    wrong.forEach(
        (name, value) ->
            assertThatThrownBy(() -> Settings.DEFAULT.with(Map.of("stock", Map.of(name, value))))
                .isInstanceOfSatisfying(
                    InvalidValue.class,
                    refused -> assertThat(refused.field()).isEqualTo("stock." + name)));
    assertThatThrownBy(() -> Settings.DEFAULT.with(Map.of("stock", Map.of("price", 1))))
        .hasMessageContaining("stock.price is not known");
  }

  @Test
  void with_textsByLanguage_areTakenAndGivenBack() {
    var texts = Map.of("ko", "곧 시작합니다", "en", "Soon", "pt-BR", "Já");
    Settings settings = Settings.DEFAULT.with(Map.of("message", texts, "title", "Sale"));

    assertThat(settings.look().message()).isEqualTo(new Words(texts));
    assertThat(settings.asMap()).containsEntry("message", texts).containsEntry("title", "Sale");
    assertThat(Settings.ofText(settings.text())).isEqualTo(settings);
    assertThat(settings.look().message().in("ko-KR")).isEqualTo("곧 시작합니다");
    assertThat(settings.look().message().in("ja")).isEqualTo("Soon");
    assertThat(settings.look().title().in("ja")).isEqualTo("Sale");
    assertThat(new Words(Map.of("", "all", "ko", "", "ja", "皆")).in("ko")).isEqualTo("all");
    assertThat(Words.NONE.in("ko")).isEmpty();
    assertThat(Settings.DEFAULT.with(Map.of("message", Map.of("", "all"))).asMap())
        .containsEntry("message", "all");
  }

  @Test
  void with_textsThatAreNone_areRefused() {
    assertRefused("message", Map.of("ko", "a".repeat(501)), "500 characters");
    assertRefused("message", Map.of("ko", "a\nb"), "500 characters");
    assertRefused("message", Map.of("ko", 5), "by language");
    assertRefused("title", Map.of("<b>", "x"), "by language");
    assertRefused("endText", List.of("x"), "by language");
    Map<String, String> many = new HashMap<>();
    for (char c = 'a'; c < 'a' + 17; c++) {
      many.put("a" + c, "x");
    }
    assertRefused("endText", many, "at most 16");
    assertRefused("endUrl", "javascript:alert(1)", "https://");
  }

  @Test
  void with_doors_haveTheirDefaultsAndAreKept() {
    Settings all = Settings.DEFAULT.with(Map.of("doors", Map.of()));

    assertThat(all.door().doors())
        .contains(
            new Doors(false, 0, Doors.When.OVER_LIMIT, Doors.When.NEVER, Doors.Down.OPEN, 120, 60));
    assertThat(all.needsLedger()).contains("doors");
    assertThat(Settings.ofText(all.text())).isEqualTo(all);
    Map<String, Object> none = new HashMap<>();
    none.put("doors", null);
    assertThat(all.with(none)).isEqualTo(Settings.DEFAULT);
  }

  @ParameterizedTest
  @MethodSource("wrongDoors")
  void with_doorsThatCannotBe_areRefusedWithFieldAndRange(
      String field, Object value, String allowed) {
    assertThatExceptionOfType(InvalidValue.class)
        .isThrownBy(() -> Settings.DEFAULT.with(Map.of("doors", value)))
        .satisfies(
            e -> {
              assertThat(e.field()).isEqualTo(field);
              assertThat(e.allowed()).contains(allowed);
            });
  }

  static Stream<Arguments> wrongDoors() {
    return Stream.of(
        arguments("doors", List.of(), "null, or an object"),
        arguments("doors.wall", Map.of("wall", true), "signedOnly"),
        arguments("doors.signedOnly", Map.of("signedOnly", "yes"), "true or false"),
        arguments("doors.work", Map.of("work", "SOMETIMES"), "NEVER or OVER_LIMIT or ALWAYS"),
        arguments("doors.verifierDown", Map.of("verifierDown", true), "OPEN or CLOSED"),
        arguments("doors.proofSeconds", Map.of("proofSeconds", 9), "10..3600"),
        arguments("doors.slowSeconds", Map.of("slowSeconds", 1.5), "0..3600"),
        arguments(
            "doors.perAddressPerMinute",
            Map.of("perAddressPerMinute", 1, "work", "NEVER"),
            "0 where work and verifier are NEVER"));
  }

  @Test
  void withStored_whatAStoreKept_isTheSame() {
    var settings =
        new Settings(
            new Pace(1, 2, 3, Pacing.Kind.TOKEN_BUCKET, Optional.of(4), Optional.empty()),
            new Times(
                Optional.of(Instant.parse("2027-01-02T03:04:05.678899Z")),
                Optional.of(Instant.parse("2027-01-02T03:04:05.678900Z")),
                Optional.of(Instant.parse("2027-01-02T03:04:05.678901Z")),
                Optional.of(Instant.parse("2027-01-02T03:04:05.678902Z")),
                Optional.of(Instant.parse("2027-01-02T03:04:05.678903Z"))),
            new Fairness(Fairness.Draw.COIN, 0, 250, true),
            Lanes.NONE,
            Supply.DEFAULT,
            new Stay(10, OnExpiry.REQUEUE, true, CompletedBy.SITE),
            new Fallback(7, 8, 90),
            new Door(5, 6, 9, Optional.empty()),
            Reporting.DEFAULT,
            new Look(
                Words.of("나루 = \"x\""),
                "https://shop.example/?a=b",
                "#00fFa9",
                "https://shop.example/logo.svg",
                Words.of("잠시만요 <b>"),
                "shop",
                Words.of("끝"),
                "https://shop.example/end"),
            Map.of());
    Map<String, String> stored = new HashMap<>(Map.of("active", "1", "change", "17"));
    settings
        .asMap()
        .forEach(
            (name, value) -> {
              if (value != null) {
                stored.put(name, value.toString());
              }
            });

    assertThat(Settings.DEFAULT.withStored(stored)).isEqualTo(settings);
  }

  @Test
  void withStored_whatAStoreLacks_hasItsDefault() {
    assertThat(Settings.DEFAULT.withStored(Map.of("maxCapacity", "7")))
        .isEqualTo(Settings.DEFAULT.with(Map.of("maxCapacity", 7)));
    assertThat(Settings.DEFAULT.withStored(Map.of())).isEqualTo(Settings.DEFAULT);
  }

  private static void assertRefused(String field, @Nullable Object value, String allowed) {
    Map<String, @Nullable Object> changes = new HashMap<>();
    changes.put(field, value);
    assertThatExceptionOfType(InvalidValue.class)
        .as("%s = %s", field, value)
        .isThrownBy(() -> Settings.DEFAULT.with(changes))
        .satisfies(e -> assertThat(e.field()).isEqualTo(field))
        .satisfies(e -> assertThat(e.allowed()).contains(allowed))
        .withMessageContaining(field)
        .withMessageContaining(allowed);
  }
}
