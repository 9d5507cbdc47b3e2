package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.gate.FakeNaru;
import io.naru.net.Networks;
import io.naru.testkit.PlainSite;
import io.naru.testkit.Poll;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules in a file: what they may be, and how they change. */
class RulesTest {

  @TempDir private Path folder;

  private RulesFile file(String text) throws IOException {
    return new RulesFile(Files.writeString(folder.resolve("rules.yaml"), text), null);
  }

  @Test
  void file_withEverything_isRead() throws Exception {
    RuleSet read =
        file("""
                origin: http://127.0.0.1:8081
                rules:
                  - protect: [/checkout/**, /seats/*]
                    queue: TIMEDEAL/123
                    audience: shop
                    complete: /checkout/done
                    complete-header: Shop-Done
                  - protect: /tickets/**
                    queue: CONCERT/7
                    origin: https://tickets.internal:8443
                """)
            .read();
    assertThat(read)
        .isEqualTo(
            new RuleSet(
                URI.create("http://127.0.0.1:8081"),
                List.of(
                    new Rule(
                        List.of("/checkout/**", "/seats/*"),
                        "TIMEDEAL/123",
                        "shop",
                        List.of("/checkout/done"),
                        "Shop-Done",
                        null),
                    new Rule(
                        List.of("/tickets/**"),
                        "CONCERT/7",
                        null,
                        List.of(),
                        "Naru-Complete",
                        URI.create("https://tickets.internal:8443")))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                                        | is empty
          'just text'                                               | line 1: there must be 'name
          'origin: http://a'                                        | line 1: rules must be a list
          'rules: [{protect: /a, queue: A/1}]'                      | line 1: there must be an origin
          'origin: http://a/path~rules: [{protect: /a, queue: A/1}]'| line 1: origin must be
          'origin: ftp://a~rules: [{protect: /a, queue: A/1}]'      | line 1: origin must be
          'origin: http://a~rules:~  - protect: /a'                 | line 3: a rule must have queue
          'origin: http://a~rules:~  - queue: A/1'                  | line 3: a rule must have protect
          'origin: http://a~rules:~  - queue: A/1~    protect: a'   | line 4: protect must be
          'origin: http://a~rules:~  - queue: a~    protect: /a'    | line 3: queue must be TYPE/id
          'origin: http://a~rules:~  - queue: A/1~    protcet: /a'  | line 4: there is no 'protcet'
          'origin: http://a~origin: http://b'                       | line 2: 'origin' is there twice
          'origin: http://a~rules:~  - queue: A/1~    protect: {a: b}' | line 4: there must be one value
          'origin: http://a~rules:~  - queue: A/1~    protect: [/a, [/b]]' | line 4: there must be one value
          'origin: http://a~rules:~  - queue: A/1~    protect: /a~    complete-header: a b' | line 5: complete-header must be
          'origin: http://a~rules:~  - queue: A/1~    protect: /a~    complete: done' | line 5: complete must be
          'origin: http://a~rules:~  - queue: A/1~   protect: /a'   | line 4:
          'origin: [http://a'                                       | line 1:
          'origin: "http://a'                                       | line 1:
          """)
  void file_withAMistake_saysWhereAndWhat(String text, String complaint) throws IOException {
    RulesFile file = file(text.replace("~", "\n"));
    assertThatThrownBy(file::read)
        .isInstanceOf(BadRules.class)
        .hasMessageContaining("rules.yaml")
        .hasMessageContaining(complaint);
  }

  @Test
  void path_ofTwoQueuesAtOnce_isNobodys() throws IOException {
    try (var site = PlainSite.open();
        var stand =
            new Stand(
                Stand.LONG,
                Gateway.Limits.DEFAULT,
                file(
                    """
                    origin: %s
                    rules:
                      - protect: /checkout/**
                        queue: TIMEDEAL/123
                      - protect: [/tickets/**, /checkout/late/**]
                        queue: CONCERT/7
                    """
                        .formatted(site.uri())),
                Networks.parse("", "10.0.0.0/8"),
                false)) {
      String pass = stand.pass("p1");
      assertThat(stand.get("/checkout/headers", pass).status()).isEqualTo(200);
      // The first rule counts.
      assertThat(stand.get("/checkout/late/x", pass).status()).isEqualTo(404);
      assertThat(stand.get("/tickets/1", pass).status()).isEqualTo(429);
      for (String path :
          List.of(
              "/checkout/..%2ftickets/1", "/checkout/../tickets/1", "/checkout/..;/tickets/1")) {
        assertThat(stand.get(path, pass).status()).as(path).isEqualTo(400);
      }
    }
  }

  @Test
  void file_changed_countsWithoutRestart_andAMistakeInItDoesNot() throws IOException {
    try (var one = PlainSite.open();
        var other = PlainSite.open();
        var stand =
            new Stand(
                Stand.LONG,
                Gateway.Limits.DEFAULT,
                file(rules(one, "/checkout/**")),
                Networks.parse("", "10.0.0.0/8"),
                false);
        var talk = new Talk(stand.port())) {
      assertThat(talk.ask("GET", "/checkout/headers", "").status()).isEqualTo(429);
      assertThat(talk.ask("GET", "/other/headers", "").status()).isEqualTo(404);
      assertThat(other.heads()).isEmpty();

      file(rules(other, "/other/**"));
      await(stand, "/other/x", 429);
      // The same connection goes on, and what was protected is open now, elsewhere.
      assertThat(talk.ask("GET", "/checkout/headers", "").status()).isEqualTo(200);
      assertThat(other.heads()).isNotEmpty();

      stand.gateway.look(file(rules(one, "not a pattern")));
      assertThat(talk.ask("GET", "/other/x", "").status()).isEqualTo(429);
      Files.delete(folder.resolve("rules.yaml"));
      stand.gateway.look(new RulesFile(folder.resolve("rules.yaml"), null));
      assertThat(talk.ask("GET", "/other/x", "").status()).isEqualTo(429);
      stand.gateway.look(file(rules(other, "/third/**")));
      assertThat(talk.ask("GET", "/third/x", "").status()).isEqualTo(429);
      assertThat(talk.ask("GET", "/other/x", "").status()).isEqualTo(404);
    }
  }

  private static String rules(PlainSite site, String protect) {
    return """
    origin: %s
    rules:
      - protect: %s
        queue: %s
    """
        .formatted(site.uri(), protect, FakeNaru.QUEUE);
  }

  private static void await(Stand stand, String path, int status) {
    Poll.until(
        Duration.ofSeconds(20),
        () -> path + " is not yet " + status,
        () -> {
          try {
            return stand.get(path).status() == status;
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }
}
