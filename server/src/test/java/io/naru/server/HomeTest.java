package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /}: a Naru says what it is, and nothing of what is in it. */
class HomeTest {

  private static final String HTML = "text/html,application/xhtml+xml,*/*;q=0.8";

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
    server.activate("SECRET/7", "\"title\":\"Nobody knows\"").is(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Answer page(String path, String... headers) {
    return server.client().get(path, headers);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/ | en-GB,en | en | waiting room",
        "/ | ko-KR,ko;q=0.9 | ko | 대기실",
        "/ | ja | en | waiting room",
        "/ | * | en | waiting room",
        "/?lang=ko | en | ko | 대기실",
        "/?lang=xx | ko | ko | 대기실",
        "/?lang=en&lang=ko | ko | ko | 대기실",
      })
  void page_isInTheLanguageAskedFor(String path, String accepted, String language, String text) {
    Answer answer = page(path, "Accept", HTML, "Accept-Language", accepted);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).isEqualTo("text/html; charset=utf-8");
    assertThat(answer.header("content-language")).isEqualTo(language);
    assertThat(answer.header("vary")).contains("Accept", "Accept-Language");
    assertThat(answer.body()).contains("<html lang=\"" + language + "\">", text, Version.get());
  }

  @Test
  void page_saysWhereWeAre_andNamesNoQueue() {
    String body = page("/", "Accept", HTML).body();

    assertThat(body)
        .contains(
            "http://127.0.0.1:" + server.port() + "/admin/queue/activate", "href=\"/console\"");
    assertThat(body).doesNotContain("SECRET", "Nobody knows");
  }

  @Test
  void page_runsNothing_andCannotBeFramed_andItsFilesAreThere() {
    Answer page = page("/", "Accept", HTML);

    assertThat(requireNonNull(page.header("content-security-policy")).split("; "))
        .contains("default-src 'none'", "form-action 'none'", "frame-ancestors 'none'")
        .noneMatch(directive -> directive.contains("unsafe") || directive.contains("script"));
    assertThat(page.header("x-frame-options")).isEqualTo("DENY");
    assertThat(page.body()).doesNotContainPattern("<script|<style|style=| on\\w+=");
    assertThat(page.header("set-cookie")).isNull();
    var files =
        Pattern.compile("href=\"(/(?:wait/assets|console|naru)[^\"]*)\"").matcher(page.body());
    assertThat(files.results().map((MatchResult file) -> file.group(1)))
        .hasSize(5)
        .allSatisfy(file -> assertThat(page(file).status()).as(file).isEqualTo(200));
  }

  @Test
  void programs_getNameAndVersion() {
    for (String accept : new String[] {"application/json", "*/*"}) {
      Answer answer = page("/", "Accept", accept);

      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("content-type")).isEqualTo("application/json");
      assertThat(answer.body())
          .isEqualTo("{\"name\":\"naru\",\"version\":\"" + Version.get() + "\"}");
    }
  }
}
