package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.naru.fair.Drand;
import io.naru.fair.Lobby;
import io.naru.fair.Order;
import io.naru.fair.TestChain;
import io.naru.queue.Micros;
import io.naru.server.fair.Coins;
import io.naru.testkit.OpenApi;
import io.naru.testkit.StrictJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From the lobby through the draw to the line, over HTTP; the same on every store that draws. */
abstract class DrawContract {

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final MovableClock clock = new MovableClock();
  private final TestChain chain = new TestChain("tests");
  private final FakeRelay relay = new FakeRelay();
  private final FakeRelay liar = new FakeRelay();
  private final List<TestServer> servers = new ArrayList<>();
  private final String queue = "DRAW/" + NUMBER.incrementAndGet();

  /** The server's store; the same for all servers of a test. */
  abstract Naru.Config store();

  @BeforeEach
  void relays() {
    relay.says(round -> FakeRelay.Said.coin(round, hex(chain.sign(round))));
    liar.says(round -> FakeRelay.Said.coin(round, hex(chain.sign(round + 1))));
  }

  @AfterEach
  void close() {
    servers.forEach(TestServer::close);
    relay.close();
    liar.close();
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private TestServer server(FakeRelay... relays) {
    Naru.Config c = store();
    var coins = new Coins(List.of(relays).stream().map(FakeRelay::url).toList(), chain.drand());
    TestServer server =
        TestServer.start(
            new Naru.Config(
                0,
                c.bind(),
                c.data(),
                c.redis(),
                c.ledger(),
                c.adminKey(),
                c.siteKey(),
                c.visitors(),
                c.watching(),
                Duration.ofMillis(50),
                c.keys(),
                coins,
                c.outside()),
            clock);
    servers.add(server);
    return server;
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
  }

  private void openLobby(TestServer server, String more) {
    Instant now = clock.instant();
    server
        .activate(
            queue,
            "\"lobbyOpensAt\":\"%s\",\"opensAt\":\"%s\",\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600%s"
                .formatted(now.minusSeconds(1), now.plusSeconds(3_600), more))
        .is(201);
  }

  private void opens() {
    clock.advance(Duration.ofSeconds(3_601));
  }

  private List<String> enter(TestServer server, int people) {
    List<String> users = IntStream.range(0, people).mapToObj(i -> "u" + i).toList();
    users.forEach(user -> server.enter(queue, user).is(201));
    return users;
  }

  private Answer draw(TestServer server) {
    return server.client().get("/queue/" + queue + "/draw");
  }

  private void awaitPhase(TestServer server, String phase) {
    soon().until(() -> draw(server).text("phase").equals(phase));
  }

  /** The order that anybody computes from what is published, as when they joined. */
  private List<Long> published(TestServer server) throws Exception {
    Answer draw = draw(server).is(200);
    var lobby = new Lobby();
    for (int part = 0; part < draw.number("parts"); part++) {
      lobby.add(leaves(server, part, "?root=" + draw.text("root")).body());
    }
    byte[] root = HexFormat.of().parseHex(draw.text("root"));
    assertThat(lobby.root()).isEqualTo(root);
    byte[] coin =
        draw.field("randomness") instanceof String randomness
            ? HexFormat.of().parseHex(randomness)
            : new byte[0];
    Order order =
        Order.of(lobby, Order.key(HexFormat.of().parseHex(draw.text("seed")), root, coin));
    return IntStream.range(0, order.count()).mapToObj(order::joinedAt).toList();
  }

  private HttpResponse<byte[]> leaves(TestServer server, int part, String query)
      throws IOException, InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(
                  URI.create(
                      "http://127.0.0.1:%d/queue/%s/draw/leaves/%d%s"
                          .formatted(server.port(), queue, part, query)))
              .build(),
          HttpResponse.BodyHandlers.ofByteArray());
    }
  }

  private static long joined(Answer entry) {
    return Micros.of(Instant.parse(entry.text("joinedAt")));
  }

  // --- the lobby

  @Test
  void lobby_nobodyHasAPlace_andAskingAgainChangesNothing() {
    TestServer server = server();
    openLobby(server, "");

    Answer entered = server.enter(queue, "ann").is(201);
    server.enter(queue, "bob").is(201);
    Map<String, @Nullable Object> again = server.enter(queue, "ann").object("entry");

    assertThat(entered.text("status")).isEqualTo("LOBBY");
    assertThat(entered.json())
        .doesNotContainKeys(
            "position", "ahead", "behind", "totalWaiting", "estimatedWaitSeconds", "wait")
        .containsKey("opensAt");
    assertThat(entered.object("draw"))
        .containsEntry("kind", "SEED")
        .containsEntry("phase", "LOBBY");
    assertThat(again)
        .containsEntry("status", "LOBBY")
        .containsEntry("joinedAt", entered.text("joinedAt"));
    Answer status = server.status(queue, "ann").is(200);
    assertThat(status.text("status")).isEqualTo("LOBBY");
    assertThat(status.header("retry-after")).isEqualTo("15");
    Answer board = server.client().get("/queue/" + queue + "/board").is(200);
    assertThat(board.object("draw")).containsEntry("phase", "LOBBY").containsEntry("people", 2);
    assertThat(board.json()).containsKey("opensAt");
  }

  @Test
  void draw_beforeTheOpening_showsCommitmentsAndNothingElse() {
    TestServer server = server();
    openLobby(server, ",\"draw\":\"COIN\"");

    Answer draw = draw(server).is(200);

    assertThat(draw.json().keySet())
        .containsExactlyInAnyOrder(
            "eventType",
            "eventId",
            "number",
            "kind",
            "phase",
            "commitment",
            "windowCommitment",
            "chain");
    assertThat(draw.header("cache-control")).startsWith("public, max-age=1,");
    assertThat(draw.header("access-control-allow-origin")).isEqualTo("*");
    server.client().get("/queue/" + queue + "/draw/leaves/0").isProblem(404, "no-leaves");
  }

  @Test
  void draw_whereThereIsNone_isNotFound() {
    TestServer server = server();
    server.activate(queue, "").is(201);

    draw(server).isProblem(404, "no-draw");
    server.client().get("/queue/" + queue + "x/draw").isProblem(404, "S801");
    server.client().get("/queue/" + queue + "/draw/leaves/x").isInvalid("part");
  }

  // --- drawn by the seed

  @Test
  void seed_everybodyStandsWhereThePublishedSeedPutsThem() throws Exception {
    TestServer server = server();
    openLobby(server, "");
    List<String> users = enter(server, 60);
    String committed = draw(server).text("commitment");
    opens();
    awaitPhase(server, "DONE");

    Answer draw = draw(server);
    assertThat(draw.number("count")).isEqualTo(60);
    assertThat(hex(sha256(HexFormat.of().parseHex(draw.text("seed"))))).isEqualTo(committed);
    assertDrawn(server, users);
  }

  /** That everybody stands where what is published puts them; the first one is inside. */
  private void assertDrawn(TestServer server, List<String> users) throws Exception {
    List<Long> order = published(server);
    Map<Long, Long> places = new HashMap<>();
    int inside = 0;
    for (String user : users) {
      Answer status = server.status(queue, user).is(200);
      if (status.text("status").equals("ENTERED")) {
        inside++;
        assertThat(joined(status)).as("the first of the order").isEqualTo(order.getFirst());
      } else {
        places.put(joined(status), status.number("position"));
      }
    }
    assertThat(inside).isEqualTo(1);
    for (int rank = 1; rank < order.size(); rank++) {
      assertThat(places.get(order.get(rank))).as("place of rank %d", rank).isEqualTo(rank);
    }
  }

  @Test
  void seed_whoComesAfterTheOpening_standsBehindAllWhoAreDrawn() {
    TestServer server = server();
    openLobby(server, "");
    enter(server, 20);
    opens();
    Answer late = server.enter(queue, "late").is(201);
    Answer later = server.enter(queue, "later").is(201);

    awaitPhase(server, "DONE");

    assertThat(late.text("status")).isEqualTo("WAITING");
    soon()
        .untilAsserted(
            () -> {
              assertThat(server.status(queue, "late").number("position")).isEqualTo(20);
              assertThat(server.status(queue, "later").number("position")).isEqualTo(21);
            });
    assertThat(later.text("status")).isEqualTo("WAITING");
  }

  @Test
  void leaves_ofThisRoot_mayBeKeptForGood() throws Exception {
    TestServer server = server();
    openLobby(server, "");
    enter(server, 3);
    opens();
    awaitPhase(server, "DONE");

    String root = draw(server).text("root");
    HttpResponse<byte[]> named = leaves(server, 0, "?root=" + root);
    HttpResponse<byte[]> unnamed = leaves(server, 0, "");

    assertThat(named.body()).hasSize(3 * Lobby.PERSON).isEqualTo(unnamed.body());
    assertThat(named.headers().firstValue("cache-control"))
        .contains("public, max-age=31536000, immutable");
    assertThat(unnamed.headers().firstValue("cache-control").orElseThrow())
        .startsWith("public, max-age=1,");
    assertThat(leaves(server, 1, "").statusCode()).isEqualTo(404);
    assertThat(leaves(server, 0, "?root=" + "0".repeat(64)).statusCode())
        .as("of another draw")
        .isEqualTo(404);
  }

  @Test
  void stream_isToldEachPhase_andThenThePlace() throws Exception {
    TestServer server = server(relay);
    openLobby(server, ",\"draw\":\"COIN\",\"notBefore\":\"2090-01-01T00:00:00Z\"");
    enter(server, 9);
    Answer entered = server.enter(queue, "watcher").is(201);
    try (var http = HttpClient.newHttpClient();
        var lines =
            new BufferedReader(
                new InputStreamReader(
                    http.send(
                            HttpRequest.newBuilder(
                                    URI.create(
                                        "http://127.0.0.1:%d/queue/%s/subscribe/%s"
                                            .formatted(
                                                server.port(), queue, entered.text("entryToken"))))
                                .build(),
                            HttpResponse.BodyHandlers.ofInputStream())
                        .body(),
                    UTF_8))) {
      awaitEntry(lines, entry -> phaseOf(entry).equals("LOBBY"));
      opens();
      Map<String, @Nullable Object> waiting =
          awaitEntry(lines, entry -> phaseOf(entry).equals("CLOSED") && hasRound(entry));
      assertThat(waiting).containsEntry("status", "LOBBY").doesNotContainKey("position");
      clock.advance(Duration.ofSeconds(14));
      Map<String, @Nullable Object> placed =
          awaitEntry(lines, entry -> entry.containsKey("position"));
      assertThat(placed).containsEntry("status", "WAITING");
    }
  }

  private interface Wanted {
    boolean is(Map<String, @Nullable Object> entry);
  }

  private static Map<String, @Nullable Object> awaitEntry(BufferedReader lines, Wanted wanted)
      throws IOException {
    String event = "";
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("event: ")) {
        event = line.substring(7);
      } else if (line.startsWith("data: ") && event.equals("queue-status")) {
        OpenApi.shipped().checkMessage(event, line.substring(6));
        Map<String, @Nullable Object> entry = StrictJson.object(line.substring(6));
        if (wanted.is(entry)) {
          return entry;
        }
      }
    }
    throw new AssertionError("the stream ended before");
  }

  private static String phaseOf(Map<String, @Nullable Object> entry) {
    return entry.get("draw") instanceof Map<?, ?> draw ? String.valueOf(draw.get("phase")) : "";
  }

  private static boolean hasRound(Map<String, @Nullable Object> entry) {
    return entry.get("draw") instanceof Map<?, ?> draw && draw.containsKey("round");
  }

  // --- drawn with a coin

  /** Up to where only the coin is missing. */
  private Answer awaitSealed(TestServer server) {
    opens();
    soon().until(() -> draw(server).json().containsKey("round"));
    return draw(server);
  }

  @Test
  void coin_isFetchedVerifiedAndDecides() throws Exception {
    TestServer server = server(relay);
    openLobby(server, ",\"draw\":\"COIN\"");
    List<String> users = enter(server, 20);
    Answer waiting = awaitSealed(server);
    long round = waiting.number("round");
    assertThat(waiting.text("phase")).isEqualTo("CLOSED");
    assertThat(waiting.json()).doesNotContainKeys("seed", "signature");
    assertThat(Instant.parse(waiting.text("coinAt")))
        .isAfterOrEqualTo(Instant.parse(waiting.text("sealedAt")).plusSeconds(10));
    assertThat(server.status(queue, "u0").json())
        .containsEntry("status", "LOBBY")
        .doesNotContainKey("position");

    clock.advance(Duration.ofSeconds(14));
    awaitPhase(server, "DONE");

    Answer draw = draw(server);
    assertThat(draw.text("signature")).isEqualTo(hex(chain.sign(round)));
    assertThat(HexFormat.of().parseHex(draw.text("randomness")))
        .isEqualTo(Drand.randomness(chain.sign(round)));
    assertDrawn(server, users);
    assertThat(relay.asked())
        .contains("/" + chain.drand().chain() + "/public/" + round)
        .as("nobody asks for what cannot be there yet")
        .allMatch(path -> path.endsWith("/" + round));
  }

  @Test
  void coin_ofARelayThatLies_isPassedOver() {
    TestServer server = server(liar, relay);
    openLobby(server, ",\"draw\":\"COIN\"");
    enter(server, 5);
    Answer waiting = awaitSealed(server);
    clock.advance(Duration.ofSeconds(14));
    awaitPhase(server, "DONE");

    assertThat(draw(server).text("signature")).isEqualTo(hex(chain.sign(waiting.number("round"))));
  }

  @Test
  void coin_liesAlone_drawNothing() {
    TestServer server = server(liar);
    liar.says(
        round ->
            switch (liar.asked().size() % 5) {
              case 0 -> FakeRelay.Said.coin(round, hex(chain.sign(round + 1)));
              case 1 -> FakeRelay.Said.coin(round + 1, hex(chain.sign(round + 1)));
              case 2 -> new FakeRelay.Said(302, relay.url() + "/x/public/" + round);
              case 3 -> new FakeRelay.Said(200, "not json");
              default -> new FakeRelay.Said(200, "{\"x\":\"" + "y".repeat(20_000) + "\"}");
            });
    openLobby(server, ",\"draw\":\"COIN\"");
    enter(server, 5);
    awaitSealed(server);
    clock.advance(Duration.ofSeconds(14));

    for (int i = 1; i <= 6; i++) {
      int times = i;
      clock.advance(Duration.ofSeconds(6));
      soon().until(() -> liar.asked().size() >= times);
    }

    assertThat(draw(server).text("phase")).isEqualTo("CLOSED");
    assertThat(relay.asked()).as("no redirect is followed").isEmpty();
    assertThat(server.status(queue, "u1").text("status")).isEqualTo("LOBBY");
    assertThat(health(server)).contains("waits for the coin");
    assertThat(metrics(server)).contains("naru_draws_waiting_for_coin 1");
  }

  @Test
  void coin_thatIsLate_isWaitedFor() {
    relay.says(_ -> FakeRelay.Said.NOTHING);
    TestServer server = server(relay);
    openLobby(server, ",\"draw\":\"COIN\"");
    enter(server, 5);
    awaitSealed(server);
    clock.advance(Duration.ofSeconds(60));
    soon().until(() -> !relay.asked().isEmpty());
    soon().until(() -> health(server).contains("was due at"));
    assertThat(draw(server).text("phase")).isEqualTo("CLOSED");

    relay.says(round -> FakeRelay.Said.coin(round, hex(chain.sign(round))));
    clock.advance(Duration.ofSeconds(6));

    awaitPhase(server, "DONE");
    soon().until(() -> !health(server).contains("coin"));
  }

  private static String health(TestServer server) {
    try (var client = new Client(server.managementPort())) {
      return client.get("/health").body();
    }
  }

  private static String metrics(TestServer server) {
    try (var client = new Client(server.managementPort())) {
      return client.get("/metrics").body();
    }
  }

  // --- by hand

  private Answer bring(TestServer server, long round, String signature) {
    return server.admin(
        "POST",
        "/admin/queue/draw",
        TestServer.named(queue, "\"round\":%d,\"signature\":\"%s\"".formatted(round, signature)));
  }

  @Test
  void byHand_theRightCoin_isVerifiedAndDrawn() {
    TestServer server = server();
    openLobby(server, ",\"draw\":\"COIN\"");
    enter(server, 5);
    long round = awaitSealed(server).number("round");
    String signature = hex(chain.sign(round));

    Answer drawn = bring(server, round, signature).is(200);

    assertThat(drawn.text("signature")).isEqualTo(signature);
    awaitPhase(server, "DONE");
    bring(server, round, signature).is(200);
    assertThat(server.admin("GET", "/admin/queues/" + queue + "/audit", "").body())
        .contains("\"draw\"", signature);
  }

  @Test
  void byHand_anythingElse_isRefusedWithFieldAndReason() {
    TestServer server = server();
    openLobby(server, ",\"draw\":\"COIN\"");
    enter(server, 5);
    bring(server, 1_000, hex(chain.sign(1_000))).isInvalid("round");

    long round = awaitSealed(server).number("round");
    String signature = hex(chain.sign(round));

    bring(server, round + 1, hex(chain.sign(round + 1))).isInvalid("round");
    bring(server, round, hex(chain.sign(round + 1))).isInvalid("signature");
    bring(server, round, hex(new TestChain("another").sign(round))).isInvalid("signature");
    bring(server, round, "00").isInvalid("signature");
    bring(server, round, "").isInvalid("signature");
    bring(server, 0, signature).isInvalid("round");
    server
        .admin("POST", "/admin/queue/draw", TestServer.named(queue, "\"round\":1"))
        .isInvalid("signature");
    server
        .admin(
            "POST",
            "/admin/queue/draw",
            TestServer.named(queue, "\"round\":1,\"signature\":\"\",\"seed\":\"1\""))
        .isInvalid("seed");
    assertThat(draw(server).text("phase")).as("no change").isEqualTo("CLOSED");
    server
        .client()
        .post("/admin/queue/draw", "Content-Type", "application/json")
        .isProblem(401, "unauthorized");
  }

  @Test
  void byHand_toTheSeed_drawsWithoutTheCoinAndSaysSo() {
    TestServer server = server();
    openLobby(server, ",\"draw\":\"COIN\"");
    enter(server, 5);
    awaitSealed(server);

    server.admin("PUT", "/admin/queues/" + queue, "{\"draw\":\"SEED\"}").is(200);

    awaitPhase(server, "DONE");
    assertThat(draw(server).text("kind")).isEqualTo("SEED");
    assertThat(draw(server).json()).doesNotContainKey("signature");
  }

  // --- when a server is gone

  @Test
  void draw_whoseServerIsGone_goesOnElsewhereWhenNothingMoves() throws Exception {
    assumeTrue(store().ledger() != null, "nothing outlives a server");
    TestServer first = server();
    openLobby(first, ",\"draw\":\"COIN\"");
    List<String> users = enter(first, 20);
    String root = awaitSealed(first).text("root");
    servers.remove(first);
    first.close();
    TestServer second = server();

    // Drawn by nobody's hand: no server has begun to make the line.
    second.admin("PUT", "/admin/queues/" + queue, "{\"draw\":\"SEED\"}").is(200);
    soon().until(() -> second.status(queue, "u0").json().containsKey("position"));
    assertThat(draw(second).number("settled")).as("others may be at it").isZero();
    assertThat(second.status(queue, "u1").json())
        .as("but places are known")
        .containsKey("position");

    soon()
        .until(
            () -> {
              clock.advance(Duration.ofSeconds(1));
              return draw(second).text("phase").equals("DONE");
            });
    assertThat(draw(second).text("root")).isEqualTo(root);
    soon().untilAsserted(() -> assertDrawn(second, users));
  }

  // --- places at once

  @Test
  void places_whileTheLineIsBeingMade_neverRiseAndAreInTheEndThose() {
    TestServer server = server();
    openLobby(server, "");
    List<String> users = enter(server, 40);
    Map<String, Long> last = new HashMap<>();
    opens();

    soon()
        .until(
            () -> {
              boolean isDone = draw(server).text("phase").equals("DONE");
              for (String user : users) {
                Answer status = server.status(queue, user);
                if (status.field("position") instanceof Integer position) {
                  Long before = last.put(user, position.longValue());
                  assertThat(before == null || before >= position)
                      .as("%s was told %s, then %d", user, before, position)
                      .isTrue();
                }
              }
              return isDone;
            });

    assertThat(Objects.requireNonNull(last.values()).stream().distinct().count())
        .isGreaterThanOrEqualTo(39);
  }

  private static byte[] sha256(byte[] bytes) throws Exception {
    return java.security.MessageDigest.getInstance("SHA-256").digest(bytes);
  }
}
