package io.naru.server;

import static io.naru.server.RawHttp.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

import io.naru.queue.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a vandal sends. Every answer is a problem with a code, nothing about the queue moves, and
 * the server goes on. Requests that could leave the two sides at odds about where the next one
 * begins end their connection; each of them is followed by an enter that must not be heard.
 */
class HostileInputTest {

  private static final String QUEUE = "TIMEDEAL/1";
  private static final String ENTER = "POST /queue/" + QUEUE + "/enter HTTP/1.1\nHost: test\n";
  private static final String ACTIVATE =
      "POST /admin/queue/activate HTTP/1.1\nHost: test\nAuthorization: Bearer "
          + TestServer.KEY
          + "\n";
  private static final String JSON = "Content-Type: application/json\n";

  private static final AtomicInteger SMUGGLERS = new AtomicInteger();

  @TempDir private static Path data;
  private static TestServer server;
  private Map<String, @Nullable Object> before = Map.of();

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
    server.activate(QUEUE, "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600");
    server.enter(QUEUE, "first").is(201);
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> server.status(QUEUE, "first").text("status").equals("ENTERED"));
    server.enter(QUEUE, "second").is(201);
  }

  @AfterAll
  static void stop() {
    try (var management = new Client(server.managementPort())) {
      assertThat(management.get("/metrics").body())
          .as("no 500")
          .contains("naru_errors_total{type=\"internal\"} 0.0");
    } finally {
      server.close();
    }
  }

  @BeforeEach
  void look() {
    before = everything();
  }

  @AfterEach
  void nothingMovedAndTheServerGoesOn() {
    assertThat(everything()).isEqualTo(before);
    server.client().get("/health/live").is(200);
  }

  /** All there is to know, but for the time that goes by. */
  private static Map<String, @Nullable Object> everything() {
    Answer all = server.admin("GET", "/admin/queues", "").is(200);
    var known = new HashMap<>(all.json());
    assertThat(known.get("queues")).asInstanceOf(LIST).hasSize(1);
    var queue = Answer.told(server.queue(QUEUE).is(200).json());
    var figures = new HashMap<>(server.figures(QUEUE));
    figures.remove("longestWaitSeconds");
    queue.put("figures", figures);
    return queue;
  }

  // --- too large

  @Test
  void headers_upToTheLimit_areFine() throws IOException {
    say("GET /health/live HTTP/1.1\nHost: test\nX-Long: " + "x".repeat(7_000) + "\n\n").is(200);
  }

  static Stream<String> largeHeaders() {
    return Stream.of(
        "X-Long: " + "x".repeat(8_200) + "\n",
        "X-Long: " + "x".repeat(15_000) + "\n",
        "X-Long: " + "x".repeat(20_000) + "\n",
        "X-Long: " + "x".repeat(200_000) + "\n",
        "X: 1\n".repeat(2_000),
        "X-" + "x".repeat(9_000) + ": 1\n",
        "Cookie: naru=" + "x".repeat(9_000) + "\n",
        "User-Id: ann\n" + "X-Short: 1234567890\n".repeat(500));
  }

  @ParameterizedTest
  @MethodSource("largeHeaders")
  void headers_tooLarge_are431(String headers) throws IOException {
    refusedAndClosed(431, "headers-too-large", bytes(ENTER + headers + "\n"));
  }

  @ParameterizedTest
  @ValueSource(ints = {4_096, 5_000, 100_000})
  void uri_tooLong_is414(int length) throws IOException {
    refusedAndClosed(
        414, "uri-too-long", bytes("GET /" + "x".repeat(length) + " HTTP/1.1\nHost: test\n\n"));
    refusedAndClosed(
        414,
        "uri-too-long",
        bytes(
            "POST /queue/"
                + QUEUE
                + "/enter?x="
                + "x".repeat(length)
                + " HTTP/1.1\nHost: test\n\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"16385", "20000", "1000000", "9223372036854775807"})
  void body_announcedTooLarge_is413BeforeItIsSent(String length) throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      refusedAndClosed(
          413, "body-too-large", bytes(call + JSON + "Content-Length: " + length + "\n\n{"));
    }
  }

  @Test
  void body_endlessChunks_is413AndClosed() throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      try (var http = new RawHttp(server.port())) {
        http.send(call + JSON + "Transfer-Encoding: chunked\n\n");
        byte[] chunk = bytes("400\n" + " ".repeat(1_024) + "\n");
        int sent = 0;
        try {
          while (sent < 100_000) {
            http.send(chunk);
            sent++;
          }
        } catch (IOException e) {
          // The server has hung up, as it should.
        }
        assertThat(sent).as("chunks of 1 kB until the server hung up").isLessThan(100_000);
        http.answer().isProblem(413, "body-too-large");
        assertThat(http.untilClosed()).isEmpty();
      }
    }
  }

  @Test
  void body_neverFinished_isForgotten() throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      for (String framing :
          List.of("Content-Length: 9\n\n{", "Transfer-Encoding: chunked\n\n9\n{")) {
        try (var http = new RawHttp(server.port())) {
          http.send(call + JSON + framing);
        }
      }
    }
  }

  @Test
  void body_ofTheLargestSize_isRead() throws IOException {
    say(ACTIVATE + JSON + "Content-Length: 16384\n\n" + "{\"score\":1" + " ".repeat(16_373) + "}")
        .isInvalid("eventType");
  }

  // --- not what we read

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate", "br", "identity", "x"})
  void body_compressed_is415(String encoding) throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      refusedAndClosed(
          415,
          "unsupported-media-type",
          bytes(call + JSON + "Content-Encoding: " + encoding + "\nContent-Length: 2\n\n{}"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Content-Type:\n",
        "Content-Type: text/plain\n",
        "Content-Type: text/json\n",
        "Content-Type: application/x-www-form-urlencoded\n",
        "Content-Type: multipart/form-data; boundary=x\n",
        "Content-Type: application/jsonp\n",
        "Content-Type: application/json-patch+json\n",
        "Content-Type: application/xml, application/json\n"
      })
  void body_notJson_is415(String header) throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      say(call + header + "Content-Length: 2\n\n{}").isProblem(415, "unsupported-media-type");
    }
  }

  static Stream<Arguments> bombs() {
    return Stream.of(
            "[]",
            "1",
            "\"x\"",
            "null",
            "true",
            "{",
            "{\"",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,}",
            "{a:1}",
            "{'a':1}",
            "{\"a\":NaN}",
            "{\"a\":01}",
            "{\"a\":+1}",
            "{\"a\":.5}",
            "{\"a\":0x10}",
            "{\"a\":\"\n\"}",
            "{\"a\":\"\u0000\"}",
            "{\"a\":\"\\x\"}",
            "{\"a\":1}{}",
            "{\"a\":1} x",
            "{\"a\":1}]",
            "{}{}",
            "{\"a\":1,\"a\":1}",
            "{\"a\":1,\"\\u0061\":2}",
            "{/**/}",
            "<a/>",
            "eventType=A&eventId=1",
            "[".repeat(8_000),
            "{\"a\":" + "9".repeat(1_000) + "}",
            "{\"a\":1e" + "9".repeat(1_000) + "}",
            "{\"a\":\"" + "x".repeat(5_000) + "\"}",
            "{\"" + "x".repeat(5_000) + "\":1}")
        .map(json -> Arguments.of(json, UTF_8));
  }

  static Stream<Arguments> encodings() {
    return Stream.of(
        Arguments.of("{\"a\":\"\u00e9\"}", ISO_8859_1),
        Arguments.of("{\"a\":\"\u00ff\u00fe\"}", ISO_8859_1),
        // An overlong slash, half a character, a surrogate in UTF-8.
        Arguments.of("{\"a\":\"\u00c0\u00af\"}", ISO_8859_1),
        Arguments.of("{\"a\":\"\u00e2\u0082\"}", ISO_8859_1),
        Arguments.of("{\"a\":\"\u00ed\u00a0\u0080\"}", ISO_8859_1),
        Arguments.of("{}", UTF_16),
        Arguments.of("{}", Charset.forName("UTF-32LE")));
  }

  @ParameterizedTest
  @MethodSource({"bombs", "encodings"})
  void json_bombs_are400(String json, Charset charset) throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      say(call, json.getBytes(charset)).isProblem(400, "malformed-json");
    }
  }

  /** By its own path: what is around it may be the object or the list that the field wants. */
  @Test
  void json_nested_is400AndNamed() throws IOException {
    Map<String, String> fields =
        Map.of(
            "{\"b\":{}}",
            "a.b",
            "[1,[]]",
            "a[1]",
            "[{},{\"b\":[]}]",
            "a[1].b",
            "[".repeat(8_000),
            "a[0]",
            "{\"b\":".repeat(2_000),
            "a.b");
    for (String call : List.of(ENTER, ACTIVATE)) {
      for (var each : fields.entrySet()) {
        Answer answer = say(call, ("{\"a\":" + each.getKey() + "}").getBytes(UTF_8));
        answer.isInvalid(each.getValue());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"activate", "deactivate", "process", "pause", "end"})
  void body_missing_is400(String call) {
    server.admin("POST", "/admin/queue/" + call, "").isProblem(400, "bad-request");
    server.admin("PUT", "/admin/queues/TIMEDEAL/2", "").isProblem(400, "bad-request");
  }

  // --- bad framing

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Both lengths, in both orders.
        "Content-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n",
        "Transfer-Encoding: chunked\nContent-Length: 5\n\n0\n\n",
        "Content-Length: 0\nTransfer-Encoding: chunked\n\n0\n\n",
        "Content-Length: 5\ntransfer-encoding: Chunked\n\n0\n\n",
        // Two lengths.
        "Content-Length: 0\nContent-Length: 5\n\n",
        "Content-Length: 5\nContent-Length: 0\n\n",
        "Content-Length: 0, 5\n\n",
        "Content-Length: 2\nContent-Length: 2\n\n{}",
        "Content-Length: 2, 2\n\n{}",
        // Not a length.
        "Content-Length: -1\n\n",
        "Content-Length: +2\n\n{}",
        "Content-Length: 0x2\n\n{}",
        "Content-Length: 2.0\n\n{}",
        "Content-Length: two\n\n{}",
        "Content-Length: 2 2\n\n{}",
        "Content-Length:\n\n",
        "Content-Length: 99999999999999999999\n\n",
        // Not a transfer encoding that we know.
        "Transfer-Encoding: gzip\n\n",
        "Transfer-Encoding: identity\n\n",
        "Transfer-Encoding: xchunked\n\n0\n\n",
        "Transfer-Encoding: chunked, gzip\n\n0\n\n",
        "Transfer-Encoding: gzip, chunked\n\n0\n\n",
        "Transfer-Encoding: chunked, identity\n\n0\n\n",
        "Transfer-Encoding: chunked, chunked\n\n0\n\n",
        "Transfer-Encoding: chunked\nTransfer-Encoding: identity\n\n0\n\n",
        "Transfer-Encoding: identity\nTransfer-Encoding: chunked\n\n0\n\n",
        "Transfer-Encoding: \"chunked\"\n\n0\n\n",
        "Transfer-Encoding: chunked;q=1\n\n0\n\n",
        "Transfer-Encoding:\n\n",
        // Headers that are none, or that two parsers read in two ways.
        "Content-Length : 0\n\n",
        "Transfer-Encoding : chunked\n\n0\n\n",
        "Transfer-Encoding\u000b: chunked\n\n0\n\n",
        "Transfer-Encoding:\n chunked\n\n0\n\n",
        "Transfer-Encoding: chunked\n ,identity\n\n0\n\n",
        "Content-Length:\n 2\n\n{}",
        "Content-Length: 2\n 2\n\n{}",
        "X-Nul: a\u0000b\n\n",
        "X-\u0000Nul: b\n\n",
        "X-No-Colon\n\n",
        ": no name\n\n",
        "X Space: a\n\n",
        "X-\u00e9: a\n\n",
        "X-Control: a\u0001b\n\n",
        "X-Return: a\rb\n\n"
      })
  void framing_bad_is400AndClosed(String rest) throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      refusedAndClosed(400, "bad-request", bytes(call + rest));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ZZ\n{}\n0\n\n",
        "-1\n{}\n0\n\n",
        "+2\n{}\n0\n\n",
        "0x2\n{}\n0\n\n",
        "2 2\n{}\n0\n\n",
        "\n{}\n0\n\n",
        "FFFFFFFF\n{}",
        "80000000\n{}",
        "7FFFFFFFFFFFFFFF\n{}",
        "FFFFFFFFFFFFFFFF\n{}",
        "10000000000000002\n{}\n0\n\n",
        "2\n{}XX0\n\n",
        "2\n{}0\n\n",
        "1\n{}\n0\n\n"
      })
  void chunks_bad_areRefusedAndClosed(String chunks) throws IOException {
    for (String call : List.of(ENTER, ACTIVATE)) {
      try (var http = new RawHttp(server.port())) {
        http.send(call + JSON + "Transfer-Encoding: chunked\n\n" + chunks + smuggled());
        Answer answer = http.answer();
        if (answer.status() == 413) {
          answer.isProblem(413, "body-too-large");
        } else {
          answer.isProblem(400, "bad-request");
        }
        assertThat(answer.header("connection")).isEqualTo("close");
        assertThat(http.untilClosed()).as("answers to what follows").isEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0000\u0001\u0002\u0003\n\n",
        // A TLS handshake.
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\n\n",
        "hello\n\n",
        "GET\n\n",
        "GET /health/live\n\n",
        "GET /health/live HTTP/1.1 x\nHost: test\n\n",
        "G\u00e9T /health/live HTTP/1.1\nHost: test\n\n"
      })
  void requestLine_bad_is400AndClosed(String request) throws IOException {
    refusedAndClosed(400, "bad-request", bytes(request));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OPTIONS * HTTP/1.1\nHost: test\n\n",
        "CONNECT test:443 HTTP/1.1\nHost: test\n\n",
        "GET live HTTP/1.1\nHost: test\n\n",
        "GET ? HTTP/1.1\nHost: test\n\n",
        "GET // HTTP/1.1\nHost: test\n\n",
        "GET /%zz HTTP/1.1\nHost: test\n\n",
        "GET /health/\u0000live HTTP/1.1\nHost: test\n\n",
        "get /health/live HTTP/1.1\nHost: test\n\n",
        "FOO /health/live HTTP/1.1\nHost: test\n\n"
      })
  void target_odd_isRefused(String request) throws IOException {
    Answer answer = RawHttp.say(server.port(), bytes(request));
    assertThat(answer.status()).isIn(400, 404, 405);
    answer.isProblem(answer.status(), answer.text("code"));
  }

  /** Whole addresses without a path are those of the page that says what this is. */
  @ParameterizedTest
  @ValueSource(strings = {"http://", "http://test", "http://[::1"})
  void target_withoutAPath_isHome(String target) throws IOException {
    Answer answer =
        RawHttp.say(server.port(), bytes("GET " + target + " HTTP/1.1\nHost: test\n\n"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text("name")).isEqualTo("naru");
  }

  /** The HTTP library answers these itself, before anybody is asked: no problem, but no more. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /health/live HTTP/9.9\nHost: test\n\n",
        "GET /health/live FTP/1.1\nHost: test\n\n",
        "PRI * HTTP/2.0\n\nSM\n\n"
      })
  void version_unknown_is501AndClosed(String request) throws IOException {
    try (var http = new RawHttp(server.port())) {
      http.send(request + smuggled());
      assertThat(http.answer().status()).isEqualTo(501);
      assertThat(http.untilClosed()).as("answers to what follows").isEmpty();
    }
  }

  /** RFC 9112, 5.2 leaves a choice: refuse, or read the fold as a space, as the decoder does. */
  @Test
  void header_folded_isOneValue() throws IOException {
    say(ENTER + "User-Id: ann\n ben\n\n").isInvalid("User-Id");
    say(ENTER + "X-Folded: a\n User-Id: ann\nUser-Id: first\n\n").isProblem(409, "S802");
  }

  @Test
  void upgradeToHttp2_isNotTaken() throws IOException {
    say("""
        GET /health/live HTTP/1.1
        Host: test
        Connection: Upgrade, HTTP2-Settings
        Upgrade: h2c
        HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA

        """)
        .is(200);
  }

  @Test
  void expectation_unknown_isRefusedOrIgnored() throws IOException {
    Answer answer = say(ENTER + "User-Id: first\nExpect: 200-maybe\n\n");
    assertThat(answer.status()).isIn(409, 417);
  }

  // --- names

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a:b",
        "{x}",
        "*",
        "..",
        "%2e%2e",
        "%00",
        "%2F",
        "a%0d%0ab",
        "-1",
        "_a",
        "a b",
        "a;b",
        "a,b",
        "a'b",
        "%ED%95%9C"
      })
  void queueName_hostile_is400AndNamed(String name) throws IOException {
    String path = name.replace(" ", "%20");
    for (String call :
        List.of("POST %s/enter", "GET %s/status", "POST %s/leave", "POST %s/complete")) {
      sayPlain(call.formatted("/queue/" + path + "/1")).isInvalid("eventType");
      sayPlain(call.formatted("/queue/TIMEDEAL/" + path)).isInvalid("eventId");
    }
    server.admin("GET", "/admin/queues/" + quoted(path) + "/1", "").isInvalid("eventType");
    server.admin("GET", "/admin/queues/TIMEDEAL/" + quoted(path), "").isInvalid("eventId");
    server.admin("PUT", "/admin/queues/TIMEDEAL/" + quoted(path), "{}").isInvalid("eventId");
    server
        .admin("POST", "/admin/queue/activate", TestServer.named(name + "/1", ""))
        .isInvalid("eventType");
    server
        .admin("POST", "/admin/queue/activate", TestServer.named("TIMEDEAL/" + name, ""))
        .isInvalid("eventId");
  }

  private static String quoted(String path) {
    return path.replace("{", "%7B").replace("}", "%7D");
  }

  @Test
  void queueName_emptyLongOrOfTheWrongCase_is400AndNamed() throws IOException {
    sayPlain("POST /queue//1/enter").isInvalid("eventType");
    sayPlain("POST /queue/TIMEDEAL//enter").isInvalid("eventId");
    sayPlain("POST /queue/timedeal/1/enter").isInvalid("eventType");
    sayPlain("POST /queue/" + "A".repeat(33) + "/1/enter").isInvalid("eventType");
    sayPlain("POST /queue/TIMEDEAL/" + "1".repeat(65) + "/enter").isInvalid("eventId");
    sayPlain("POST /queue/TIMEDEAL/" + "1".repeat(300) + "/enter").isInvalid("eventId");
    sayPlain("POST /queue/" + "A".repeat(32) + "/" + "1".repeat(64) + "/enter")
        .isProblem(404, "S801");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "true", "1.5", "-1", "9223372036854775808", "1e3", "\"\""})
  void eventId_notAName_is400AndNamed(String id) {
    for (String call : List.of("activate", "deactivate", "process")) {
      String path = "/admin/queue/" + call;
      server
          .admin("POST", path, "{\"eventType\":\"A\",\"eventId\":" + id + "}")
          .isInvalid("eventId");
      server.admin("POST", path, "{\"eventType\":\"A\"}").isInvalid("eventId");
      server.admin("POST", path, "{\"eventId\":\"1\"}").isInvalid("eventType");
      server.admin("POST", path, "{\"eventType\":1,\"eventId\":\"1\"}").isInvalid("eventType");
      server.admin("POST", path, "{}").isInvalid("eventType");
    }
  }

  // --- numbers

  private static final Set<String> MAY_BE_0 =
      Set.of(
          "newPlacesPerMinute",
          "absenceGraceSeconds",
          "retrySeconds",
          "maxReturns",
          "jitterMillis",
          "fairWindowMillis");

  static Stream<Arguments> badNumbers() {
    List<String> values =
        List.of(
            "-1",
            "0",
            "2147483648",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775809",
            "1e9",
            "1E400",
            "10.5",
            "10.0",
            "\"10\"",
            "null",
            "true",
            "\"\"");
    return Settings.DEFAULT.asMap().entrySet().stream()
        .filter(setting -> setting.getValue() instanceof Integer)
        .flatMap(
            setting ->
                values.stream()
                    .filter(v -> !(v.equals("0") && MAY_BE_0.contains(setting.getKey())))
                    .map(value -> Arguments.of(setting.getKey(), value)));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "onExpiry,`\"\"`",
        "onExpiry,`\"requeue\"`",
        "onExpiry,`\"END \"`",
        "onExpiry,1",
        "onExpiry,null",
        "once,`\"true\"`",
        "once,1",
        "once,0",
        "once,null"
      })
  void rule_absurd_is400WithFieldAndWhatIsAllowed(String setting, String value) {
    Answer answer = server.activate(QUEUE, "\"" + setting + "\":" + value);

    answer.isInvalid(setting);
    assertThat(answer.text("allowed")).contains(" or ");
  }

  @ParameterizedTest
  @MethodSource("badNumbers")
  void setting_absurd_is400WithFieldAndRange(String setting, String value) {
    String change = "\"" + setting + "\":" + value;

    for (String queue : List.of(QUEUE, "TIMEDEAL/new")) {
      for (Answer answer :
          List.of(
              server.activate(queue, change),
              server.admin("PUT", "/admin/queues/" + queue, "{" + change + "}"))) {
        answer.isInvalid(setting);
        assertThat(answer.text("allowed")).matches("\\d+\\.\\.\\d+");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "0",
        "100001",
        "2147483648",
        "9223372036854775808",
        "1e3",
        "1.0",
        "\"1\"",
        "null"
      })
  void count_absurd_is400WithFieldAndRange(String count) {
    Answer answer =
        server.admin("POST", "/admin/queue/process", TestServer.named(QUEUE, "\"count\":" + count));

    assertThat(answer.isInvalid("count").text("allowed")).isEqualTo("1..100000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://bank.example@evil.example/",
        "https:///x",
        "/relative",
        "ftp://x.example",
        "https://x.example/\\u0000",
        "https://x.example/ x",
        "https://x.example/\\r\\nSet-Cookie: a=b",
        "\\ud800"
      })
  void targetUrl_misleading_is400AndNamed(String url) {
    server.activate(QUEUE, "\"targetUrl\":\"" + url + "\"").isInvalid("targetUrl");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\\u0000", "a\\nb", "\\u007f", "\\u0085", "\\ud800", "\\udc00x"})
  void title_notText_is400AndNamed(String title) {
    server.activate(QUEUE, "\"title\":\"" + title + "\"").isInvalid("title");
    server.activate(QUEUE, "\"title\":\"" + "x".repeat(201) + "\"").isInvalid("title");
    server.activate(QUEUE, "\"title\":1").isInvalid("title");
    server.activate(QUEUE, "\"title\":null").isInvalid("title");
  }

  // --- fields that are not anybody's to set

  @ParameterizedTest
  @ValueSource(
      strings = {"score", "lane", "status", "isActive", "version", "createdAt", "change", "x", ""})
  void setting_unknown_is400AndNamed(String name) {
    String change = "\"" + name + "\":1";
    server.activate(QUEUE, change).isProblem(400, "invalid-value");
    server
        .admin("PUT", "/admin/queues/" + QUEUE, "{" + change + "}")
        .isProblem(400, "invalid-value");
    server
        .admin("POST", "/admin/queue/deactivate", TestServer.named(QUEUE, change))
        .isProblem(400, "invalid-value");
    Answer answer = server.admin("POST", "/admin/queue/process", TestServer.named(QUEUE, change));
    assertThat(answer.isProblem(400, "invalid-value").text("field")).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"score", "lane", "status", "position", "userId", "joinedAt"})
  void visitor_setsAField_is400AndNamed(String name) throws IOException {
    byte[] body = ("{\"" + name + "\":1}").getBytes(UTF_8);
    for (String call : List.of("enter", "leave", "complete")) {
      say("POST /queue/" + QUEUE + "/" + call + " HTTP/1.1\nHost: test\nUser-Id: second\n", body)
          .isInvalid(name);
    }
  }

  // --- methods and paths

  @Test
  void method_wrong_is405AndSaysWhichIsRight() throws IOException {
    Map<String, String> allowed =
        Map.of(
            "/queue/" + QUEUE + "/enter",
            "POST",
            "/queue/" + QUEUE + "/status",
            "GET",
            "/queue/" + QUEUE + "/leave",
            "POST",
            "/queue/" + QUEUE + "/complete",
            "POST",
            "/queue/token/x/status",
            "GET",
            "/health/live",
            "GET",
            "/health/ready",
            "GET",
            "/admin/queue/activate",
            "POST",
            "/admin/queues",
            "GET",
            "/admin/queues/" + QUEUE,
            "DELETE, GET, PUT");
    for (var path : allowed.entrySet()) {
      for (String method : List.of("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")) {
        if (!List.of(path.getValue().split(", ", -1)).contains(method)) {
          Answer answer =
              say(
                  method
                      + " "
                      + path.getKey()
                      + " HTTP/1.1\nHost: test\nUser-Id: ann\n"
                      + "Authorization: Bearer "
                      + TestServer.KEY
                      + "\n\n");
          assertThat(answer.isProblem(405, "method-not-allowed").header("allow"))
              .isEqualTo(path.getValue());
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/x",
        "/queue",
        "/queue/",
        "/queue/TIMEDEAL",
        "/queue/TIMEDEAL/1",
        "/queue/TIMEDEAL/1/",
        "/queue/TIMEDEAL/1/enter/",
        "/queue/TIMEDEAL/1/enter/x",
        "/queue/TIMEDEAL/1/Enter",
        "/queue/TIMEDEAL/1/enter;a=b",
        "/queue/TIMEDEAL/1/%65nter",
        "//queue/TIMEDEAL/1/enter",
        "/./queue/TIMEDEAL/1/enter",
        "/x/../queue/TIMEDEAL/1/enter",
        "/health",
        "/metrics",
        "/favicon.ico",
        "/admin",
        "/Admin/queues"
      })
  void path_unknown_is404(String path) throws IOException {
    sayPlain("GET " + path).isProblem(404, "not-found");
    sayPlain("POST " + path).isProblem(404, "not-found");
  }

  // --- admin

  @ParameterizedTest
  @ValueSource(
      strings = {"*", "W/\"1\"", "abc", "\"\"", "", "1.5", "99999999999999999999", "\"1\", \"2\""})
  void ifMatch_notOurETag_is400AndNamed(String etag) {
    server.admin("PUT", "/admin/queues/" + QUEUE, "{}", "If-Match", etag).isInvalid("If-Match");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "?",
        "?confirm",
        "?confirm=",
        "?confirm=TIMEDEAL",
        "?confirm=TIMEDEAL/2",
        "?confirm=timedeal/1",
        "?confirm=%00",
        "?confirm=x&confirm=TIMEDEAL/1"
      })
  void delete_withoutTheName_isRefused(String query) throws IOException {
    Answer answer =
        say(
            "DELETE /admin/queues/"
                + QUEUE
                + query
                + " HTTP/1.1\nHost: test\nAuthorization: Bearer "
                + TestServer.KEY
                + "\n\n");
    answer.isProblem(409, "confirmation-needed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"?confirm=%", "?confirm=%zz", "?%"})
  void query_bad_is400(String query) throws IOException {
    say("DELETE /admin/queues/"
            + QUEUE
            + query
            + " HTTP/1.1\nHost: test\nAuthorization: Bearer "
            + TestServer.KEY
            + "\n\n")
        .isProblem(400, "bad-request");
  }

  @Test
  void cookies_odd_areIgnored() throws IOException {
    for (String cookie :
        List.of(
            "",
            ";",
            "=",
            "naru",
            "naru=;naru=",
            "\"",
            "naru=\"x\"",
            "a=b;;;",
            "naru=%",
            "$Version=1; naru=x")) {
      say("GET /queue/" + QUEUE + "/status HTTP/1.1\nHost: test\nCookie: " + cookie + "\n\n")
          .isProblem(404, "S803");
    }
  }

  // --- words for all of this

  /** A request that would move something: somebody else every time. */
  private static String smuggled() {
    return ENTER + "User-Id: smuggled-" + SMUGGLERS.incrementAndGet() + "\n\n";
  }

  private static Answer say(String request) throws IOException {
    return RawHttp.say(server.port(), bytes(request));
  }

  private static Answer sayPlain(String methodAndPath) throws IOException {
    return say(methodAndPath + " HTTP/1.1\nHost: test\nUser-Id: ann\n\n");
  }

  /** With a body of JSON. */
  private static Answer say(String head, byte[] body) throws IOException {
    var request = new ByteArrayOutputStream();
    request.writeBytes(bytes(head + JSON + "Content-Length: " + body.length + "\n\n"));
    request.writeBytes(body);
    return RawHttp.say(server.port(), request.toByteArray());
  }

  private static void refusedAndClosed(int status, String code, byte[] request) throws IOException {
    try (var http = new RawHttp(server.port())) {
      try {
        // In one piece, so that the server has the next request before it has answered this one.
        var all = new ByteArrayOutputStream();
        all.writeBytes(request);
        all.writeBytes(bytes(smuggled()));
        http.send(all.toByteArray());
      } catch (IOException e) {
        // Refused before it was all sent.
      }
      Answer answer = http.answer().isProblem(status, code);
      assertThat(answer.header("connection")).as("connection of %s", answer).isEqualTo("close");
      assertThat(http.untilClosed()).as("answers to what follows").isEmpty();
    }
  }
}
