package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Access keys and console sessions, as people and browsers use them. */
class AccessTest {

  private static final String PATH = "/admin/access-keys";
  private static final String SESSION = "/console/session";
  private static final AtomicInteger NAMES = new AtomicInteger();

  @TempDir private static Path data;
  private static final MovableClock clock = new MovableClock();
  private static TestServer server;

  private final String name = "desk-" + NAMES.incrementAndGet();

  @BeforeAll
  static void start() {
    server = TestServer.start(TestServer.config(data, null), clock);
    server.activate("SALE/1", "").is(201);
    server.activate("CONCERT/1", "").is(201);
    server.activate("CONCERT/0", "").is(201);
    server.activate("CONCERT/zz", "").is(201);
    server.activate("CONCERTS/1", "").is(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Answer add(String fields) {
    return server.admin("POST", PATH, "{" + fields + "}");
  }

  private Answer made(String role, String more) {
    return add("\"name\":\"" + name + "\",\"role\":\"" + role + "\"" + more).is(201);
  }

  private static Answer revoke(String id) {
    return server.admin("DELETE", PATH + "/" + id, "");
  }

  private static String inAnHour() {
    return clock.instant().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  // --- keys

  @Test
  void add_showsTheKeyOnce() {
    Answer made = made("operator", ",\"queues\":[\"SALE/1\"],\"expiresAt\":\"" + inAnHour() + "\"");

    assertThat(made.text("key")).matches("naru_[A-Za-z0-9_-]{43}");
    assertThat(made.header("cache-control")).isEqualTo("no-store");
    assertThat(made.json())
        .containsEntry("name", name)
        .containsEntry("role", "operator")
        .containsEntry("queues", List.of("SALE/1"))
        .containsEntry("createdBy", "admin")
        .containsEntry("lastUsedAt", null)
        .containsEntry("revokedAt", null);
    Answer list = server.admin("GET", PATH + "?limit=1000", "").is(200);
    assertThat(list.body()).contains(made.text("id"), name).doesNotContain(made.text("key"));
    revoke(made.text("id"));
  }

  @Test
  void key_works_untilItIsRevoked() {
    Answer made = made("viewer", "");
    String key = made.text("key");
    server.with(key, "GET", "/admin/queues/SALE/1", "").is(200);

    assertThat(revoke(made.text("id")).status()).isEqualTo(204);

    server.with(key, "GET", "/admin/queues/SALE/1", "").isProblem(401, "unauthorized");
    assertThat(revoke(made.text("id")).status()).as("again").isEqualTo(204);
    revoke("0000").isProblem(404, "access-key-not-found");
    revoke("%2e%2e").isProblem(404, "access-key-not-found");
  }

  @Test
  void key_works_untilItExpires() {
    Answer made = made("viewer", ",\"expiresAt\":\"" + inAnHour() + "\"");
    String session = cookie(begin(made.text("key")).is(200));
    server.with(made.text("key"), "GET", "/admin/queues", "").is(200);

    clock.advance(Duration.ofMinutes(61));

    server.with(made.text("key"), "GET", "/admin/queues", "").isProblem(401, "unauthorized");
    server.client().get(SESSION, "Cookie", session).isProblem(401, "unauthorized");
    begin(made.text("key")).isProblem(401, "unauthorized");
    revoke(made.text("id"));
  }

  @Test
  void key_used_isSeenToTheMinute() {
    Answer made = made("viewer", "");
    assertThat(shown(made.text("id")).get("lastUsedAt")).isNull();

    server.with(made.text("key"), "GET", "/admin/queues", "").is(200);

    await().until(() -> shown(made.text("id")).get("lastUsedAt") != null);
    revoke(made.text("id"));
  }

  private static Map<?, ?> shown(String id) {
    Object all = server.admin("GET", PATH + "?limit=1000", "").is(200).field("accessKeys");
    return ((List<?>) requireNonNull(all))
        .stream()
            .map(each -> (Map<?, ?>) each)
            .filter(each -> id.equals(each.get("id")))
            .findFirst()
            .orElseThrow();
  }

  @Test
  void name_ofAnotherKey_isTaken() {
    Answer first = made("viewer", "");

    add("\"name\":\"" + name + "\",\"role\":\"admin\"").isProblem(409, "name-taken");
    revoke(first.text("id"));

    revoke(made("viewer", "").text("id"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"role\":\"viewer\"",
        "\"name\":\"\",\"role\":\"viewer\"",
        "\"name\":\"admin\",\"role\":\"viewer\"",
        "\"name\":\"Admin\",\"role\":\"viewer\"",
        "\"name\":\"a\\nb\",\"role\":\"viewer\"",
        "\"name\":\"<b>\",\"role\":\"viewer\"",
        "\"name\":5,\"role\":\"viewer\"",
        "\"name\":[\"x\"],\"role\":\"viewer\"",
        "\"name\":\"x\"",
        "\"name\":\"x\",\"role\":\"root\"",
        "\"name\":\"x\",\"role\":\"ADMIN\"",
        "\"name\":\"x\",\"role\":null",
        "\"name\":\"x\",\"role\":\"viewer\",\"queues\":[]",
        "\"name\":\"x\",\"role\":\"viewer\",\"queues\":\"SALE/1\"",
        "\"name\":\"x\",\"role\":\"viewer\",\"queues\":[1]",
        "\"name\":\"x\",\"role\":\"viewer\",\"queues\":[null]",
        "\"name\":\"x\",\"role\":\"viewer\",\"queues\":[[\"SALE/1\"]]",
        "\"name\":\"x\",\"role\":\"viewer\",\"queues\":[\"SALE\"]",
        "\"name\":\"x\",\"role\":\"viewer\",\"expiresAt\":\"2020-01-01T00:00:00Z\"",
        "\"name\":\"x\",\"role\":\"viewer\",\"expiresAt\":\"9999-01-01T00:00:00Z\"",
        "\"name\":\"x\",\"role\":\"viewer\",\"expiresAt\":\"-300000-01-01T00:00:00Z\"",
        "\"name\":\"x\",\"role\":\"viewer\",\"expiresAt\":\"+300000-01-01T00:00:00Z\"",
        "\"name\":\"x\",\"role\":\"viewer\",\"expiresAt\":\"tomorrow\"",
        "\"name\":\"x\",\"role\":\"viewer\",\"expiresAt\":99",
        "\"name\":\"x\",\"role\":\"viewer\",\"key\":\"mine\""
      })
  void add_somethingElse_isRefused(String fields) {
    Answer refused = add(fields).isProblem(400, "invalid-value");
    assertThat(refused.text("field"))
        .isIn("name", "role", "queues", "queues[0]", "expiresAt", "key");
  }

  @Test
  void keys_areListedInPages() {
    List<String> made =
        Stream.of("a", "b", "c")
            .map(each -> add("\"name\":\"" + name + each + "\",\"role\":\"viewer\"").is(201))
            .map(each -> each.text("id"))
            .toList();
    assertThat(made).isSorted();

    Answer page = server.admin("GET", PATH + "?limit=1&after=" + made.get(0), "").is(200);

    assertThat(page.text("next")).isEqualTo(made.get(1));
    assertThat(page.body()).contains(made.get(1)).doesNotContain(made.get(0), made.get(2));
    server.admin("GET", PATH + "?limit=0", "").isInvalid("limit");
    server.admin("GET", PATH + "?after=x", "").isInvalid("after");
    made.forEach(AccessTest::revoke);
  }

  @Test
  void queues_ofAKeyForSome_areListedInPages_andNoOthersNamed() {
    String key = made("viewer", ",\"queues\":[\"CONCERT/*\",\"SALE/1\",\"NONE/1\"]").text("key");

    assertThat(listed(key, "")).containsExactly("CONCERT/0", "CONCERT/1", "CONCERT/zz", "SALE/1");
    assertThat(listed(key, "?after=CONCERT/0&limit=1")).containsExactly("CONCERT/1");
    assertThat(listed(key, "?after=CONCERT/1&limit=2")).containsExactly("CONCERT/zz", "SALE/1");
    assertThat(listed(key, "?after=SALE/1")).isEmpty();
    Answer first = server.with(key, "GET", "/admin/queues?limit=3", "").is(200);
    assertThat(first.text("next")).isEqualTo("CONCERT/zz");
    assertThat(first.body()).doesNotContain("CONCERTS");
  }

  private static List<String> listed(String key, String query) {
    Object all = server.with(key, "GET", "/admin/queues" + query, "").is(200).field("queues");
    return ((List<?>) requireNonNull(all))
        .stream()
            .map(each -> (Map<?, ?>) each)
            .map(each -> each.get("eventType") + "/" + each.get("eventId"))
            .toList();
  }

  @Test
  void keys_areInNoLog() {
    var root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    Level before = root.getLevel();
    root.setLevel(Level.DEBUG);
    root.addAppender(lines);
    String key;
    try {
      Answer made = made("admin", "");
      key = made.text("key");
      begin(key).is(200);
      server.with(key, "GET", "/admin/queues", "").is(200);
      server.with(key + "x", "GET", "/admin/queues", "").isProblem(401, "unauthorized");
      revoke(made.text("id"));
    } finally {
      root.detachAppender(lines);
      root.setLevel(before);
    }

    assertThat(lines.list).isNotEmpty();
    assertThat(lines.list)
        .map(ILoggingEvent::getFormattedMessage)
        .noneMatch(line -> line.contains(key.substring(5)));
  }

  // --- audit

  private static List<Map<?, ?>> audit(String path) {
    Object rows = server.admin("GET", path, "").is(200).field("audit");
    return ((List<?>) requireNonNull(rows))
        .stream().<Map<?, ?>>map(row -> (Map<?, ?>) row).toList();
  }

  @Test
  void audit_saysWhoDidWhatFromWhere() {
    String key = made("operator", "").text("key");
    server.activate("AUDIT/1", "\"entryBatchSize\":30").is(201);

    server
        .with(
            key,
            "PUT",
            "/admin/queues/AUDIT/1",
            "{\"entryBatchSize\":50,\"message\":{\"ko\":\"<b>\"}}",
            "X-Forwarded-For",
            "198.51.100.9")
        .is(200);

    Map<?, ?> row = audit("/admin/queues/AUDIT/1/audit").getFirst();
    assertThat(row.get("who")).isEqualTo(name);
    assertThat(row.get("role")).isEqualTo("operator");
    assertThat(row.get("from")).isEqualTo("198.51.100.9");
    assertThat(row.get("act")).isEqualTo("edit");
    assertThat(row.get("queue")).isEqualTo("AUDIT/1");
    assertThat(row.get("before")).isEqualTo(Map.of("entryBatchSize", 30, "message", ""));
    assertThat(row.get("after"))
        .isEqualTo(Map.of("entryBatchSize", 50, "message", Map.of("ko", "<b>")));
    assertThat(row.get("outcome")).isEqualTo("DONE");
    server.admin("DELETE", "/admin/queues/AUDIT/1?confirm=AUDIT/1", "");
    assertThat(audit("/admin/queues/AUDIT/1/audit"))
        .map(each -> (Object) each.get("act"))
        .containsExactly("delete", "edit", "create");
    assertThat(audit("/admin/audit?limit=1"))
        .map(each -> (Object) each.get("act"))
        .contains("delete");
  }

  @Test
  void audit_ofKeys_namesThemAndShowsNone() {
    Answer made = made("viewer", ",\"queues\":[\"SALE/1\"]");
    revoke(made.text("id"));
    server.admin("POST", "/admin/keys/rotate", "").is(200);
    server.admin("POST", "/admin/passes/revoke", "{\"jti\":\"some-pass\"}").is(200);
    server.admin("POST", "/admin/passes/revoke", "{\"jti\":\"some-pass\"}").is(200);

    List<Map<?, ?>> rows = audit("/admin/audit?limit=4");

    assertThat(rows)
        .map(each -> (Object) each.get("act"))
        .containsExactly("revoke-pass", "rotate-key", "access-revoke", "access-add");
    assertThat(rows.getLast().get("after"))
        .asString()
        .contains(name, "viewer", "SALE/1")
        .doesNotContain(made.text("key"));
    assertThat(rows).allMatch(row -> row.get("queue") == null && "admin".equals(row.get("who")));
  }

  @Test
  void audit_isInPages() {
    for (String title : List.of("a", "b", "c")) {
      server.admin("PUT", "/admin/queues/PAGED/1", "{\"title\":\"" + title + "\"}");
    }
    String path = "/admin/queues/PAGED/1/audit";

    Answer first = server.admin("GET", path + "?limit=2", "").is(200);
    Answer rest = server.admin("GET", path + "?limit=2&after=" + first.text("next"), "").is(200);

    assertThat(first.body()).contains("\"c\"").doesNotContain("create");
    assertThat(rest.body()).contains("create").doesNotContain("\"c\"", "next");
    server.admin("GET", path + "?after=x", "").isInvalid("after");
    server.admin("GET", path + "?after=-1", "").isInvalid("after");
    server.admin("GET", path + "?limit=1001", "").isInvalid("limit");
  }

  /** Two consoles had the same settings open: the second is told, and nothing is overwritten. */
  @Test
  void edit_meanwhileByAnother_is412() {
    server.activate("EDITED/1", "").is(201);
    String path = "/admin/queues/EDITED/1";
    server.admin("PUT", path, "{\"title\":\"first\"}", "If-Match", "\"1\"").is(200);

    server
        .admin("PUT", path, "{\"title\":\"second\"}", "If-Match", "\"1\"")
        .isProblem(412, "edited-meanwhile");
    server
        .admin("POST", "/admin/queue/pause", TestServer.named("EDITED/1", ""), "If-Match", "\"1\"")
        .isProblem(412, "edited-meanwhile");

    assertThat(server.queue("EDITED/1").text("title")).isEqualTo("first");
    assertThat(audit(path + "/audit")).hasSize(2);
  }

  // --- sessions

  private static Answer begin(String key, String... headers) {
    return server
        .client()
        .send(
            "POST",
            SESSION,
            BodyPublishers.ofString("{\"key\":\"" + key + "\"}"),
            Stream.concat(Stream.of("Content-Type", "application/json"), Stream.of(headers))
                .toArray(String[]::new));
  }

  private static String cookie(Answer answer) {
    return String.valueOf(answer.header("set-cookie")).split(";", 2)[0];
  }

  /** As a browser at the console sends it. */
  private static Answer browse(String method, String path, String body, String... headers) {
    return server
        .client()
        .send(
            method,
            path,
            BodyPublishers.ofString(body),
            Stream.concat(Stream.of("Content-Type", "application/json"), Stream.of(headers))
                .toArray(String[]::new));
  }

  @Test
  void session_isWhoTheKeyIs() {
    Answer made = made("operator", ",\"queues\":[\"SALE/1\"]");

    Answer begun = begin(made.text("key")).is(200);

    assertThat(begun.json())
        .containsEntry("who", name)
        .containsEntry("role", "operator")
        .containsEntry("queues", List.of("SALE/1"))
        .containsKey("expiresAt");
    assertThat(begun.header("set-cookie"))
        .startsWith("__Host-naru-console=")
        .contains("; Path=/", "; Secure", "; HTTPOnly", "; SameSite=Strict", "; Max-Age=43200")
        .doesNotContain("Domain", made.text("key"));
    Answer again = server.client().get(SESSION, "Cookie", cookie(begun)).is(200);
    assertThat(again.json()).isEqualTo(begun.json());
    server.client().get("/admin/queues/SALE/1", "Cookie", cookie(begun)).is(200);
    server
        .client()
        .get("/admin/queues/CONCERT/1", "Cookie", cookie(begun))
        .isProblem(403, "queue-not-yours");
    revoke(made.text("id"));
  }

  @Test
  void session_ofThePlainConsole_isKeptByBrowsersToo() {
    Answer begun = begin(TestServer.KEY, "Origin", "http://127.0.0.1:" + server.port()).is(200);

    assertThat(begun.header("set-cookie"))
        .startsWith("naru-console=")
        .contains("; HTTPOnly", "; SameSite=Strict")
        .doesNotContain("Secure");
    server.client().get(SESSION, "Cookie", cookie(begun)).is(200);
  }

  @Test
  void session_afterItsKeyWasRevoked_isOver() {
    Answer made = made("admin", "");
    String session = cookie(begin(made.text("key")).is(200));
    server.client().get("/admin/queues", "Cookie", session).is(200);

    revoke(made.text("id"));

    server.client().get("/admin/queues", "Cookie", session).isProblem(401, "unauthorized");
    server.client().get(SESSION, "Cookie", session).isProblem(401, "unauthorized");
  }

  @Test
  void session_afterTwelveHours_isOver() {
    String session = cookie(begin(TestServer.KEY).is(200));
    clock.advance(Duration.ofHours(11));
    server.client().get(SESSION, "Cookie", session).is(200);

    clock.advance(Duration.ofMinutes(61));

    server.client().get(SESSION, "Cookie", session).isProblem(401, "unauthorized");
  }

  @Test
  void session_ended_isForgottenByTheBrowser() {
    Answer ended = server.client().send("DELETE", SESSION, BodyPublishers.noBody());

    assertThat(ended.status()).isEqualTo(204);
    assertThat(ended.header("set-cookie"))
        .startsWith("__Host-naru-console=;")
        .contains("Max-Age=0", "Secure", "Path=/");
  }

  @Test
  void session_forged_isNone() {
    String good = cookie(begin(TestServer.KEY).is(200));
    String other = made("viewer", "").text("id");
    for (String forged :
        List.of(
            good + "x",
            good.substring(0, good.length() - 2),
            good.replace("=admin.", "=" + other + "."),
            good.replaceFirst("\\.[0-9]", ".9"),
            "__Host-naru-console=",
            "__Host-naru-console=admin",
            "__Host-naru-console=admin.99999999999999999.",
            "__Host-naru-console=admin.99999999999999999999999.x",
            "__Host-naru-console=admin.-1.x",
            "naru=admin." + good)) {
      server.client().get("/admin/queues", "Cookie", forged).isProblem(401, "unauthorized");
      server.client().get(SESSION, "Cookie", forged).isProblem(401, "unauthorized");
    }
    revoke(other);
  }

  @Test
  void begin_withoutAKey_isRefused() {
    begin("wrong").isProblem(401, "unauthorized");
    browse("POST", SESSION, "{}").isInvalid("key");
    browse("POST", SESSION, "{\"key\":5}").isInvalid("key");
    browse("POST", SESSION, "{\"key\":\"x\",\"more\":1}").isInvalid("more");
    begin(TestServer.KEY).is(200);
  }

  @Test
  void begin_manyWrongKeys_waits() {
    String[] there = {"X-Forwarded-For", "198.51.100.7"};
    for (int i = 0; i < 6; i++) {
      begin("wrong" + i, there).isProblem(401, "unauthorized");
    }

    begin(TestServer.KEY, there).isProblem(429, "too-many-attempts");
    begin(TestServer.KEY).is(200);
  }

  // --- pages that are not ours

  private static List<String[]> foreign() {
    return List.of(
        new String[] {"Sec-Fetch-Site", "cross-site"},
        new String[] {"Sec-Fetch-Site", "same-site"},
        new String[] {"Sec-Fetch-Site", "none"},
        new String[] {"Sec-Fetch-Site", "cross-site", "Origin", "http://127.0.0.1"},
        new String[] {"Sec-Fetch-Site", "same-site", "Origin", here()},
        new String[] {"Origin", "https://evil.example"},
        new String[] {"Origin", "null"},
        new String[] {"Origin", ""},
        new String[] {"Origin", here() + ".evil.example"});
  }

  private static String here() {
    return "http://127.0.0.1:" + server.port();
  }

  @Test
  void session_act_isOnlyOurOwnPages() {
    String session = cookie(begin(TestServer.KEY).is(200));
    String act = TestServer.named("SALE/1", "");
    @Nullable Object version = server.queue("SALE/1").field("version");

    for (String[] headers : foreign()) {
      String[] all = with(headers, "Cookie", session);
      browse("POST", "/admin/queue/deactivate", act, all).isProblem(403, "foreign-origin");
      browse("PUT", "/admin/queues/SALE/1", "{\"title\":\"x\"}", all)
          .isProblem(403, "foreign-origin");
      browse("DELETE", "/admin/queues/SALE/1?confirm=SALE/1", "", all)
          .isProblem(403, "foreign-origin");
    }
    browse("POST", "/admin/queue/deactivate", act, "Cookie", session)
        .isProblem(403, "foreign-origin");
    assertThat(server.queue("SALE/1").field("version")).isEqualTo(version);

    browse(
            "PUT",
            "/admin/queues/SALE/1",
            "{\"message\":\"one\"}",
            "Cookie",
            session,
            "Sec-Fetch-Site",
            "same-origin")
        .is(200);
    browse(
            "PUT",
            "/admin/queues/SALE/1",
            "{\"message\":\"two\"}",
            "Cookie",
            session,
            "Origin",
            here())
        .is(200);
  }

  /** A form cannot send JSON; what it can send is not read. */
  @Test
  void session_act_byAForm_isNone() {
    String session = cookie(begin(TestServer.KEY).is(200));

    server
        .client()
        .send(
            "POST",
            "/admin/queue/deactivate",
            BodyPublishers.ofString("eventType=SALE&eventId=1"),
            "Cookie",
            session,
            "Sec-Fetch-Site",
            "same-origin",
            "Content-Type",
            "application/x-www-form-urlencoded")
        .isProblem(415, "unsupported-media-type");
    assertThat(server.queue("SALE/1").field("isActive")).isEqualTo(true);
  }

  @Test
  void session_isBegunAndEndedByOurOwnPagesOnly() {
    String body = "{\"key\":\"" + TestServer.KEY + "\"}";
    for (String[] headers : foreign()) {
      for (String method : List.of("POST", "DELETE")) {
        Answer refused = browse(method, SESSION, method.equals("POST") ? body : "", headers);
        assertThat(refused.isProblem(403, "foreign-origin").header("set-cookie")).isNull();
      }
    }
    begin(TestServer.KEY, "Sec-Fetch-Site", "same-origin").is(200);
  }

  /** A key is no cookie: no page can make a browser send it. */
  @Test
  void key_act_fromAnywhere_isTaken() {
    for (String[] headers : foreign()) {
      server.admin("PUT", "/admin/queues/SALE/1", "{\"message\":\"three\"}", headers).is(200);
    }
  }

  private static String[] with(String[] headers, String... more) {
    return Stream.concat(Stream.of(headers), Stream.of(more)).toArray(String[]::new);
  }
}
