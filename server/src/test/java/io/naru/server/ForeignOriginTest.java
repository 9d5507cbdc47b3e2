package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.http.Cors;
import io.naru.server.http.Route;
import io.naru.server.stream.Streams;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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

/**
 * Pages of other origins that make a visitor's browser call, with its cookie. The routes are taken
 * from the table, so that new ones are covered.
 */
class ForeignOriginTest {

  private static final String QUEUE = "TIMEDEAL/1";
  private static final String SHOP = "https://shop.example";
  private static final String NARU = "https://wait.shop.example";

  @TempDir private static Path data;
  private static TestServer server;
  private static String cookie = "";
  private Map<String, @Nullable Object> before = Map.of();

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            data,
            new Naru.Visitors(
                TestServer.NAMED.proxies(),
                null,
                TestServer.NAMED.userHeader(),
                URI.create(NARU),
                Cors.parse(SHOP),
                Streams.Limits.DEFAULT,
                TestServer.NAMED.newcomers()));
    server
        .activate(QUEUE, "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600")
        .is(201);
    server.enter(QUEUE, "first").is(201);
    server.process(QUEUE, 1);
    Answer entered = server.client().post("/queue/" + QUEUE + "/enter").is(201);
    cookie = String.valueOf(entered.header("set-cookie")).split(";", 2)[0];
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
    var figures = server.figures(QUEUE);
    figures.remove("longestWaitSeconds");
    return figures;
  }

  private static Stream<Route> routes(Route.Pages pages) {
    return AdminKeyTest.routes().routes().stream().filter(route -> route.pages() == pages);
  }

  static Stream<Route> ownRoutes() {
    return routes(Route.Pages.OWN);
  }

  static Stream<Route> linkedRoutes() {
    return routes(Route.Pages.LINKED);
  }

  private static Answer call(Route route, String... headers) {
    String path =
        route.path().replace("{type}", "TIMEDEAL").replace("{id}", "1").replace("{language}", "en");
    String[] all =
        Stream.concat(Stream.of("Cookie", cookie), Stream.of(headers)).toArray(String[]::new);
    return server.client().send(route.method().name(), path, BodyPublishers.noBody(), all);
  }

  private static List<String[]> foreign() {
    return List.of(
        new String[] {"Origin", "https://evil.example"},
        new String[] {"Origin", "null"},
        new String[] {"Origin", ""},
        new String[] {"Origin", "http://shop.example"},
        new String[] {"Origin", "https://shop.example.evil.example"},
        new String[] {"Origin", "http://127.0.0.1"},
        new String[] {"Origin", "http://127.0.0.1:1"},
        new String[] {"Sec-Fetch-Site", "cross-site"},
        new String[] {"Sec-Fetch-Site", "same-site"},
        new String[] {"Sec-Fetch-Site", "anything"},
        new String[] {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
        new String[] {"Sec-Fetch-Site", "cross-site", "Origin", "null"},
        new String[] {"Sec-Fetch-Site", "same-site", "Origin", "https://other.shop.example"},
        // Our own address without TLS, where anybody on the way can write the page.
        new String[] {"Sec-Fetch-Site", "cross-site", "Origin", "http://wait.shop.example"},
        new String[] {"Sec-Fetch-Site", "cross-site", "Origin", here()},
        new String[] {"Sec-Fetch-Site", "cross-site", "Referer", NARU + "/"});
  }

  private static String here() {
    return "http://127.0.0.1:" + server.port();
  }

  @ParameterizedTest
  @MethodSource("ownRoutes")
  void ownRoute_fromAForeignPage_isRefused(Route route) {
    for (String[] headers : foreign()) {
      Answer refused = call(route, headers).isProblem(403, "foreign-origin");
      assertThat(refused.header("set-cookie")).isNull();
      assertThat(refused.header("access-control-allow-origin")).isNull();
    }
  }

  /** As a form, an image, a frame, a script: whatever is not somebody following a link. */
  @ParameterizedTest
  @MethodSource("linkedRoutes")
  void linkedRoute_loadedByAForeignPage_isRefused(Route route) {
    for (String[] headers : foreign()) {
      call(route, headers).isProblem(403, "foreign-origin");
    }
    for (String destination : List.of("image", "iframe", "script", "empty")) {
      String mode = destination.equals("iframe") ? "navigate" : "no-cors";
      Answer refused =
          call(
              route,
              "Sec-Fetch-Site",
              "cross-site",
              "Sec-Fetch-Mode",
              mode,
              "Sec-Fetch-Dest",
              destination);
      assertThat(refused.isProblem(403, "foreign-origin").header("set-cookie")).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("linkedRoutes")
  void linkedRoute_linkFollowed_isShown(Route route) {
    Answer shown =
        call(
            route,
            "Sec-Fetch-Site",
            "cross-site",
            "Sec-Fetch-Mode",
            "navigate",
            "Sec-Fetch-Dest",
            "document");

    assertThat(shown.status()).isEqualTo(200);
  }

  @Test
  void own_fromPagesThatMay_isAnswered() {
    for (String[] headers :
        List.of(
            new String[] {},
            new String[] {"Origin", here()},
            new String[] {"Origin", NARU},
            new String[] {"Origin", SHOP},
            new String[] {"Sec-Fetch-Site", "same-origin"},
            new String[] {"Sec-Fetch-Site", "same-origin", "Origin", "null"},
            new String[] {"Sec-Fetch-Site", "none"},
            new String[] {"Sec-Fetch-Site", "same-site", "Origin", SHOP},
            new String[] {"Sec-Fetch-Site", "cross-site", "Origin", SHOP},
            new String[] {"Sec-Fetch-Site", "cross-site", "Origin", NARU})) {
      for (Route route : ownRoutes().toList()) {
        if (!route.path().endsWith("/leave")) {
          assertThat(call(route, headers).status())
              .as("%s with %s", route.path(), List.of(headers))
              .isIn(200, 201, 303, 409);
        }
      }
    }
  }

  /** What names a visitor by cookie says so in the description, and then is not for all pages. */
  @Test
  void routes_thatLookAtTheCookie_areNotForAllPages() {
    var looking = new TreeSet<String>();
    for (Route route : AdminKeyTest.routes().routes()) {
      if (OpenApiTest.securityOf(route).contains("visitorCookie")) {
        looking.add(route.method() + " " + route.path());
      }
    }
    Set<String> guarded = new TreeSet<>();
    Stream.concat(ownRoutes(), linkedRoutes())
        // Operators' pages, which no visitor's cookie is good for.
        .filter(route -> !route.path().startsWith("/console"))
        .forEach(route -> guarded.add(route.method() + " " + route.path()));

    assertThat(guarded).isEqualTo(looking).hasSizeGreaterThanOrEqualTo(6);
    assertThat(linkedRoutes()).allMatch(route -> route.method().name().equals("GET"));
  }
}
