package io.naru.server.wait;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.server.content.Template;
import io.naru.server.content.WebFile;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageTest {

  private static final Pattern GAP = Pattern.compile("\\{(\\w+)}");

  @Test
  void strings_haveTheSameKeysAndGapsInEveryLanguage() {
    Map<String, String> english = Language.ENGLISH.strings();
    assertThat(english).hasSizeGreaterThan(50);
    for (Language language : Language.ALL) {
      assertThat(language.strings().keySet())
          .as(language.tag())
          .containsExactlyElementsOf(english.keySet());
      language
          .strings()
          .forEach(
              (key, text) -> {
                assertThat(text).as("%s in %s", key, language.tag()).isNotBlank();
                assertThat(gaps(text))
                    .as("%s in %s", key, language.tag())
                    .isEqualTo(gaps(Language.ENGLISH.say(key)));
              });
    }
  }

  private static Set<String> gaps(String text) {
    return GAP.matcher(text).results().map((MatchResult m) -> m.group(1)).collect(toSet());
  }

  @Test
  void strings_areAllUsed() {
    String sources =
        WebFile.text("wait.js")
            + WebFile.text("lobby.js")
            + WebFile.text("words.js")
            + WebFile.text("wait.html")
            + WebFile.text("place.html")
            + WebFile.text("frame.html");
    // Said by their state or their number, or by the server alone.
    Pattern byState =
        Pattern.compile(
            "\\w+\\.(title|text|later|button|left)|(estimate|duration)\\..*|language\\.name"
                + "|state\\.(store|schedule|draw)|(lobby|drawing)\\.people\\.\\w+|fair\\.link"
                + "|footer\\.draw|stock\\.(sold-out|stale)|proof\\.\\w+");
    var unused = new TreeSet<String>();
    for (String key : Language.ENGLISH.strings().keySet()) {
      if (!byState.matcher(key).matches() && !sources.contains(key)) {
        unused.add(key);
      }
    }
    assertThat(unused).isEmpty();
  }

  @Test
  void fair_hasTheSameKeysAndGapsInEveryLanguage() {
    Map<String, String> english = Language.ENGLISH.fair();
    assertThat(english).hasSizeGreaterThan(30);
    for (Language language : Language.ALL) {
      assertThat(language.fair().keySet())
          .as(language.tag())
          .containsExactlyElementsOf(english.keySet());
      language
          .fair()
          .forEach(
              (key, text) -> {
                assertThat(text).as("%s in %s", key, language.tag()).isNotBlank();
                assertThat(gaps(text))
                    .as("%s in %s", key, language.tag())
                    .isEqualTo(gaps(String.valueOf(english.get(key))));
              });
    }
  }

  @Test
  void fair_isAllUsed() {
    String sources = WebFile.text("fair.js") + WebFile.text("fair.html");
    // Said by the server alone, as the settings are.
    Pattern bySettings = Pattern.compile("fair\\.(first|lobby|coin|seed|jitter|window|log|nolog)");
    assertThat(Language.ENGLISH.fair().keySet())
        .allMatch(key -> bySettings.matcher(key).matches() || sources.contains(key));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|1|less than a minute",
        "10|55|less than a minute",
        "5|56|about 1 minute",
        "60|72|about 1 minute",
        "60|73|about 1 to 2 minutes",
        "20|181|about 1 to 3 minutes",
        "480|720|about 8 to 12 minutes",
        "600|600|about 10 minutes",
        "1500|1513|about 30 minutes",
        "1200|2400|about 20 to 40 minutes",
        "3600|5400|about 1 to 2 hours",
        "7200|7200|about 2 hours",
        "86400|86400|about 24 hours",
        "80000|172800|about 23 to 48 hours",
        "86401|86401|more than a day"
      })
  void estimate_isNoMoreExactThanItIsKnown(long from, long to, String words) {
    assertThat(Language.ENGLISH.estimate(from, to)).isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource({
    "30, 30 seconds",
    "60, 1 minute",
    "90, 90 seconds",
    "300, 5 minutes",
    "3600, 1 hour",
    "5400, 90 minutes",
    "7200, 2 hours"
  })
  void duration_isExact(long seconds, String words) {
    assertThat(Language.ENGLISH.duration(seconds)).isEqualTo(words);
  }

  @Test
  void json_cannotEndItsElement() {
    assertThat(Language.ENGLISH.json()).startsWith("{\"").doesNotContain("<");
  }

  @Test
  void template_gapsAreFilledOnce_andEscaped() {
    var template = new Template("<p title=\"{{a}}\">{{{b}}}{{a}}</p>");

    assertThat(template.fill(Map.of("a", "<'\"&>{{b}}", "b", "<b>")))
        .isEqualTo(
            "<p title=\"&lt;&#39;&quot;&amp;&gt;{{b}}\"><b>&lt;&#39;&quot;&amp;&gt;{{b}}</p>");
    assertThatThrownBy(() -> template.fill(Map.of("a", ""))).hasMessageContaining("b");
  }
}
