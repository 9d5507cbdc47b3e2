package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ServiceWorkerPolicy;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What somebody who waits sees while the server is away, or what is behind it, and afterwards. The
 * server, its Redis and its PostgreSQL are processes of their own, which are killed and come back
 * where they were.
 */
class OutageTest {

  private static final String KEPT = "Your place is kept. Reconnecting…";
  private static final String WAITING = "You will go in automatically";

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  private static PostgresServer postgres;
  private static RedisServer redis;
  private static Room room;

  @BeforeAll
  static void open() {
    postgres = PostgresServer.start();
    redis = RedisServer.start(RedisBinary.embedded());
    room =
        new Room(
            data,
            "--redis=" + redis.uri(),
            "--ledger=" + postgres.fresh(),
            "--ledger-user=" + postgres.user(),
            "--ledger-password=" + postgres.password());
  }

  @AfterAll
  static void close() {
    room.close();
    redis.close();
    postgres.close();
  }

  @Test
  void serverKilledAndStartedAgain_placeIsKeptMeanwhileAndTheSameAfterwards() {
    Queue queue = room.queue("killed");
    queue.enterCrowd(6);
    Page page = open(BROWSER.visit(), queue.page());
    assertThat(page.locator("#place")).hasText("7");

    room.kill();
    awaitState(page, KEPT);
    assertThat(page.locator("#place")).hasText("7");
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "reconnecting");

    room.startAgain();
    awaitState(page, WAITING);
    assertThat(page.locator("#place")).hasText("7");
    assertThat(queue.figure("waiting")).as("nobody entered twice").isEqualTo(7);

    queue.admit(7);
    assertThat(page.locator("#notice-title")).hasText("It is your turn");
  }

  /**
   * First the line and the ledger are gone, then the server too; the browsers have only what they
   * kept.
   */
  @Test
  void everythingGone_twentyPagesShowTheirPlaces_alsoOneThatIsLoadedAgain_andGoOn() {
    Queue queue = room.queue("gone");
    Map<Page, String> places = new LinkedHashMap<>();
    for (String place : List.of("1", "2")) {
      Visit visit = BROWSER.visit(options -> options.setServiceWorkers(ServiceWorkerPolicy.ALLOW));
      visit.context().clock().install();
      Page first = visit.open(queue.page());
      // Tabs that ask before the first one is answered would be somebody else.
      assertThat(first.locator("#place")).hasText(place);
      places.put(first, place);
      for (int tab = 1; tab < 10; tab++) {
        places.put(visit.open(queue.page()), place);
      }
    }
    places.forEach((page, place) -> assertThat(page.locator("#place")).hasText(place));
    Page reloaded = places.keySet().iterator().next();
    reloaded.waitForFunction("async () => Boolean(await caches.match(location.href))");

    redis.kill();
    postgres.kill();
    awaitStates(places, KEPT);
    room.kill();
    reloaded.reload();
    awaitStates(places, KEPT);

    postgres.restart();
    redis.restart();
    room.startAgain();
    awaitStates(places, WAITING);
    assertThat(queue.figure("waiting")).as("nobody entered twice").isEqualTo(2);
    // With the server back, the page comes from there.
    queue.set("\"title\":\"Another title\"");
    await()
        .pollInSameThread()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              reloaded.reload();
              return reloaded.content().contains("Another title");
            });
  }

  @Test
  void apiGone_pageOpenedAgain_showsTheLastPlaceAndRecovers() {
    Queue queue = room.queue("api");
    queue.enterCrowd(2);
    Visit visit = BROWSER.visit();
    Page first = visit.open(queue.page());
    assertThat(first.locator("#place")).hasText("3");
    first.close();

    // The page is the same for everybody, so any cache in front of the server still has it.
    visit.context().route("**/queue/**", Route::abort);
    Page again = open(visit, queue.page());
    awaitState(again, KEPT);
    assertThat(again.locator("#place")).hasText("3");

    visit.context().unrouteAll();
    awaitState(again, WAITING);
    assertThat(again.locator("#place")).hasText("3");
  }

  @Test
  void apiGone_newcomer_isToldThatThereIsNoPlaceYet() {
    Queue queue = room.queue("newcomer");
    Visit visit = BROWSER.visit();
    visit.context().route("**/queue/**", Route::abort);
    Page page = open(visit, queue.page());
    awaitState(page, "We cannot reach the line right now. You are not in line yet");

    visit.context().unrouteAll();
    awaitState(page, WAITING);
    assertThat(page.locator("#place")).hasText("1");
  }

  @Test
  void streamFallsSilent_asksInstead() {
    Queue queue = room.queue("silent");
    try (var proxy = FaultProxy.to(room.port())) {
      Page page = open(BROWSER.visit(), queue.page(proxy.port()));
      assertThat(page.locator("#wait")).hasAttribute("data-connection", "live");

      proxy.swallow(FaultProxy.Way.TO_CLIENT);
      page.waitForRequest("**/queue/token/**", () -> page.clock().fastForward(15_000));
    }
  }

  /** Each of them says that, and shows its place all the while. */
  private static void awaitStates(Map<Page, String> places, String start) {
    places.forEach(
        (page, place) -> {
          awaitState(page, start);
          assertThat(page.locator("#place")).hasText(place);
        });
  }

  /** Opens the page with a clock that the test can hurry. */
  private static Page open(Visit visit, String url) {
    visit.context().clock().install();
    return visit.open(url);
  }

  /** Lets the page's time run ten times as fast until it says that: its pauses grow to 30 s. */
  private static void awaitState(Page page, String start) {
    await()
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(100))
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              page.clock().fastForward(1_000);
              assertThat(page.locator("#state").textContent()).startsWith(start);
            });
  }
}
