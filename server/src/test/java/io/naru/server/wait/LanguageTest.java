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
            + WebFile.text("words.js")
            + WebFile.text("wait.html")
            + WebFile.text("place.html")
            + WebFile.text("frame.html");
    // Said by their state, or by the server alone.
    Pattern byState = Pattern.compile("\\w+\\.(title|text|later|button)|estimate\\..*");
    var unused = new TreeSet<String>();
    for (String key : Language.ENGLISH.strings().keySet()) {
      if (!byState.matcher(key).matches() && !sources.contains(key)) {
        unused.add(key);
      }
    }
    assertThat(unused).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1|less than a minute",
        "59|less than a minute",
        "60|about 1 minute",
        "61|about 2 minutes",
        "600|about 10 minutes",
        "1500|about 25 minutes",
        "1501|about 30 minutes",
        "5400|about 2 hours",
        "7200|about 2 hours",
        "86400|about 24 hours",
        "86401|more than a day"
      })
  void estimate_isNoMoreExactThanItIsKnown(long seconds, String words) {
    assertThat(Language.ENGLISH.estimate(seconds)).isEqualTo(words);
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
