package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.FaultProxy;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What somebody who waits sees while the server is away, and afterwards. */
class OutageTest {

  private static final String KEPT = "Your place is kept. Reconnecting…";

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  private static Room room;

  @BeforeAll
  static void open() {
    room = new Room(data);
  }

  @AfterAll
  static void close() {
    room.close();
  }

  @Test
  void serverKilledAndStartedAgain_placeIsKeptMeanwhileAndTheSameAfterwards() {
    Queue queue = room.queue("killed");
    queue.fillHouse();
    queue.enterCrowd(6);
    Page page = BROWSER.visit().open(queue.page());
    assertThat(page.locator("#place")).hasText("7");

    room.kill();
    assertThat(page.locator("#state")).hasText(KEPT);
    assertThat(page.locator("#place")).hasText("7");
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "reconnecting");

    room.startAgain();
    assertThat(page.locator("#state")).not().hasText(KEPT);
    assertThat(page.locator("#place")).hasText("7");
    assertThat(queue.figure("waiting")).as("nobody entered twice").isEqualTo(7);

    queue.makeRoom(7);
    assertThat(page.locator("#notice-title")).hasText("It is your turn");
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
    Page again = visit.open(queue.page());
    assertThat(again.locator("#state")).hasText(KEPT);
    assertThat(again.locator("#place")).hasText("3");

    visit.context().unrouteAll();
    assertThat(again.locator("#state")).not().hasText(KEPT);
    assertThat(again.locator("#place")).hasText("3");
  }

  @Test
  void streamFallsSilent_asksInstead() {
    Queue queue = room.queue("silent");
    try (var proxy = FaultProxy.to(room.port())) {
      Page page = BROWSER.visit().open(queue.page(proxy.port()));
      page.clock().install();
      page.reload();
      assertThat(page.locator("#wait")).hasAttribute("data-connection", "live");

      proxy.swallow(FaultProxy.Way.TO_CLIENT);
      page.waitForRequest("**/queue/token/**", () -> page.clock().fastForward(15_000));
    }
  }
}
