package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.memory.MemoryAccess;
import io.naru.memory.MemoryQueues;
import io.naru.memory.MemoryTrail;
import io.naru.queue.EntryTokens;
import io.naru.queue.HandoffCodes;
import io.naru.queue.Secret;
import io.naru.server.access.AccessKeyring;
import io.naru.server.access.Refusals;
import io.naru.server.access.Sessions;
import io.naru.server.console.FiguresJson;
import io.naru.server.console.Live;
import io.naru.server.doors.Doorkeeper;
import io.naru.server.doors.Proofs;
import io.naru.server.doors.SideDoor;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.Outlooks;
import io.naru.server.entry.Salts;
import io.naru.server.entry.SiteKey;
import io.naru.server.fair.DrawHandlers;
import io.naru.server.http.Route;
import io.naru.server.http.RouteTable;
import io.naru.server.identity.Identity;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.keys.PublicKeyHandlers;
import io.naru.server.keys.SigningKeys;
import io.naru.server.limits.AddressLimits;
import io.naru.server.log.LogHandlers;
import io.naru.server.log.LogKey;
import io.naru.server.metrics.Health;
import io.naru.server.pass.EndedFeeds;
import io.naru.server.pass.EndedHandler;
import io.naru.server.pass.GateHandler;
import io.naru.server.pass.Passes;
import io.naru.server.stream.Streams;
import io.naru.server.webhooks.WebhookHandlers;
import io.naru.server.webhooks.WebhookRules;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every admin route, taken from the table so that new ones are covered, without the key. */
class AdminKeyTest {

  private static final String QUEUE = "TIMEDEAL/1";
  private static final String BODY = "{\"eventType\":\"TIMEDEAL\",\"eventId\":\"1\"}";

  @TempDir private static Path data;
  private static TestServer server;
  private Map<String, @Nullable Object> before = Map.of();

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
    server.activate(QUEUE, "\"maxCapacity\":1").is(201);
    server.enter(QUEUE, "first").is(201);
    await().until(() -> server.status(QUEUE, "first").text("status").equals("ENTERED"));
    server.enter(QUEUE, "second").is(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void look() {
    before = everything();
  }

  @AfterEach
  void nothingMoved() {
    assertThat(everything()).isEqualTo(before);
  }

  private static Map<String, @Nullable Object> everything() {
    var queue = Answer.told(server.queue(QUEUE).is(200).json());
    var figures = new HashMap<>(server.figures(QUEUE));
    figures.remove("longestWaitSeconds");
    queue.put("figures", figures);
    return queue;
  }

  static RouteTable routes() {
    var queues = new MemoryQueues(InstantSource.system());
    var secret = new Secret(new byte[32]);
    var proxies = TrustedProxies.SAME_MACHINE;
    var limits = new AddressLimits(AddressLimits.Newcomers.DEFAULT, proxies, System::nanoTime);
    var tokens = new EntryTokens(secret);
    var keys =
        new SigningKeys(
            new MemoryKeys(), secret, SigningKeys.Policy.DEFAULT, InstantSource.system());
    var passes = new Passes(keys, secret, () -> "http://test", InstantSource.system());
    var salts = new Salts(secret);
    var entries = new EntryJson(tokens, passes, Outlooks.CLEAR, salts);
    var feeds = new EndedFeeds(queues, passes, InstantSource.system());
    var identity = new Identity(proxies, null, null, secret, tokens, false, false, limits);
    return Api.routes(
        queues,
        queues,
        queues,
        identity,
        new Doorkeeper(identity, limits, new SideDoor((_, step) -> step.run(), System::nanoTime)),
        new Proofs(secret, tokens, InstantSource.system(), null),
        tokens,
        new HandoffCodes(secret, InstantSource.system()),
        new Api.PassParts(
            keys,
            passes,
            new PublicKeyHandlers(keys, () -> "http://test", InstantSource.system()),
            new EndedHandler(feeds, keys),
            new GateHandler(passes, feeds, identity::oneAddress, InstantSource.system()),
            new SiteKey("site"),
            InstantSource.system()),
        operators(secret),
        entries,
        new Streams(queues, tokens, entries, proxies, limits, Streams.Limits.DEFAULT),
        new Live(
            queues,
            new FiguresJson(Outlooks.CLEAR, _ -> 0, () -> false, InstantSource.system()),
            _ -> true),
        new Health(),
        limits,
        new LogHandlers(
            queues, queues, tokens, salts, new LogKey(secret, () -> "http://test"), limits),
        (_, _) -> {},
        _ -> {},
        null,
        new DrawHandlers(queues, null, queues, null),
        queues,
        new WebhookHandlers(null, WebhookRules.DEFAULT));
  }

  private static Api.AccessParts operators(Secret secret) {
    var trail = new MemoryTrail(InstantSource.system());
    var keys = new AccessKeyring(new MemoryAccess(trail), TestServer.KEY, InstantSource.system());
    var sessions = new Sessions(secret, keys, false);
    return new Api.AccessParts(keys, sessions, new Refusals(trail), trail);
  }

  static Stream<Route> adminRoutes() {
    return routes().routes().stream().filter(Route::isForOperators);
  }

  @Test
  void routes_underAdmin_areAllForTheOperatorOnly() {
    assertThat(adminRoutes()).hasSizeGreaterThanOrEqualTo(7);
    for (Route route : routes().routes()) {
      assertThat(route.isForOperators())
          .as(route.path())
          .isEqualTo(route.path().startsWith("/admin/"));
    }
  }

  @ParameterizedTest
  @MethodSource("adminRoutes")
  void adminRoute_withoutTheKey_is401(Route route) {
    refused(call(route));
    for (String wrong :
        List.of(
            "Bearer wrong",
            "Bearer " + TestServer.KEY + "x",
            "Bearer " + TestServer.KEY.substring(1),
            "Bearer " + TestServer.KEY.toUpperCase(Locale.ROOT),
            "Bearer",
            "Bearer ",
            "Bearer null",
            "Basic " + TestServer.KEY,
            "Basic OnRoZS1rZXktb2YtdGhlLXRlc3Rz",
            TestServer.KEY,
            "Digest " + TestServer.KEY)) {
      refused(call(route, "Authorization", wrong));
    }
    refused(call(route, "Cookie", "naru=" + TestServer.KEY));
    refused(call(route, "User-Id", "admin"));
    refused(call(route, "X-Admin-Key", TestServer.KEY));
  }

  @ParameterizedTest
  @MethodSource("adminRoutes")
  void adminRoute_keyElsewhere_is401(Route route) {
    refused(
        server
            .client()
            .send(
                route.method().name(),
                path(route) + "?key=" + TestServer.KEY + "&access_token=" + TestServer.KEY,
                BodyPublishers.noBody()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/admin/",
        "/admin/x",
        "/admin/queue",
        "/admin/queue/",
        "/admin/queue/destroy",
        "/admin/queues/",
        "/admin/queues/TIMEDEAL",
        "/admin/queues/TIMEDEAL/1/x",
        "/admin/../health/live"
      })
  void unknownAdminPath_withoutTheKey_is401(String path) {
    for (String method : List.of("GET", "POST", "PUT", "DELETE", "PATCH")) {
      refused(server.client().send(method, path, BodyPublishers.noBody()));
      server.admin(method, path, "").isProblem(404, "not-found");
    }
  }

  @Test
  void wrongMethod_withoutTheKey_is401() {
    refused(server.client().get("/admin/queue/activate"));
    refused(server.client().post("/admin/queues"));
    refused(server.client().send("PATCH", "/admin/queues/" + QUEUE, BodyPublishers.noBody()));
  }

  @Test
  void key_schemeInAnyCase_isTaken() {
    server.client().get("/admin/queues", "Authorization", "bearer " + TestServer.KEY).is(200);
    server.client().get("/admin/queues", "Authorization", "BEARER  " + TestServer.KEY).is(200);
  }

  private static void refused(Answer answer) {
    answer.isProblem(401, "unauthorized");
    assertThat(answer.header("www-authenticate")).isEqualTo("Bearer");
    assertThat(answer.body()).doesNotContain(TestServer.KEY);
  }

  private static Answer call(Route route, String... headers) {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "Content-Type";
    all[headers.length + 1] = "application/json";
    boolean hasBody = route.body() == Route.Body.JSON || route.body() == Route.Body.LONG;
    return server
        .client()
        .send(
            route.method().name(),
            path(route),
            hasBody ? BodyPublishers.ofString(BODY) : BodyPublishers.noBody(),
            all);
  }

  private static String path(Route route) {
    return route
        .path()
        .replace("{delivery}", "msg_0")
        .replace("{type}", "TIMEDEAL")
        .replace("{id}", "1")
        .replace("{user}", "first");
  }
}
