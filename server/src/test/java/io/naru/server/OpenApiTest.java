package io.naru.server;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.memory.MemoryQueues;
import io.naru.queue.Field;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.server.http.Route;
import io.naru.server.metrics.Health;
import io.naru.server.metrics.Management;
import io.naru.server.metrics.Metrics;
import io.naru.testkit.OpenApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code openapi.yaml} and the code say the same. */
class OpenApiTest {

  private static final Set<String> METHODS = Set.of("get", "post", "put", "delete", "patch");
  private static final Path SOURCES = Path.of("src", "main", "java");

  private static final OpenApi api = OpenApi.shipped();

  @Test
  void paths_areThoseOfTheRouteTables() {
    var routes = new TreeSet<String>();
    AdminKeyTest.routes().routes().forEach(route -> routes.add(name(route)));
    managementRoutes().forEach(route -> routes.add(name(route)));

    var described = new TreeSet<String>();
    api.at("paths")
        .forEach(
            (path, item) ->
                OpenApi.map(item, "" + path).keySet().stream()
                    .map(String::valueOf)
                    .filter(METHODS::contains)
                    .forEach(m -> described.add(m.toUpperCase(Locale.ROOT) + " " + path)));

    assertThat(described).isEqualTo(routes);
  }

  @Test
  void managementPaths_areSaidToBeOnTheirOwnPort() {
    for (Route route : managementRoutes()) {
      assertThat(api.at("paths", route.path()).get("servers"))
          .as(route.path())
          .asString()
          .contains(":9091");
    }
  }

  @Test
  void adminRoutes_needTheAdminKey_andNoOthers() {
    for (Route route : AdminKeyTest.routes().routes()) {
      assertThat(operation(route).get("security"))
          .as(name(route))
          .asString()
          .satisfies(
              security ->
                  assertThat(security.contains("adminKey")).isEqualTo(route.isForOperators()));
    }
  }

  @Test
  void operations_areComplete() {
    var ids = new TreeSet<String>();
    for (Route route :
        Stream.concat(AdminKeyTest.routes().routes().stream(), managementRoutes().stream())
            .toList()) {
      Map<?, ?> operation = operation(route);
      assertThat(operation.get("summary")).as(name(route)).asString().isNotBlank();
      assertThat(ids.add("" + operation.get("operationId"))).as(name(route)).isTrue();
      assertThat(OpenApi.map(operation.get("responses"), name(route)).keySet())
          .as(name(route))
          .anySatisfy(status -> assertThat("" + status).matches("[23]\\d\\d"));
      assertThat(operation.containsKey("requestBody"))
          .as("body of %s", name(route))
          .isEqualTo(List.of("POST", "PUT").contains(route.method().name()));
      if (route.body() == Route.Body.JSON) {
        assertThat(api.resolve(operation.get("requestBody")).get("required")).isEqualTo(true);
      }
      assertThat(parametersOf(route)).as(name(route)).containsAll(parametersIn(route.path()));
    }
  }

  @Test
  void references_leadSomewhere_andEverythingIsUsed() {
    var used = new TreeSet<String>();
    api.everyNode(
        node -> {
          if (node.get("$ref") instanceof String reference) {
            api.resolve(node);
            used.add(reference);
          }
        });
    for (String kind : List.of("schemas", "responses", "parameters", "headers", "requestBodies")) {
      for (Object name : api.at("components", kind).keySet()) {
        assertThat(used).contains("#/components/" + kind + "/" + name);
      }
    }
  }

  @Test
  void codes_areThoseOfTheSources() throws IOException {
    var codes = new TreeSet<String>();
    Pattern code = Pattern.compile("\\b[45]\\d\\d,\\s*\"([A-Za-z0-9-]+)\"");
    try (Stream<Path> sources = Files.walk(SOURCES)) {
      for (Path source : sources.filter(f -> f.toString().endsWith(".java")).toList()) {
        code.matcher(Files.readString(source))
            .results()
            .map((MatchResult match) -> match.group(1))
            .forEach(codes::add);
      }
    }

    assertThat(codes)
        .contains("S801", "S806", "line-full", "internal-error")
        .hasSizeGreaterThan(20);
    assertThat(OpenApi.list(api.at("components", "schemas", "Code").get("enum")))
        .map(String::valueOf)
        .containsExactlyInAnyOrderElementsOf(codes);
    // Said in words as well, where they can happen.
    String text = api.at("paths") + " " + api.at("components", "responses");
    assertThat(codes).allSatisfy(c -> assertThat(text).contains("`" + c + "`"));
  }

  @Test
  void settings_haveTheSameNamesBoundsAndDefaults() {
    Map<?, ?> properties = api.at("components", "schemas", "Settings", "properties");
    assertThat(properties.keySet())
        .map(String::valueOf)
        .containsExactlyElementsOf(Settings.FIELDS.stream().map(Field::name).toList());
    Map<String, @Nullable Object> standards = Settings.DEFAULT.asMap();
    for (Field<?, ?> field : Settings.FIELDS) {
      Map<?, ?> schema = OpenApi.map(properties.get(field.name()), field.name());
      assertThat(schema.get("default")).as(field.name()).isEqualTo(standards.get(field.name()));
      assertThat(field.allowed()).as(field.name()).contains(boundsOf(schema));
    }
    assertThat(OpenApi.list(api.at("components", "schemas", "Queue").get("required")))
        .map(String::valueOf)
        .containsSubsequence(standards.keySet());
  }

  /** What a schema allows, in the words of {@link Field#allowed()}. */
  private static String boundsOf(Map<?, ?> schema) {
    if (schema.get("minimum") instanceof Number min) {
      return min + ".." + schema.get("maximum");
    }
    if (schema.get("enum") != null) {
      return OpenApi.list(schema.get("enum")).stream()
          .map(String::valueOf)
          .collect(joining(" or "));
    }
    if (schema.get("maxLength") instanceof Number max) {
      return "at most " + max + " characters";
    }
    if (schema.get("maxItems") instanceof Number max) {
      return "null, or 1.." + max;
    }
    if (schema.get("items") instanceof Map<?, ?> items && items.get("enum") != null) {
      return OpenApi.list(items.get("enum")).stream()
          .map(String::valueOf)
          .collect(joining(", ", "null, or a list of ", ""));
    }
    if (schema.get("properties") != null) {
      return "null, or an object";
    }
    if (schema.get("anyOf") != null) {
      return "null, or {";
    }
    if (schema.get("maxItems") instanceof Number max) {
      return "null, or 1.." + max;
    }
    if ("date-time".equals(schema.get("format"))) {
      return "null, or an instant";
    }
    return "boolean".equals(schema.get("type")) ? "true or false" : "#rrggbb";
  }

  @Test
  void settings_areInTheirTable() throws IOException {
    List<String> rows =
        Files.readAllLines(Path.of("..", "docs", "settings.md")).stream()
            .filter(line -> line.startsWith("| `"))
            .toList();
    Map<String, @Nullable Object> standards = Settings.DEFAULT.asMap();

    assertThat(rows).hasSameSizeAs(Settings.FIELDS);
    for (int i = 0; i < rows.size(); i++) {
      Field<?, ?> field = Settings.FIELDS.get(i);
      Object standard = standards.get(field.name());
      assertThat(rows.get(i))
          .startsWith("| `" + field.name() + "` | " + field.allowed() + " | ")
          .contains("".equals(standard) ? " | | " : " | `" + standard + "` | ");
    }
  }

  /** An example that is not allowed would mislead; one that is missing helps nobody. */
  @Test
  void answersAboutQueues_haveAnExampleThatIsAllowed() {
    for (Route route : AdminKeyTest.routes().routes()) {
      if (route.path().startsWith("/admin/queue/") || route.path().equals("/admin/queues")) {
        Map<?, ?> responses = OpenApi.map(operation(route).get("responses"), name(route));
        String good = responses.containsKey("200") ? "200" : "202";
        Map<?, ?> content = OpenApi.map(api.resolve(responses.get(good)).get("content"), "");
        Map<?, ?> json = OpenApi.map(content.get("application/json"), name(route));
        assertThat(api.complaint(json.get("schema"), json.get("example"))).as(name(route)).isNull();
      }
    }
  }

  @Test
  void examples_areAllAllowed() {
    var checked = new AtomicInteger();
    api.everyNode(
        node -> {
          if (node.containsKey("schema") && node.get("example") instanceof Map<?, ?> example) {
            assertThat(api.complaint(node.get("schema"), example)).as("%s", example).isNull();
            checked.incrementAndGet();
          }
        });
    assertThat(checked.get()).isGreaterThan(50);
  }

  @Test
  void names_haveTheSamePatterns() {
    assertThat(api.at("components", "schemas", "EventType").get("pattern"))
        .isEqualTo("^" + QueueId.TYPE_ALLOWED + "$");
    assertThat(api.at("components", "schemas", "EventId").get("pattern"))
        .isEqualTo("^" + QueueId.ID_ALLOWED + "$");
  }

  /** What a server really answers, held against what is written for that answer. */
  @Test
  void answers_areAsDescribed(@TempDir Path data) {
    try (var server = TestServer.onMemory(data);
        var management = new Client(server.managementPort())) {
      String queue = "TIMEDEAL/1";
      String settings = "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600";
      check("activate", server.activate(queue, settings + ",\"targetUrl\":\"https://a.example/\""));
      check("activate", server.activate(queue, ""));
      check("enter", server.enter(queue, "first"));
      await().until(() -> server.status(queue, "first").text("status").equals("ENTERED"));
      check("statusByUser", server.status(queue, "first"));
      String token = server.status(queue, "first").text("entryToken");
      check("enter", server.enter(queue, "first"));
      check("enter", server.enter(queue, "ann"));
      check("enter", server.enter(queue, "ann"));
      check("enter", server.enter("TIMEDEAL/none", "ann"));
      check("enter", server.enter("TIMEDEAL/a:b", "ann"));
      check("statusByUser", server.status(queue, "ann"));
      check("statusByUser", server.status(queue, "nobody"));
      check("statusByToken", server.statusByToken(token));
      check("statusByToken", server.statusByToken("x"));
      check("leave", server.leave(queue, "ann"));
      check("leave", server.leave(queue, "ann"));
      String pass = server.status(queue, "first").text("pass");
      check("redeem", server.redeem(queue, pass, "s1"));
      check("redeem", server.redeem(queue, pass, "s2"));
      check("redeem", server.redeem(queue, pass, ""));
      check("complete", server.complete(queue, pass));
      check("jwks", server.client().get("/.well-known/jwks.json"));
      check("listKeys", server.admin("GET", "/admin/keys", ""));
      check("rotateKeys", server.admin("POST", "/admin/keys/rotate", ""));
      check("revokeKey", server.admin("POST", "/admin/keys/revoke", "{\"kid\":\"x\"}"));
      check("revokeKey", server.admin("POST", "/admin/keys/revoke", "{\"kid\":\"\"}"));
      check("revokePass", server.admin("POST", "/admin/passes/revoke", "{\"jti\":\"x\"}"));
      check("complete", server.complete(queue, "x"));
      check("statusByUser", server.status(queue, "first"));
      check("process", server.process(queue, 1));
      check("process", server.process(queue, 0));
      check("listQueues", server.admin("GET", "/admin/queues", ""));
      check("listQueues", server.client().get("/admin/queues"));
      check("getQueue", server.queue(queue));
      check("getQueue", server.queue("TIMEDEAL/none"));
      check("putQueue", server.admin("PUT", "/admin/queues/TIMEDEAL/2", "{}"));
      check("putQueue", server.admin("PUT", "/admin/queues/TIMEDEAL/2", "{}", "If-Match", "9"));
      check("checkQueue", server.admin("POST", "/admin/queues/" + queue + "/check", ""));
      check("checkQueue", server.admin("POST", "/admin/queues/" + queue + "/check?after=x", ""));
      check("deleteQueue", server.admin("DELETE", "/admin/queues/" + queue, ""));
      String name = "{\"eventType\":\"TIMEDEAL\",\"eventId\":\"2\"}";
      for (String act : List.of("activate", "pause", "close", "resume", "open", "end", "end")) {
        check(act, server.admin("POST", "/admin/queue/" + act, name));
      }
      check("open", server.admin("POST", "/admin/queue/open", name));
      check("pause", server.admin("POST", "/admin/queue/pause", name, "If-Match", "9"));
      check("deactivate", server.deactivate(queue));
      check("process", server.process(queue, 1));
      check("enter", server.enter(queue, "ben"));
      check("live", server.client().get("/health/live"));
      check("ready", server.client().get("/health/ready"));
      check("healthDetails", management.get("/health"));
    }
  }

  private void check(String operationId, Answer answer) {
    Map<?, ?> responses =
        api.at("paths").values().stream()
            .flatMap(item -> OpenApi.map(item, operationId).values().stream())
            .filter(o -> o instanceof Map<?, ?> m && operationId.equals(m.get("operationId")))
            .map(o -> OpenApi.map(OpenApi.map(o, operationId).get("responses"), operationId))
            .findFirst()
            .orElseThrow();
    Object response = responses.get("" + answer.status());
    assertThat(response).as("%s may answer %s", operationId, answer).isNotNull();
    Map<?, ?> content = OpenApi.map(api.resolve(response).get("content"), operationId);
    assertThat(content.keySet())
        .map(String::valueOf)
        .containsExactly("" + answer.header("content-type"));
    Object media = content.values().iterator().next();
    assertThat(api.complaint(OpenApi.map(media, operationId).get("schema"), answer.json()))
        .as("%s answered %s", operationId, answer)
        .isNull();
    if (api.resolve(response).get("headers") instanceof Map<?, ?> headers) {
      for (Object header : headers.keySet()) {
        if (!header.equals("Set-Cookie")) {
          assertThat(answer.header(("" + header).toLowerCase(Locale.ROOT)))
              .as("" + header)
              .isNotNull();
        }
      }
    }
  }

  private static List<Route> managementRoutes() {
    return new Management(
            new Metrics(), new Health(), new MemoryQueues(InstantSource.system()), Map.of())
        .routes();
  }

  private static String name(Route route) {
    return route.method().name() + " " + route.path();
  }

  /** How the description says that a caller is known. */
  static String securityOf(Route route) {
    return "" + operation(route).get("security");
  }

  private static Map<?, ?> operation(Route route) {
    return api.at("paths", route.path(), route.method().name().toLowerCase(Locale.ROOT));
  }

  private Set<String> parametersOf(Route route) {
    return OpenApi.list(api.at("paths", route.path()).get("parameters")).stream()
        .map(parameter -> "" + api.resolve(parameter).get("name"))
        .collect(toCollection(TreeSet::new));
  }

  private static Set<String> parametersIn(String path) {
    return Pattern.compile("\\{(\\w+)}")
        .matcher(path)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(toCollection(TreeSet::new));
  }
}
