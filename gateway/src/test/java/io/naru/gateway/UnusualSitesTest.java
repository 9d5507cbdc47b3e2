package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.PlainSite;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sites that do what HTTP allows and few do, and some that do what it does not. */
class UnusualSitesTest {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  @TempDir private Path folder;

  private Stand before(URI site) throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(
        file,
        "origin: %s\nrules:\n  - protect: /checkout/**\n    queue: TIMEDEAL/123\n".formatted(site));
    return new Stand(new RulesFile(file, null), Gateway.Watching.NONE);
  }

  /** What a visitor gets for this answer of the site, and for the next request. */
  private Talk.Reply got(String answer, String method) throws IOException {
    var asked = new AtomicInteger();
    try (var site =
            new ScriptedSite(
                (head, with) -> {
                  with.say(asked.getAndIncrement() == 0 ? answer : OK);
                  return true;
                });
        var stand = before(site.uri());
        var talk = new Talk(stand.port())) {
      Talk.Reply reply = talk.ask(method, "/a", "");
      assertThat(talk.ask("GET", "/b", "").body()).as("the next one").isEqualTo("ok");
      return reply;
    }
  }

  @Test
  void answers_withoutABody_whateverTheySayOfItsLength_areFollowedByTheNext() throws IOException {
    assertThat(got("HTTP/1.1 204 No Content\r\n\r\n", "GET").status()).isEqualTo(204);
    assertThat(got("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", "POST").status())
        .isEqualTo(204);
    assertThat(got("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", "GET").status())
        .isEqualTo(304);
    assertThat(
            got("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", "HEAD").header("content-length"))
        .isEqualTo("99");
    assertThat(got("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HEAD").status())
        .isEqualTo(200);
    assertThat(got("HTTP/1.1 200 OK\r\n\r\n", "HEAD").status()).isEqualTo(200);
    assertThat(got("HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", "GET").body()).isEqualTo("x");
  }

  /** The rest of what is no answer must not be taken for that of somebody else. */
  @Test
  void answer_thatSaysItHasABodyAndMayNot_isTheLastOfItsConnection() throws Exception {
    var first = new AtomicReference<ScriptedSite.Talking>();
    try (var site =
            new ScriptedSite(
                (head, with) -> {
                  if (first.compareAndSet(null, with)) {
                    with.say("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n");
                  } else {
                    with.say((first.get() == with ? "0\r\n\r\n" : "") + OK);
                  }
                  return true;
                });
        var stand = before(site.uri());
        var talk = new Talk(stand.port())) {
      assertThat(talk.ask("GET", "/a", "").status()).isEqualTo(204);
      assertThat(talk.ask("GET", "/b", "").body()).isEqualTo("ok");
    }
  }

  /** Such a site takes what it did not read for the beginning of the next request. */
  @Test
  void body_thatASiteMayLeaveUnread_isNotWhatTheNextVisitorSays() throws IOException {
    try (var site = ScriptedSite.saying(OK);
        var stand = before(site.uri())) {
      for (String method : List.of("GET", "HEAD", "DELETE", "OPTIONS", "get")) {
        String smuggled = "GET /admin HTTP/1.1\r\nX: ";
        Talk.ask(stand.port(), method, "/a", smuggled);
        assertThat(stand.get("/b").body()).isEqualTo("ok");
        assertThat(site.heads()).noneMatch(head -> head.startsWith("GET /admin"));
      }
    }
  }

  @Test
  void hints_beforeTheAnswer_stayBehind_andTheAnswerComes() throws IOException {
    String hint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n";
    String processing = "HTTP/1.1 102 Processing\r\n\r\n";
    String unasked = "HTTP/1.1 100 Continue\r\n\r\n";
    for (String early : List.of(hint, hint + hint + processing, unasked, unasked + hint)) {
      assertThat(got(early + OK, "GET").body()).isEqualTo("ok");
    }
  }

  @Test
  void hints_withoutEnd_areGivenUp() throws IOException {
    String hint = "HTTP/1.1 103 Early Hints\r\n\r\n";
    try (var site = ScriptedSite.saying(hint.repeat(1_000) + OK);
        var stand = before(site.uri())) {
      assertThat(stand.get("/a").status()).isEqualTo(502);
    }
  }

  @Test
  void expectation_isMetOnce_byWhoeverItIsFor() throws IOException {
    String body = "abcd".repeat(20_000);
    try (var site =
            new ScriptedSite(
                (head, with) -> {
                  if (head.contains("Expect: 100-continue")) {
                    with.say("HTTP/1.1 100 Continue\r\n\r\n");
                  }
                  // Some say it to whoever sends a body.
                  with.say("HTTP/1.1 100 Continue\r\n\r\n");
                  String got = with.read(ScriptedSite.length(head));
                  with.say("HTTP/1.1 200 OK\r\nContent-Length: " + got.length() + "\r\n\r\n" + got);
                  return true;
                });
        var stand = before(site.uri())) {
      for (String sent : List.of("abcd", body)) {
        try (var talk = new Talk(stand.port())) {
          talk.say(
              "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n"
                  .formatted(sent.length()));
          assertThat(talk.reply().status()).isEqualTo(100);
          talk.say(sent);
          assertThat(talk.reply().body()).isEqualTo(sent);
        }
      }
      assertThat(Talk.ask(stand.port(), "POST", "/a", "unasked").body()).isEqualTo("unasked");
    }
  }

  @Test
  void refusal_withinTheBody_isHeard_fromSitesThatReadNoFurther() throws IOException {
    for (String status : List.of("413 Content Too Large", "417 Expectation Failed")) {
      try (var site =
              new ScriptedSite(
                  (head, with) -> {
                    with.read(1_000);
                    with.say(
                        "HTTP/1.1 "
                            + status
                            + "\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno!");
                    return false;
                  });
          var stand = before(site.uri());
          var talk = new Talk(stand.port())) {
        talk.say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
        talk.say("x".repeat(1_000));
        Talk.Reply reply = talk.reply();
        assertThat(reply.status()).isEqualTo(Integer.parseInt(status.substring(0, 3)));
        assertThat(reply.body()).isEqualTo("no!");
        assertThat(reply.header("connection")).isEqualTo("close");
      }
    }
  }

  @Test
  void heads_asLargeAsTheyMayBe_passBothWays() throws IOException {
    String large = "c=" + "x".repeat(15_000);
    try (var site = PlainSite.open();
        var stand = before(site.uri())) {
      assertThat(stand.get("/headers", "Cookie: " + large).body()).contains(large);
      assertThat(stand.get("/headers", "Cookie: " + large + "y".repeat(3_000)).status())
          .isEqualTo(431);
    }
    assertThat(
            got("HTTP/1.1 200 OK\r\nSet-Cookie: " + large + "\r\nContent-Length: 0\r\n\r\n", "GET")
                .header("set-cookie"))
        .isEqualTo(large);
    assertThat(got("HTTP/1.1 431 Too Large\r\nContent-Length: 0\r\n\r\n", "GET").status())
        .isEqualTo(431);
  }

  @Test
  void whatIsAboutContent_passesAsItIs() throws IOException {
    Talk.Reply part =
        got(
            """
            HTTP/1.1 206 Partial Content
            Content-Range: bytes 0-3/99
            Content-Encoding: gzip
            Accept-Ranges: bytes
            ETag: W/"1"
            Vary: Accept-Encoding
            Strict-Transport-Security: max-age=9
            Set-Cookie: a=b; Domain=shop.example
            Set-Cookie: c=d; Secure
            Content-Length: 4

            """
                .replace("\n", "\r\n")
                .concat("\u001f\u008b\u0008\u0000"),
            "GET");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.body()).isEqualTo("\u001f\u008b\u0008\u0000");
    assertThat(part.headers())
        .containsExactly(
            "content-range: bytes 0-3/99",
            "content-encoding: gzip",
            "accept-ranges: bytes",
            "etag: W/\"1\"",
            "vary: Accept-Encoding",
            "strict-transport-security: max-age=9",
            "set-cookie: a=b; Domain=shop.example",
            "set-cookie: c=d; Secure",
            "content-length: 4");
    try (var site = PlainSite.open();
        var stand = before(site.uri())) {
      assertThat(
              stand.seen("/headers", "Range: bytes=0-3", "If-Range: \"1\"", "Accept-Encoding: br"))
          .contains("Range: bytes=0-3\r\n", "If-Range: \"1\"\r\n", "Accept-Encoding: br\r\n");
    }
  }

  @Test
  void trailers_stayBehind_theBodyIsWhole() throws IOException {
    Talk.Reply reply =
        got(
            """
            HTTP/1.1 200 OK
            Trailer: Checksum
            Transfer-Encoding: chunked

            2;a=b
            ab
            1
            c
            0
            Checksum: 1
            Set-Cookie: evil=1

            """
                .replace("\n", "\r\n"),
            "GET");
    assertThat(reply.body()).isEqualTo("abc");
    assertThat(reply.header("trailer")).isEmpty();
  }

  @Test
  void sites_thatCloseAfterEachAnswer_serveAll() throws Exception {
    for (String close : List.of("Connection: close\r\n", "connection: Close, x\r\n")) {
      var answer = "HTTP/1.1 200 OK\r\n" + close + "Content-Length: 2\r\n\r\nok";
      try (var site =
              new ScriptedSite(
                  (head, with) -> {
                    with.read(ScriptedSite.length(head));
                    with.say(answer);
                    return false;
                  });
          var stand = before(site.uri());
          var talk = new Talk(stand.port())) {
        for (int i = 0; i < 20; i++) {
          assertThat(talk.ask(i % 2 == 0 ? "GET" : "POST", "/a", i % 2 == 0 ? "" : "x").body())
              .isEqualTo("ok");
        }
      }
    }
    try (var site =
            new ScriptedSite(
                (head, with) -> {
                  with.say("HTTP/1.0 200 OK\r\n\r\nuntil the end");
                  return false;
                });
        var stand = before(site.uri());
        var talk = new Talk(stand.port())) {
      for (int i = 0; i < 5; i++) {
        assertThat(talk.ask("GET", "/a", "").body()).isEqualTo("until the end");
      }
    }
  }

  @Test
  void upgrade_thatTheSiteDoesNotWant_isAnAnswerAsAnyOther() throws IOException {
    try (var site = ScriptedSite.saying("HTTP/1.1 400 No\r\nContent-Length: 2\r\n\r\nno");
        var stand = before(site.uri());
        var talk = new Talk(stand.port())) {
      for (int i = 0; i < 2; i++) {
        assertThat(talk.ask("GET", "/a", "", "Connection: Upgrade", "Upgrade: websocket").body())
            .isEqualTo("no");
      }
      assertThat(site.heads().getFirst()).contains("Upgrade: websocket");
    }
  }

  @Test
  void redirects_toTheSitesOwnAddress_stayOnOurs() throws IOException {
    var location = new String[1];
    try (var site =
            new ScriptedSite(
                (head, with) -> {
                  with.say(
                      "HTTP/1.1 302 Found\r\nLocation: "
                          + location[0]
                          + "\r\nContent-Length: 0\r\n\r\n");
                  return true;
                });
        var stand = before(site.uri())) {
      String own = site.uri().toString();
      for (List<String> each :
          List.of(
              List.of(own + "/done?a=b#c", "/done?a=b#c"),
              List.of(own.replace("http", "HTTP") + "/a", "/a"),
              List.of(own, "/"),
              List.of(own + "?a", "/?a"),
              List.of(own + "#a", "/#a"),
              // Of these the shorter one would lead elsewhere.
              List.of(own + "//evil.example/", own + "//evil.example/"),
              List.of(own + "/\\evil.example/", own + "/\\evil.example/"),
              List.of(own + "/\t/evil.example/", own + "/\t/evil.example/"),
              List.of(own + "0/a", own + "0/a"),
              List.of(own + ".evil.example/a", own + ".evil.example/a"),
              List.of(own + "@evil.example/a", own + "@evil.example/a"),
              List.of("/a//b/../c", "/a//b/../c"),
              List.of("https://shop.example/a", "https://shop.example/a"))) {
        location[0] = each.getFirst();
        assertThat(stand.get("/a").header("location")).isEqualTo(each.getLast());
      }
    }
  }
}
