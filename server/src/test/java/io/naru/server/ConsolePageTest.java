package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.audit.Act;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.testkit.OpenApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console as it is delivered: what its page may do, and that its files are whole. */
class ConsolePageTest {

  private static final Path FILES =
      Path.of("..", "web", "src", "main", "resources", "io", "naru", "web", "console");

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void page_mayLoadNothingForeign_andCannotBeFramed() {
    Answer page = server.client().get("/console");

    assertThat(page.status()).isEqualTo(200);
    assertThat(requireNonNull(page.header("content-security-policy")).split("; "))
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .contains("require-trusted-types-for 'script'", "trusted-types 'none'")
        .noneMatch(directive -> directive.contains("unsafe") || directive.contains("http"));
    assertThat(page.header("x-frame-options")).isEqualTo("DENY");
    assertThat(page.header("referrer-policy")).isEqualTo("no-referrer");
    assertThat(page.body()).doesNotContainPattern("<script>|<style|style=| on\\w+=");
  }

  @Test
  void files_areKeptForGoodUnderTheirHash_andAllOfThemAreThere() throws IOException {
    String page = server.client().get("/console").body();
    var script = Pattern.compile("src=\"(/console/assets/\\w+)/console\\.js\"").matcher(page);
    assertThat(script.find()).isTrue();

    for (String file : files(Pattern.compile(".*(?<!\\.html)"))) {
      Answer answer = server.client().get(script.group(1) + "/" + file);
      assertThat(answer.status()).as(file).isEqualTo(200);
      assertThat(answer.header("cache-control")).as(file).contains("immutable");
      assertThat(answer.header("x-content-type-options")).as(file).isEqualTo("nosniff");
    }
    Answer other = server.client().get("/console/assets/0123456789abcdef/console.js");
    assertThat(other.header("cache-control")).isEqualTo("no-store");
    server.client().get(script.group(1) + "/console.html").isProblem(404, "not-found");
  }

  private static List<String> files(Pattern names) throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> names.matcher(name).matches())
          .sorted()
          .toList();
    }
  }

  /** Whatever is shown is text; where markup could be made of it, the word would be here. */
  @Test
  void scripts_makeNoMarkupOfText() throws IOException {
    for (String file : files(Pattern.compile(".*\\.js"))) {
      assertThat(Files.readString(FILES.resolve(file)))
          .as(file)
          .doesNotContain(
              "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(");
    }
  }

  @Test
  void languages_sayTheSame() throws IOException {
    Set<String> english = keys("strings.en.js");
    assertThat(english).hasSizeGreaterThan(200).isEqualTo(keys("strings.ko.js"));

    Pattern said = Pattern.compile("\\bsay(?:Or)?\\(\\s*'([\\w.-]+)'");
    for (String file : files(Pattern.compile("(?!strings).*\\.js"))) {
      assertThat(english)
          .as(file)
          .containsAll(
              said.matcher(Files.readString(FILES.resolve(file)))
                  .results()
                  .map((MatchResult match) -> match.group(1))
                  .collect(Collectors.toSet()));
    }
  }

  /** What the server says in a code, the console says in words. */
  @Test
  void codesOfTheServer_haveWords() throws IOException {
    var wanted = new TreeSet<String>();
    codes("Explained", "code").forEach(code -> wanted.add("explain." + code));
    codes("PersonEntry", "history", "what").forEach(code -> wanted.add("history." + code));
    codes("Queue", "stateNow").forEach(code -> wanted.add("state." + code));
    codes("LiveFigures", "boundBy").forEach(code -> wanted.add("bound." + code));
    codes("LiveFigures", "server", "line").forEach(code -> wanted.add("health." + code));
    codes("LimitedBy").forEach(code -> wanted.add("limited." + code));
    codes("Rate", "history", "reason").forEach(code -> wanted.add("why." + code));
    Stream.of(Act.Kind.values()).forEach(kind -> wanted.add("act." + kind.word()));
    Stream.of(Entry.Status.values()).forEach(status -> wanted.add("status." + status));
    Stream.of(EndReason.values())
        .filter(reason -> reason != EndReason.NONE)
        .forEach(reason -> wanted.add("reason." + reason.text()));

    assertThat(keys("strings.en.js")).containsAll(wanted);
    assertThat(keys("strings.ko.js")).containsAll(wanted);
  }

  /** Those that the specification names, which answers are held to. */
  private static List<String> codes(String schema, String... members) {
    Map<?, ?> node = OpenApi.shipped().at("components", "schemas", schema);
    for (String member : members) {
      Object items = node.get("items");
      Map<?, ?> object = items == null ? node : OpenApi.map(items, member);
      node = OpenApi.map(OpenApi.map(object.get("properties"), member).get(member), member);
    }
    return OpenApi.list(node.get("enum")).stream().map(String::valueOf).toList();
  }

  /** All explanations that there are, also those that few tests see. */
  @Test
  void explanations_areAllSpecified() throws IOException {
    Path sources = Path.of("src/main/java/io/naru/server/people");
    Pattern said = Pattern.compile("(?:\\bsay|new Explained)\\(\\s*\"([a-z-]+)\"");
    var codes = new TreeSet<String>();
    for (String file : List.of("Explained.java", "RateChange.java")) {
      said.matcher(Files.readString(sources.resolve(file)))
          .results()
          .forEach((MatchResult match) -> codes.add(match.group(1)));
    }
    assertThat(codes).hasSizeGreaterThan(20).isEqualTo(new TreeSet<>(codes("Explained", "code")));
  }

  private static Set<String> keys(String file) throws IOException {
    return Pattern.compile("^ {2}'?([\\w.-]+)'?:", Pattern.MULTILINE)
        .matcher(Files.readString(FILES.resolve(file)))
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"en", "ko", "ja"})
  void preview_isForOurOwnPagesAlone(String language) {
    Answer page = server.client().get("/console/preview/" + language);

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("content-language")).isEqualTo(language);
    assertThat(page.header("content-security-policy"))
        .contains("frame-ancestors 'self'", "default-src 'none'")
        .doesNotContain("script-src");
    assertThat(page.body()).contains("id=\"title\"").doesNotContain("<script");
    server
        .client()
        .get("/console/preview/" + language, "Sec-Fetch-Site", "cross-site")
        .isProblem(403, "foreign-origin");
  }

  @Test
  void preview_ofALanguageThatThePageHasNot_isSaid() {
    server.client().get("/console/preview/xx").isProblem(400, "invalid-value");
  }
}
