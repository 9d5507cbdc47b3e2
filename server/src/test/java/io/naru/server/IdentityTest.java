package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.identity.TrustedProxies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks on who one is: a {@code User-Id} that is not believed, or not an id. */
class IdentityTest {

  private static final String QUEUE = "TIMEDEAL/1";
  private static final String ENTER = "/queue/" + QUEUE + "/enter";
  private static final List<String> CALLS =
      List.of(
          "POST " + ENTER, "GET /queue/" + QUEUE + "/status", "POST /queue/" + QUEUE + "/leave");

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

  @BeforeEach
  void openQueue() {
    open(server);
  }

  @AfterEach
  void nothingMoved() {
    assertNothingMoved(server);
  }

  private static void open(TestServer server) {
    server.activate(QUEUE, "");
  }

  private static void assertNothingMoved(TestServer server) {
    assertThat(server.figures(QUEUE))
        .containsEntry("change", 1)
        .containsEntry("joined", 0)
        .containsEntry("waiting", 0);
  }

  @Test
  void userId_twice_isRefusedAndNamed() throws IOException {
    for (String call : CALLS) {
      say(call, "User-Id: ann\nUser-Id: ben").isInvalid("User-Id");
      say(call, "User-Id: ann\nuser-id: ann").isInvalid("User-Id");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "a\tb", "\u0080", "é", "a\u00a0b", "\u00ad", "ann\u0085"})
  void userId_notAnId_isRefusedAndNamed(String id) throws IOException {
    for (String call : CALLS) {
      say(call, "User-Id: " + id).isInvalid("User-Id");
    }
  }

  /**
   * Those names are given by our cookie alone, and what is so named may do what a named one may
   * not.
   */
  @ParameterizedTest
  @ValueSource(strings = {"visitor-", "visitor-x", "visitor-8Zc1q0mYv3hTtQxw2rKJ5A"})
  void userId_asWeNameVisitors_isRefusedAndNamed(String id) throws IOException {
    for (String call : CALLS) {
      say(call, "User-Id: " + id).isInvalid("User-Id");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ann\u0000",
        "\u0001",
        "a\u001bb",
        "a\u000bb",
        "a\u000cb",
        "a\rb",
        "a\u007fb",
        "\u001f"
      })
  void userId_controlCharacters_areRefused(String id) throws IOException {
    for (String call : CALLS) {
      // The decoder's refusal, before anybody looks at which header it is.
      say(call, "User-Id: " + id).isProblem(400, "bad-request");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {129, 4_000, 10_240, 12_000})
  void userId_tooLong_isRefusedAndNamed(int length) throws IOException {
    for (String call : CALLS) {
      say(call, "User-Id: " + "x".repeat(length)).isInvalid("User-Id");
    }
  }

  @Test
  void userLane_twiceOrNoName_isRefusedAndNamed() throws IOException {
    String call = "POST " + ENTER;
    say(call, "User-Id: ann\nUser-Lane: vip\nuser-lane: vip").isInvalid("User-Lane");
    say(call, "User-Id: ann\nUser-Lane: VIP").isInvalid("User-Lane");
    say(call, "User-Id: ann\nUser-Lane: fallback").isInvalid("User-Lane");
    say(call, "User-Id: ann\nUser-Lane:").isInvalid("User-Lane");
  }

  @Test
  void userId_withoutAHeaderForIt_isOneOfManyHeaders(@TempDir Path own) {
    try (var cookiesOnly = TestServer.start(own, Naru.Visitors.DEFAULT)) {
      cookiesOnly.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
      Answer victim = cookiesOnly.client().post(ENTER).is(201);
      String cookie = String.valueOf(victim.header("set-cookie"));
      String visitor = cookie.substring("naru=".length(), cookie.indexOf('.'));

      // Also as a proxy would send it on, or twice, or as nobody is called.
      for (String[] headers :
          new String[][] {
            {"User-Id", visitor},
            {"User-Id", visitor, "X-Forwarded-For", "127.0.0.1"},
            {"User-Id", "a b"}
          }) {
        cookiesOnly.client().get("/queue/" + QUEUE + "/status", headers).isProblem(404, "S803");
        cookiesOnly.client().post("/queue/" + QUEUE + "/leave", headers).isProblem(404, "S803");
      }
      assertThat(cookiesOnly.figures(QUEUE)).containsEntry("joined", 1).containsEntry("left", 0);
    }
  }

  @Test
  void userId_fromAPeerThatIsNotListed_isNotBelieved(@TempDir Path own) {
    try (var elsewhere = TestServer.trusting(own, TrustedProxies.parse("10.0.0.0/8,fd00::/8"))) {
      open(elsewhere);

      elsewhere.enter(QUEUE, "victim").isProblem(401, "identity-not-trusted");
      elsewhere.status(QUEUE, "victim").isProblem(401, "identity-not-trusted");
      elsewhere.leave(QUEUE, "victim").isProblem(401, "identity-not-trusted");
      elsewhere
          .client()
          .post(ENTER, "User-Id", "victim", "X-Forwarded-For", "10.0.0.1")
          .isProblem(401, "identity-not-trusted");

      elsewhere.client().post(ENTER, "User-Lane", "vip").isProblem(401, "identity-not-trusted");

      assertNothingMoved(elsewhere);
      // Others still get their place by cookie.
      elsewhere.client().post(ENTER).is(201);
      // And whoever says that page and site have one address is not asked which.
      elsewhere.client().post(ENTER, "Naru-Site", "ftp").is(201);
      assertThat(elsewhere.client().post(ENTER, "Naru-Site", "https").header("set-cookie"))
          .doesNotContain("Secure");
    }
  }

  @Test
  void userId_fromAListedProxy_isBelievedWhateverItForwards(@TempDir Path own) {
    try (var behindProxy = TestServer.trusting(own, TrustedProxies.parse("127.0.0.0/8"))) {
      open(behindProxy);

      behindProxy.client().post(ENTER, "User-Id", "ann", "X-Forwarded-For", "203.0.113.9").is(201);

      behindProxy.enter(QUEUE, "ann").isProblem(409, "S802");
    }
  }

  @Test
  void cookie_publicUrlIsHttps_isSecure(@TempDir Path own) {
    try (var https = TestServer.withPublicUrl(own, "https://queue.example")) {
      open(https);
      assertThat(https.client().post(ENTER).is(201).header("set-cookie")).contains("; Secure");
    }
  }

  @Test
  void cookie_publicUrlIsHttp_isNotSecure(@TempDir Path own) {
    try (var http = TestServer.withPublicUrl(own, "http://queue.example")) {
      open(http);
      assertThat(http.client().post(ENTER).is(201).header("set-cookie"))
          .doesNotContainIgnoringCase("secure");
    }
  }

  @Test
  void cookie_ofAnotherServer_isANewVisitor(@TempDir Path one, @TempDir Path two) {
    try (var here = TestServer.onMemory(one);
        var there = TestServer.onMemory(two)) {
      open(here);
      open(there);
      String cookie = String.valueOf(here.client().post(ENTER).is(201).header("set-cookie"));

      Answer answer = there.client().post(ENTER, "Cookie", cookie.split(";", 2)[0]).is(201);

      assertThat(answer.header("set-cookie")).isNotNull();
    }
  }

  @Test
  void cookie_afterARestart_isStillTheSameVisitor(@TempDir Path kept) {
    String cookie;
    try (var before = TestServer.onMemory(kept)) {
      open(before);
      cookie = String.valueOf(before.client().post(ENTER).is(201).header("set-cookie"));
    }
    try (var after = TestServer.onMemory(kept)) {
      open(after);

      Answer answer = after.client().post(ENTER, "Cookie", cookie.split(";", 2)[0]).is(201);

      assertThat(answer.header("set-cookie")).isNull();
    }
  }

  private static Answer say(String call, String headers) throws IOException {
    return RawHttp.say(
        server.port(), RawHttp.bytes(call + " HTTP/1.1\nHost: test\n" + headers + "\n\n"));
  }
}
