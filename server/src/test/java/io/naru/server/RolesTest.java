package io.naru.server;

import static java.util.Map.entry;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.access.Role;
import io.naru.server.http.Route;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may do what: every route for operators, with a key of every role, and of another queue. */
class RolesTest {

  /** The least role of every route. A new route has no place here until somebody gives it one. */
  private static final Map<String, Role> LEAST =
      Map.ofEntries(
          entry("GET /admin/queues", Role.VIEWER),
          entry("GET /admin/queues/{type}/{id}", Role.VIEWER),
          entry("GET /admin/queues/{type}/{id}/live", Role.VIEWER),
          entry("GET /admin/queues/{type}/{id}/audit", Role.VIEWER),
          entry("GET /admin/queues/{type}/{id}/statistics", Role.VIEWER),
          entry("GET /admin/queues/{type}/{id}/timeline", Role.VIEWER),
          entry("GET /admin/queues/{type}/{id}/rate", Role.VIEWER),
          entry("POST /admin/queue/signal", Role.SIGNAL),
          entry("GET /admin/queues/{type}/{id}/people", Role.VIEWER),
          entry("GET /admin/queues/{type}/{id}/people/{user}", Role.VIEWER),
          entry("POST /admin/queues/{type}/{id}/people/{user}/remove", Role.OPERATOR),
          entry("POST /admin/queues/{type}/{id}/people/{user}/revoke", Role.OPERATOR),
          entry("DELETE /admin/queues/{type}/{id}/people/{user}", Role.ADMIN),
          entry("POST /admin/queues/{type}/{id}/check", Role.OPERATOR),
          entry("GET /admin/queues/{type}/{id}/export", Role.ADMIN),
          entry("POST /admin/queues/{type}/{id}/import", Role.ADMIN),
          entry("GET /admin/audit", Role.ADMIN),
          entry("PUT /admin/queues/{type}/{id}", Role.OPERATOR),
          entry("DELETE /admin/queues/{type}/{id}", Role.ADMIN),
          entry("POST /admin/queue/activate", Role.OPERATOR),
          entry("POST /admin/queue/deactivate", Role.OPERATOR),
          entry("POST /admin/queue/pause", Role.OPERATOR),
          entry("POST /admin/queue/resume", Role.OPERATOR),
          entry("POST /admin/queue/close", Role.OPERATOR),
          entry("POST /admin/queue/open", Role.OPERATOR),
          entry("POST /admin/queue/end", Role.OPERATOR),
          entry("POST /admin/queue/process", Role.OPERATOR),
          entry("POST /admin/queue/stock", Role.SIGNAL),
          entry("POST /admin/queue/codes", Role.OPERATOR),
          entry("POST /admin/queue/move", Role.OPERATOR),
          entry("POST /admin/queue/draw", Role.OPERATOR),
          entry("POST /admin/passes/revoke", Role.OPERATOR),
          entry("GET /admin/keys", Role.ADMIN),
          entry("POST /admin/keys/rotate", Role.ADMIN),
          entry("POST /admin/keys/revoke", Role.ADMIN),
          entry("GET /admin/access-keys", Role.ADMIN),
          entry("POST /admin/access-keys", Role.ADMIN),
          entry("DELETE /admin/access-keys/{id}", Role.ADMIN),
          entry("GET /admin/webhooks", Role.OPERATOR),
          entry("POST /admin/webhooks", Role.ADMIN),
          entry("GET /admin/webhooks/{id}", Role.OPERATOR),
          entry("PUT /admin/webhooks/{id}", Role.ADMIN),
          entry("DELETE /admin/webhooks/{id}", Role.ADMIN),
          entry("POST /admin/webhooks/{id}/rotate", Role.ADMIN),
          entry("POST /admin/webhooks/{id}/test", Role.OPERATOR),
          entry("POST /admin/webhooks/{id}/replay", Role.OPERATOR),
          entry("GET /admin/webhooks/{id}/deliveries", Role.OPERATOR),
          entry("GET /admin/webhooks/{id}/deliveries/{delivery}", Role.OPERATOR),
          entry("POST /admin/webhooks/{id}/deliveries/{delivery}/replay", Role.OPERATOR));

  private static final String QUEUE = "SALE/1";
  private static final String OTHER = "OTHER/1";

  @TempDir private static Path data;
  private static TestServer server;
  private final List<String> refused = new ArrayList<>();
  private static final Map<String, String> names = new HashMap<>();
  private static final Map<Role, String> keys = new EnumMap<>(Role.class);
  private static final Map<Role, String> keysOfOther = new EnumMap<>(Role.class);

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
    for (String queue : new String[] {QUEUE, OTHER}) {
      server.activate(queue, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
      server.enter(queue, "ann").is(201);
      server.enter(queue, "ben").is(201);
    }
    for (Role role : Role.values()) {
      keys.put(role, key(role.word() + "-of-all", role, ""));
      keysOfOther.put(role, key(role.word() + "-of-other", role, "\"queues\":[\"OTHER/1\"]"));
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String key(String name, Role role, String more) {
    String fields = "\"name\":\"%s\",\"role\":\"%s\"".formatted(name, role.word());
    String body = "{" + fields + (more.isEmpty() ? "" : "," + more) + "}";
    String key = server.admin("POST", "/admin/access-keys", body).is(201).text("key");
    names.put(key, name);
    return key;
  }

  static Stream<Route> routes() {
    return AdminKeyTest.adminRoutes();
  }

  private static Role least(Route route) {
    return requireNonNull(LEAST.get(name(route)), name(route));
  }

  private static String ofAll(Role role) {
    return requireNonNull(keys.get(role));
  }

  private static String ofOther(Role role) {
    return requireNonNull(keysOfOther.get(role));
  }

  private static String name(Route route) {
    return route.method().name() + " " + route.path();
  }

  @Test
  void everyRoute_hasItsRole() {
    assertThat(routes().map(RolesTest::name)).containsExactlyInAnyOrderElementsOf(LEAST.keySet());
  }

  @ParameterizedTest
  @MethodSource("routes")
  void route_withEachRole_isAllowedFromItsLeastOn(Route route) {
    Role least = least(route);
    for (Role role : Role.values()) {
      if (role.includes(least)) {
        // Of a queue that is not there, so that nothing comes of it.
        Answer answer = call(route, ofAll(role), "SALE/none");
        assertThat(answer.status()).as("%s as %s", name(route), role).isNotIn(401, 405);
        if (answer.status() == 403) {
          // To make a queue takes more than to change one.
          assertThat(answer.text("detail")).startsWith("making a queue");
          assertThat(role).isEqualTo(Role.OPERATOR);
        }
      } else {
        refused(route, ofAll(role), "role-needed");
      }
    }
    server.admin("DELETE", "/admin/queues/SALE/none?confirm=SALE/none", "");
  }

  @ParameterizedTest
  @MethodSource("routes")
  void route_withAKeyOfAnotherQueue_isNotItsOwn(Route route) {
    for (Role role : Role.values()) {
      String key = ofOther(role);
      if (!role.includes(least(route))) {
        refused(route, key, "role-needed");
      } else if (route.about() == Route.About.SEEN) {
        assertThat(call(route, key, QUEUE).is(200).body()).contains("OTHER").doesNotContain("SALE");
      } else {
        refused(route, key, "queue-not-yours");
      }
    }
  }

  /** Its own queue it may have, with the same calls. */
  @Test
  void keyOfAQueue_opensThatOne() {
    String key = ofOther(Role.OPERATOR);

    send("GET", "/admin/queues/" + OTHER, "", key).is(200);
    send("PUT", "/admin/queues/" + OTHER, "{\"title\":\"Theirs\"}", key).is(200);
    send("POST", "/admin/queue/process", TestServer.named(OTHER, "\"count\":1"), key).is(200);
    assertThat(server.queue(OTHER).text("title")).isEqualTo("Theirs");
  }

  /** Whatever a viewer's key is used for: it shows, and that is all. */
  @Test
  void stolenViewerKey_changesNothing() {
    Map<String, @Nullable Object> before = everything();

    routes()
        .filter(route -> !route.method().name().equals("GET"))
        .forEach(route -> refused(route, ofAll(Role.VIEWER), "role-needed"));

    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void operator_changesQueuesAndMakesNone() {
    String key = ofAll(Role.OPERATOR);

    for (String queue : new String[] {"SALE/new", "NEW/1"}) {
      send("PUT", "/admin/queues/" + queue, "{}", key).isProblem(403, "role-needed");
      send("POST", "/admin/queue/activate", TestServer.named(queue, ""), key)
          .isProblem(403, "role-needed");
      server.queue(queue).isProblem(404, "S801");
    }
    send("PUT", "/admin/queues/SALE/new", "{}", key, "If-Match", "\"1\"").isProblem(404, "S801");
    send("PUT", "/admin/queues/SALE/1", "{\"message\":\"Soon\"}", key).is(200);
  }

  private void refused(Route route, String key, String code) {
    Map<String, @Nullable Object> before = everything();
    Answer answer = call(route, key, QUEUE).isProblem(403, code);
    assertThat(answer.body()).doesNotContain("ann", key);
    assertThat(everything()).as(name(route)).isEqualTo(before);
    refused.add(names.get(key) + " 127.0.0.1 REFUSED " + name(route));
  }

  /** Once a minute for each key and call, so each may have been there before. */
  @AfterEach
  void refusals_areInTheAudit() {
    await()
        .pollDelay(Duration.ZERO)
        .untilAsserted(() -> assertThat(refusals()).containsAll(refused));
  }

  private static List<String> refusals() {
    Object rows = server.admin("GET", "/admin/audit?limit=1000", "").is(200).field("audit");
    return ((List<?>) requireNonNull(rows))
        .stream()
            .map(row -> (Map<?, ?>) row)
            .filter(row -> "refused".equals(row.get("act")))
            .map(
                row ->
                    row.get("who") + " " + row.get("from") + " " + row.get("outcome") + call(row))
            .toList();
  }

  private static String call(Map<?, ?> row) {
    return row.get("after") instanceof Map<?, ?> told ? " " + told.get("call") : "";
  }

  private static Map<String, @Nullable Object> everything() {
    var queue = Answer.told(server.queue(QUEUE).is(200).json());
    var figures = new HashMap<>(server.figures(QUEUE));
    figures.remove("longestWaitSeconds");
    queue.put("figures", figures);
    queue.put("keys", server.admin("GET", "/admin/keys", "").is(200).body());
    queue.put(
        "queues", server.admin("GET", "/admin/queues", "").is(200).body().split("eventId").length);
    return queue;
  }

  private static Answer call(Route route, String key, String queue) {
    String[] name = queue.split("/", 2);
    String path =
        route.path().startsWith("/admin/queues/")
            ? route
                .path()
                .replace("{type}", name[0])
                .replace("{id}", name[1])
                .replace("{user}", "ann")
            : route.path().replace("{id}", "0123").replace("{delivery}", "msg_0");
    String body =
        route.body() != Route.Body.JSON && route.body() != Route.Body.LONG
            ? ""
            : route.about() == Route.About.BODY ? TestServer.named(queue, "") : "{}";
    return send(route.method().name(), path, body, key);
  }

  private static Answer send(
      String method, String path, String body, String key, String... headers) {
    return server.with(key, method, path, body, headers);
  }
}
