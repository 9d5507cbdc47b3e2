package io.naru.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.gate.HostilePaths;
import io.naru.pass.PassKey;
import io.naru.testkit.CaddyServer;
import io.naru.testkit.EventStream;
import io.naru.testkit.HaproxyServer;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.NginxServer;
import io.naru.testkit.OpenApi;
import io.naru.testkit.PlainSite;
import io.naru.testkit.Program;
import io.naru.testkit.ServerProcess;
import io.naru.testkit.StrictJson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A shop that knows nothing of Naru behind real proxies, each with its file of examples/proxies as
 * it stands there: who has a pass gets in, and nothing else reaches what is protected.
 */
class ProxiesTest {

  private static final Program NGINX =
      new Program("NARU_PROXY", NginxServer.find(System.getenv()), NginxServer.HOW);
  private static final Program HAPROXY =
      new Program("NARU_EXAMPLES", HaproxyServer.find(System.getenv()), HaproxyServer.HOW);
  private static final Program CADDY =
      new Program("NARU_EXAMPLES", CaddyServer.find(System.getenv()), CaddyServer.HOW);

  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String SITE_SECRET = "a-secret-of-the-shop-of-32-bytes!";
  private static final Pattern FILE = Pattern.compile("`(/naru[a-z.-]+)`");

  @TempDir private static Path data;
  private static ServerProcess naru;
  private static PlainSite shop;
  private static String passOfAnotherQueue;

  /** Without the limits per address, which would stop the attacks before anything else does. */
  private static @Nullable NginxServer loose;

  @BeforeAll
  static void start() throws Exception {
    assertThat(Site.JAR).as("the server, built by ./naru test or ./mvnw verify").exists();
    naru =
        ServerProcess.start(
            Site.JAR,
            List.of("-Xmx256m"),
            List.of(
                "--data",
                data.toString(),
                "--admin-key",
                Site.KEY,
                "--max-streams-per-address",
                "2",
                "--site-issuer",
                "https://shop.example",
                "--site-audience",
                "naru",
                "--site-secret-file",
                Files.writeString(data.resolve("site-secret"), SITE_SECRET).toString()));
    activate(naru, "123", "\"newPlacesPerMinute\":0,\"passTtlSeconds\":600");
    activate(naru, "124", "\"passTtlSeconds\":600");
    activate(
        naru, "125", "\"newPlacesPerMinute\":0,\"maxCapacity\":1,\"entryIntervalSeconds\":3600");
    newPass("125");
    passOfAnotherQueue = newPass("124");
    shop = PlainSite.open();
    if (NGINX.found().isPresent()) {
      loose =
          NginxServer.site(
              NGINX.path(),
              configuration("nginx.conf")
                  .replace("rate=10r/s", "rate=10000r/s")
                  .replace("burst=20", "burst=10000")
                  .replace("naru_connections 10", "naru_connections 10000")
                  .replace("_timeout 10s", "_timeout 1s"));
    }
  }

  @AfterAll
  static void stop() {
    if (loose != null) {
      loose.close();
    }
    shop.close();
    naru.close();
  }

  @BeforeEach
  void forget() {
    shop.forget();
  }

  private static void activate(ServerProcess naru, String id, String settings) throws IOException {
    String body = "{\"eventType\":\"TIMEDEAL\",\"eventId\":\"%s\",%s}".formatted(id, settings);
    try (var operator = new HttpConnection(naru.port())) {
      Reply made =
          operator.send("POST", "/admin/queue/activate", body, "Authorization: Bearer " + Site.KEY);
      assertThat(made.status()).isEqualTo(201);
    }
  }

  /** The pass of somebody new, as their program gets it. */
  private static String newPass(String id) throws Exception {
    try (var person = Person.at(naru.port())) {
      String queue = "/queue/TIMEDEAL/" + id;
      assertThat(person.ask("POST", queue + "/enter").status()).isEqualTo(201);
      return await()
          .until(() -> person.ask("GET", queue + "/status"), ProxiesTest::isWithPass)
          .field("pass");
    }
  }

  /** What is no pass here, though it looks like one. */
  private static List<String> forgeries(String pass) {
    String[] parts = pass.split("\\.", -1);
    return List.of(
        "x",
        passOfAnotherQueue,
        "eyJhbGciOiJub25lIn0." + parts[1] + ".",
        parts[0] + "." + parts[1] + ".",
        parts[0] + "." + parts[1] + "." + "A".repeat(86),
        pass.substring(0, pass.length() - 4) + "AAAA");
  }

  /** An example as it stands there, but for where Naru and the shop are. */
  private static String configuration(String file) throws IOException {
    return Files.readString(EXAMPLES.resolve("proxies").resolve(file))
        .replace("127.0.0.1:8080", "127.0.0.1:" + naru.port())
        .replace("127.0.0.1:8090", "127.0.0.1:" + shop.port())
        .replace("https://shop.example", naru.uri().toString());
  }

  private static void needs(Program program) {
    var condition = program.condition(System.getenv());
    Assumptions.assumeFalse(condition.isDisabled(), condition.getReason().orElse(""));
  }

  /** The port of nginx; without one this test is left out. */
  private static int nginx() {
    needs(NGINX);
    return Objects.requireNonNull(loose).port();
  }

  // --- somebody with a browser of their own

  private static boolean isWithPass(Reply status) {
    return status.json().containsKey("pass");
  }

  /** Waits for their turn and goes to the shop with the pass. */
  private static void goIn(Person person) throws IOException, InterruptedException {
    assertThat(person.ask("POST", "/queue/TIMEDEAL/123/enter").status()).isEqualTo(201);
    await()
        .pollInterval(Duration.ofMillis(50))
        .until(() -> isWithPass(person.ask("GET", "/queue/TIMEDEAL/123/status")));
    var sentOn = person.send("GET", "/wait/TIMEDEAL/123/place?return=%2Fcheckout");
    assertThat(sentOn.statusCode()).isEqualTo(303);
    assertThat(sentOn.headers().firstValue("Location")).contains("/checkout");
  }

  private static final String[] BROWSER = {"Accept", "text/html"};

  /** From the first look to the last: what every proxy must do. */
  private static void walk(int port, boolean hearsThatTurnsAreOver) throws Exception {
    try (var person = Person.at(port)) {
      assertThat(person.send("GET", "/headers", "Naru-User", "eve").body())
          .as("what needs no pass, and names nobody")
          .startsWith("GET /headers ")
          .doesNotContainIgnoringCase("naru-user");
      var refused = person.send("GET", "/checkout", BROWSER);
      assertThat(refused.statusCode()).isEqualTo(303);
      assertThat(refused.headers().firstValue("Location"))
          .contains("/wait/TIMEDEAL/123?return=%2Fcheckout");
      var program = person.send("POST", "/checkout/buy", "Accept", "application/json");
      assertThat(program.statusCode()).isEqualTo(429);
      assertThat(StrictJson.object(program.body()))
          .containsEntry("code", "S806")
          .containsKey("waitUrl");
      assertThat(program.headers().firstValue("Retry-After")).isPresent();
      assertThat(person.status("/wait/TIMEDEAL/123", BROWSER)).isEqualTo(200);
      for (String file : promised()) {
        assertThat(person.status(file)).as(file).isEqualTo(200);
      }

      goIn(person);

      String seen =
          person.send("GET", "/checkout/headers", "Naru-User", "eve", "Naru-Pass-Id", "1").body();
      assertThat(seen).containsIgnoringCase("naru-user: visitor-").doesNotContain("eve");
      assertThat(seen.lines().filter(line -> line.toLowerCase(Locale.ROOT).startsWith("naru-")))
          .hasSize(2);
      assertThat(person.send("POST", "/checkout/buy").statusCode()).isEqualTo(303);
      assertThat(person.status("/done")).isEqualTo(200);
      if (hearsThatTurnsAreOver) {
        await().until(() -> person.status("/checkout", BROWSER) == 303);
      }
    }
    for (String head : shop.heads()) {
      assertThat(head).as("of somebody without a pass").doesNotContain("application/json");
    }
  }

  /** Files of Naru that the manual says are there behind every proxy. */
  private static List<String> promised() throws IOException {
    String manual = Files.readString(Path.of("..", "docs", "proxies.md"), UTF_8);
    String promise =
        manual.lines().filter(line -> line.contains(" go to Naru")).findFirst().orElseThrow();
    List<String> files =
        FILE.matcher(promise).results().map(found -> found.group(1)).sorted().toList();
    assertThat(files).contains("/naru.js", "/naru-proof.js");
    return files;
  }

  @Test
  void nginx_fromTheFirstLookToTheLast() throws Exception {
    walk(nginx(), true);
    forgedPassesAreRefused(nginx());
  }

  @Test
  void nginx_passAsBearer_counts() throws Exception {
    String pass = newPass("123");
    try (var program = Person.at(nginx())) {
      assertThat(program.status("/checkout", "Authorization", "Bearer " + pass)).isEqualTo(200);
      assertThat(program.status("/checkout", "Authorization", "Bearer x")).isEqualTo(429);
    }
  }

  @Test
  void caddy_fromTheFirstLookToTheLast() throws Exception {
    needs(CADDY);
    try (var caddy = CaddyServer.start(CADDY.path(), configuration("Caddyfile"))) {
      walk(caddy.port(), true);
      forgedPassesAreRefused(caddy.port());
      pathsAreJudged(caddy.port());
    }
  }

  @Test
  void haproxy_fromTheFirstLookToTheLast() throws Exception {
    needs(HAPROXY);
    List<Path> keys = new ArrayList<>();
    try (var http = new HttpConnection(naru.port())) {
      String jwks = http.send("GET", "/.well-known/jwks.json", "").body();
      for (PassKey key : PassKey.parseJwks(jwks).values()) {
        keys.add(Files.writeString(data.resolve(key.id() + ".pem"), key.toPem()));
      }
    }
    String configuration =
        configuration("haproxy.cfg")
            .replace("/etc/haproxy/naru.pem", keys.get(0).toString())
            .replace("/etc/haproxy/naru-next.pem", keys.get(1).toString())
            .replace("gt 20", "gt 2000");
    try (var haproxy = HaproxyServer.start(HAPROXY.path(), configuration)) {
      walk(haproxy.port(), false);
      pathsAreJudged(haproxy.port());
      forgedPassesAreRefused(haproxy.port());
    }
  }

  private static void forgedPassesAreRefused(int port) throws Exception {
    String pass = newPass("123");
    try (var person = Person.at(port)) {
      for (String forged : forgeries(pass)) {
        assertThat(person.status("/checkout", "Cookie", "naru-pass=" + forged)).isEqualTo(429);
      }
      assertThat(person.status("/checkout", "Cookie", "naru-pass=" + pass)).isEqualTo(200);
      String planted = "naru-pass=x; __Host-naru-pass=" + pass;
      assertThat(person.status("/checkout", "Cookie", planted)).isEqualTo(200);
    }
  }

  // --- attacks

  /** What is said on a connection of its own, and what came back; empty if nothing did. */
  private static String say(int port, String request) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(5_000);
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    } catch (SocketTimeoutException e) {
      return "still open";
    } catch (IOException e) {
      return "";
    }
  }

  private static String get(String path) {
    return "GET "
        + path
        + " HTTP/1.1\r\nHost: shop\r\nAccept: text/html\r\nConnection: close\r\n\r\n";
  }

  private static List<String> hostilePaths() {
    return HostilePaths.spellings().stream()
        .map(path -> path.replace("72eservations", "63heckout"))
        .map(path -> path.replace("reservations", "checkout").replace("RESERV", "CHECK"))
        .map(path -> path.replace("CHECKATIONS", "CHECKOUT"))
        .toList();
  }

  /** Attack 9: in whatever spelling, nobody without a pass reaches it. */
  private static void pathsAreJudged(int port) throws IOException {
    shop.forget();
    for (String path : hostilePaths()) {
      String answer = say(port, get(path));
      assertThat(answer).as(path).matches("(?s)(?:HTTP/1\\.1 (?:303|4\\d\\d) .*)?");
    }
    // Caddy makes another path of that one, which nobody reads as this.
    assertThat(shop.heads()).allMatch(head -> head.startsWith("GET /checkout%23x "));
  }

  @Test
  void attack9_pathsInAnySpelling_reachNothing() throws IOException {
    pathsAreJudged(nginx());
  }

  /** Attacks 1 and 9: what a visitor says of themselves, of their address or of the path. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "User-Id: customer-42",
        "Naru-User: customer-42",
        "Naru-Pass-Id: 1",
        "Naru-Site: https",
        "X-Original-URI: /",
        "X-Forwarded-Uri: /",
        "X-Original-URI: /\r\nX-Forwarded-Uri: /",
        "X-Forwarded-Method: GET",
        "Naru-Queue: TIMEDEAL/124",
        "Authorization: Bearer x",
        "Authorization:  /odd%20",
        "Cookie: naru-pass=; __Host-naru-pass=",
        "Connection: close, Cookie"
      })
  void attack1_headersOfAVisitor_openNothing(String headers) throws IOException {
    // A free path that only Naru can judge is kept: it must not be taken for another one.
    say(nginx(), get("/odd%20"));
    shop.forget();
    String request =
        "GET /checkout HTTP/1.1\r\nHost: shop\r\n" + headers + "\r\nConnection: close\r\n\r\n";

    assertThat(say(nginx(), request)).startsWith("HTTP/1.1 429 ");
    assertThat(shop.heads()).isEmpty();
  }

  @Test
  void attack1_nameFromOutside_isNotBelieved() throws Exception {
    try (var customer = Person.at(nginx());
        var thief = Person.at(nginx())) {
      String[] name = {"User-Id", "customer-42", "X-Forwarded-For", "127.0.0.1"};
      assertThat(customer.send("POST", "/queue/TIMEDEAL/123/enter", name).statusCode())
          .isEqualTo(201);
      assertThat(thief.status("/queue/TIMEDEAL/123/status", name)).isEqualTo(404);
      assertThat(thief.send("POST", "/queue/TIMEDEAL/123/leave", name).statusCode()).isEqualTo(404);
    }
  }

  /** Attack 3: however often one browser enters at once, it has one place. */
  @Test
  void attack3_oneVisitorManyTabs_hasOnePlace() throws Exception {
    try (var person = Person.at(nginx());
        var tabs = Executors.newVirtualThreadPerTaskExecutor()) {
      person.send("POST", "/queue/TIMEDEAL/123/enter");
      List<Future<Reply>> answers = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        answers.add(tabs.submit(() -> person.ask("POST", "/queue/TIMEDEAL/123/enter")));
      }
      var tokens = new TreeSet<String>();
      for (Future<Reply> answer : answers) {
        tokens.add(answer.get().field("entryToken"));
      }
      assertThat(tokens).hasSize(1);
    }
  }

  /** The same of streams: the two newest are kept, and older ones are told. */
  @Test
  void attack3_oneVisitorManyStreams_hasTheNewest() throws Exception {
    String stream = "/queue/TIMEDEAL/125/subscribe/" + newPlace();
    var streams = new ArrayList<EventStream>();
    try {
      for (int i = 0; i < 6; i++) {
        streams.add(EventStream.open(nginx(), stream));
        assertThat(streams.getLast().status()).isEqualTo(200);
      }
      for (EventStream older : streams.subList(0, 4)) {
        EventStream.Event told = Objects.requireNonNull(older.next(PATIENCE));
        while (!told.name().equals("reconnect")) {
          told = Objects.requireNonNull(older.next(PATIENCE));
        }
        assertThat(told.data()).isEqualTo("{\"reason\":\"replaced\"}");
      }
      for (EventStream newer : streams.subList(4, 6)) {
        assertThat(newer.next(PATIENCE)).isNotNull();
      }
    } finally {
      streams.forEach(EventStream::close);
    }
  }

  /** The token of somebody new in a line in which nobody moves. */
  private static String newPlace() throws Exception {
    try (var person = Person.at(naru.port())) {
      return person.ask("POST", "/queue/TIMEDEAL/125/enter").field("entryToken");
    }
  }

  /**
   * Attack 12: so many streams for one address, and others have theirs. A listed proxy on this
   * machine, before nginx, says from where they come: those of the machine itself are not counted.
   */
  @Test
  void attack12_streamsOfOneAddress_areFew() throws Exception {
    var open = new ArrayList<Socket>();
    try {
      for (String[] each :
          new String[][] {
            {"203.0.113.7", "200"},
            {"203.0.113.7", "200"},
            {"203.0.113.7", "503"},
            {"203.0.113.8", "200"}
          }) {
        var socket = new Socket(InetAddress.getLoopbackAddress(), nginx());
        open.add(socket);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        String request =
            "GET /queue/TIMEDEAL/125/subscribe/%s HTTP/1.1\r\nHost: shop\r\nX-Forwarded-For: %s\r\n\r\n"
                .formatted(newPlace(), each[0]);
        socket.getOutputStream().write(request.getBytes(ISO_8859_1));
        byte[] begun = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
        assertThat(new String(begun, ISO_8859_1)).isEqualTo("HTTP/1.1 " + each[1]);
      }
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  /** Attack 4: a token that the site did not make for here names nobody. */
  @Test
  void attack4_tokensOfTheSiteThatDoNotCount_areRefused() throws Exception {
    String good = "{\"iss\":\"https://shop.example\",\"aud\":\"naru\",\"sub\":\"ann\",\"exp\":%d}";
    String claims = good.formatted(Instant.now().getEpochSecond() + 300);
    String none = base64("{\"alg\":\"none\"}") + "." + base64(claims) + ".";
    try (var person = Person.at(nginx())) {
      for (String token :
          List.of(
              none,
              signed(claims, "another-secret-of-thirty-two-bytes"),
              signed(claims.replace("shop.example", "evil.example"), SITE_SECRET),
              signed(claims.replace("naru", "another"), SITE_SECRET),
              signed(good.formatted(Instant.now().getEpochSecond() - 300), SITE_SECRET))) {
        Reply answer =
            person.ask("POST", "/queue/TIMEDEAL/125/enter", "Authorization", "Bearer " + token);
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.field("type")).contains("identity-not-trusted");
      }
      String token = signed(claims, SITE_SECRET);
      assertThat(
              person
                  .ask("POST", "/queue/TIMEDEAL/125/enter", "Authorization", "Bearer " + token)
                  .status())
          .isEqualTo(201);
    }
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }

  private static String signed(String claims, String secret) throws GeneralSecurityException {
    String what = base64("{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + base64(claims);
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    byte[] signature = mac.doFinal(what.getBytes(UTF_8));
    return what + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
  }

  /** What Naru answers to whoever enters as no program of ours would. */
  private static Reply entered(String request) throws IOException {
    String[] answer = say(nginx(), request).split("\r\n\r\n", 2);
    int status = Integer.parseInt(answer[0].split(" ", 3)[1]);
    String type =
        answer[0]
            .lines()
            .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-type:"))
            .map(line -> line.substring("content-type:".length()).strip())
            .findFirst()
            .orElse(null);
    OpenApi.shipped().check("POST", "/queue/TIMEDEAL/123/enter", status, type, answer[1]);
    return new Reply(status, answer[1]);
  }

  /** Attacks 4 and 13: what Naru refuses, it refuses behind nginx, or nginx does. */
  @Test
  void attacks4And13_badRequests_areRefused() throws Exception {
    String enter = "POST /queue/TIMEDEAL/123/enter HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n";
    String json = "Content-Type: application/json\r\nContent-Length: ";
    for (String field : List.of("score", "lane", "status")) {
      String body = "{\"%s\":1}".formatted(field);
      Reply answer = entered(enter + json + body.length() + "\r\n\r\n" + body);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.field("field")).isEqualTo(field);
    }
    for (String bomb :
        List.of(
            "{",
            "{}{}",
            "{\"a\":1,\"a\":1}",
            "[".repeat(8_000),
            "{\"a\":1e" + "9".repeat(999) + "}")) {
      Reply answer = entered(enter + json + bomb.length() + "\r\n\r\n" + bomb);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.field("type")).contains("malformed-json");
    }
    String large = "x".repeat(20_000);
    assertThat(say(nginx(), enter + json + large.length() + "\r\n\r\n" + large))
        .startsWith("HTTP/1.1 413 ");
    assertThat(say(nginx(), enter + "X-Large: " + "x".repeat(9_000) + "\r\n\r\n"))
        .matches("(?s)HTTP/1.1 4(?:00|31) .*");
    assertThat(say(nginx(), get("/" + "x".repeat(9_000)))).startsWith("HTTP/1.1 414 ");
    assertThat(say(nginx(), enter + "Content-Encoding: gzip\r\n" + json + "2\r\n\r\n{}"))
        .startsWith("HTTP/1.1 415 ");
  }

  /** Attack 13: what the two sides could read differently must not become a second request. */
  @ParameterizedTest
  @MethodSource("smuggling")
  void attack13_smuggledRequests_reachNothing(String request) throws IOException {
    String answer = say(nginx(), request);

    assertThat(answer).doesNotContain("HTTP/1.1 200");
    assertThat(shop.heads()).noneMatch(head -> head.contains("/checkout"));
  }

  static List<String> smuggling() {
    String second = "GET /checkout/headers HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n";
    String post = "POST /status/404 HTTP/1.1\r\nHost: shop\r\n";
    String length = "Content-Length: " + (second.length() + 5) + "\r\n";
    return List.of(
        post + length + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
        post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + second,
        post + "Content-Length: 5\r\n" + length + "\r\n0\r\n\r\n" + second,
        post + "Transfer-Encoding: xchunked\r\n" + length + "\r\n0\r\n\r\n" + second,
        post + "Transfer-Encoding : chunked\r\n" + length + "\r\n0\r\n\r\n" + second,
        post + "X: y\r\n Transfer-Encoding: chunked\r\n" + length + "\r\n0\r\n\r\n" + second,
        post
            + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
            + second,
        "GET http://other/checkout/headers HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n",
        "GET /checkout/headers HTTP/1.0\r\n\r\n",
        "GET /checkout/headers\r\n\r\n");
  }

  /** Attack 12: who is slow to ask is hung up on (here after a second, in the file after ten). */
  @Test
  void attack12_slowHeadersAndBodies_areClosed() throws IOException {
    for (String begun :
        List.of(
            "GET /checkout HTTP/1.1\r\nHost: shop\r\n",
            "POST /queue/TIMEDEAL/123/enter HTTP/1.1\r\nHost: shop\r\nContent-Length: 9\r\n\r\n{")) {
      assertThat(say(nginx(), begun)).isNotEqualTo("still open");
    }
    assertThat(shop.heads()).isEmpty();
  }

  /** Attack 17: the way back leads nowhere else. */
  @Test
  void attack17_wayBackToElsewhere_isNotGone() throws Exception {
    for (String path : HostilePaths.waysBack()) {
      String answer = say(nginx(), get(path.replace("reservations", "checkout")));
      assertThat(
              answer.lines().filter(line -> line.toLowerCase(Locale.ROOT).startsWith("location:")))
          .as(path)
          .allMatch(
              line -> !line.contains("evil") || line.contains("/wait/TIMEDEAL/123?return=%2F"));
      assertThat(answer).as(path).doesNotContain("return=%2F%2F", "return=%2F%5C");
    }
    for (String back : List.of("//evil.example", "https://evil.example", "javascript:alert(1)")) {
      assertThat(say(nginx(), get("/wait/TIMEDEAL/123?return=" + back)))
          .as(back)
          .startsWith("HTTP/1.1 400 ");
    }
  }

  /** Attack 11: ten a second from one address, and twenty at once; others do not notice. */
  @Test
  void attack11_oneAddress_isLimitedAsTheFileSays() throws Exception {
    needs(NGINX);
    try (var nginx = NginxServer.site(NGINX.path(), configuration("nginx.conf"))) {
      int refused = 0;
      try (var person = Person.at(nginx.port())) {
        for (int i = 0; i < 60; i++) {
          refused += person.status("/queue/TIMEDEAL/123/board") == 429 ? 1 : 0;
        }
        assertThat(person.status("/")).as("what needs no pass is not counted").isEqualTo(200);
      }
      assertThat(refused).isPositive();
      try (var other = Person.from(InetAddress.getByName("127.0.0.9"), nginx.port())) {
        assertThat(other.status("/queue/TIMEDEAL/123/board")).isEqualTo(200);
      }
    }
  }

  // --- sites that verify passes themselves

  private static void shopVerifies(List<String> command, Path folder, int port) throws Exception {
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("NARU", naru.uri().toString());
    builder.environment().put("QUEUE", "TIMEDEAL/123");
    builder.environment().put("PORT", Integer.toString(port));
    builder.redirectOutput(data.resolve(folder.getFileName() + ".log").toFile());
    Process process = builder.start();
    try (var person = Person.at(port)) {
      await().ignoreExceptions().until(() -> person.status("/") == 200);
      assertThat(person.send("GET", "/checkout?a=b", BROWSER).headers().firstValue("Location"))
          .contains(naru.uri() + "/wait/TIMEDEAL/123?return=%2Fcheckout%3Fa%3Db");
      assertThat(person.status("/checkout")).isEqualTo(429);
      String good = newPass("123");
      assertThat(person.send("GET", "/checkout", "Authorization", "Bearer " + good).body())
          .startsWith("Welcome, visitor-");
      assertThat(person.status("/checkout", "Cookie", "a=b; naru-pass=" + good)).isEqualTo(200);
      for (String forged : forgeries(good)) {
        assertThat(person.status("/checkout", "Authorization", "Bearer " + forged)).isEqualTo(429);
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void node_verifiesPassesWithItsOrdinaryLibrary() throws Exception {
    Program node = example("node");
    needs(node);
    Path installed = EXAMPLES.resolve("node/node_modules/jose");
    Path jose = Files.isDirectory(installed) ? installed : Path.of("/usr/share/nodejs/jose");
    needs(
        new Program(
            "NARU_EXAMPLES",
            Optional.of(jose).filter(Files::isDirectory),
            "no jose: npm install, or Debian's node-jose"));
    Path folder = Files.createDirectories(data.resolve("node"));
    for (String file : List.of("shop.js", "package.json")) {
      Files.copy(EXAMPLES.resolve("node").resolve(file), folder.resolve(file));
    }
    Files.createSymbolicLink(
        Files.createDirectories(folder.resolve("node_modules")).resolve("jose"), jose.toRealPath());
    shopVerifies(List.of(node.path().toString(), "shop.js"), folder, freePort());
  }

  @Test
  void php_verifiesPassesWithOpenSsl() throws Exception {
    Program php = example("php");
    needs(php);
    Path folder = EXAMPLES.resolve("php").toAbsolutePath().normalize();
    int port = freePort();
    List<String> server = List.of("-S", "127.0.0.1:" + port, "shop.php");
    List<String> command = new ArrayList<>(List.of(php.path().toString()));
    command.addAll(server);
    shopVerifies(command, folder, port);
  }

  private static Program example(String name) {
    return new Program(
        "NARU_EXAMPLES", Program.find(System.getenv(), "", name), "no " + name + " here");
  }

  /** The manual quotes the files: what it shows is what was run. */
  @Test
  void manual_quotesTheFiles() throws IOException {
    String manual = Files.readString(Path.of("..", "docs", "proxies.md"), UTF_8);
    try (var files = Files.list(EXAMPLES.resolve("proxies"))) {
      for (Path file : files.toList()) {
        assertThat(manual).contains("examples/proxies/" + file.getFileName());
      }
    }
  }
}
