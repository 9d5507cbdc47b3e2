package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.SpringProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** All of it as a visitor has it: the shop, the line, the seat; and the next one's turn. */
class ShopTest {

  private static final Path SHOP = Path.of("..", "examples", "concert", "target", "concert.jar");

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  @Test
  void visitor_waitsReservesAndMakesRoomForTheNext() {
    try (var room = new Room(data);
        var shop = shop(room)) {
      String target = "\"targetUrl\":\"" + shop.uri() + "/\"";
      Queue queue = room.queue("concert", target, "\"onExpiry\":\"REQUEUE\",\"once\":true");
      Page first = visit(shop);
      assertThat(first.locator("#place")).hasText("1");
      Page second = visit(shop);
      assertThat(second.locator("#place")).hasText("2");

      // The early bird is inside, and there is room for one more.
      queue.set("\"maxCapacity\":2,\"entryBatchSize\":100,\"entryIntervalSeconds\":1");
      assertThat(first.locator("h1")).hasText("Choose a seat");
      first.locator("select[name=seat]").selectOption("A7");
      first.getByText("Reserve", new Page.GetByTextOptions().setExact(true)).click();

      assertThat(first.locator("h1")).hasText("Seat A7 is yours");
      assertThat(second.locator("h1")).hasText("Choose a seat");
      assertThat(second.locator("option")).not().containsText(new String[] {"A7"});

      // Back at the line: who has a seat does not get another turn.
      first.navigate(queue.page());
      assertThat(first.locator("body")).containsText("Everybody can enter once here");
      await().until(() -> queue.figure("completed") == 1);
      assertThat(queue.figure("inside")).isEqualTo(2);
    }
  }

  /** The browser that they wait in still knows the turn that is over. */
  @Test
  void visitor_whoGivesUpPaying_waitsBeforeEverybodyAndIsLetInAgain(@TempDir Path other) {
    try (var room = new Room(other);
        var shop = shop(room, "SHOW/returns")) {
      Queue queue = room.queue("returns", "\"targetUrl\":\"" + shop.uri() + "/\"");
      Page page = visit(shop);
      assertThat(page.locator("#place")).hasText("1");
      queue.enterCrowd(3);
      queue.admit(1);
      assertThat(page.locator("h1")).hasText("Choose a seat");
      page.locator("select[name=card]").selectOption("declined");
      page.getByText("Reserve", new Page.GetByTextOptions().setExact(true)).click();
      assertThat(page.locator("[role=alert]")).containsText("declined");

      page.getByText("Give up for now").click();

      assertThat(page.locator("#place")).hasText("1");
      assertThat(page.locator("#lane")).containsText("You came back");
      queue.admit(1);
      assertThat(page.locator("h1")).hasText("Choose a seat");
    }
  }

  /** What the README of the example tells a person to do who has a browser. */
  @Test
  void readmeOfTheExample_wordForWord_endsAtTheSeats(@TempDir Path other) throws IOException {
    String readme = Files.readString(Path.of("..", "examples", "concert", "README.md"));
    assertThat(readme).as("two hosts have no cookies in common").doesNotContain("localhost:");
    String activation = firstIn(readme, "/admin/queue/activate .* -d '([^']*)'");
    String address = firstIn(readme, "In a browser, open `([^`]*)`");
    try (var room = new Room(other);
        var shop = shop(room, "CONCERT/1")) {
      String here = shop.uri().toString();
      var made =
          room.admin(
              "POST", "/admin/queue/activate", activation.replace("http://127.0.0.1:8090", here));
      assertThat(made.status()).as(made.body()).isEqualTo(201);
      assertThat(made.body()).doesNotContain("warnings");

      Page page = BROWSER.visit().open(address.replace("http://127.0.0.1:8090", here));
      page.getByText("Reserve a seat").click();

      assertThat(page.locator("h1")).hasText("Choose a seat");
      page.locator("select[name=seat]").selectOption("A12");
      page.getByText("Reserve", new Page.GetByTextOptions().setExact(true)).click();
      assertThat(page.locator("h1")).hasText("Seat A12 is yours");
      page.reload();
      assertThat(page.locator("h1")).hasText("Seat A12 is yours");
    }
  }

  private static String firstIn(String text, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }

  private static SpringProcess shop(Room room) {
    return shop(room, "SHOW/concert");
  }

  private static SpringProcess shop(Room room, String queue) {
    assertThat(SHOP).as("the shop, built by ./naru test or ./mvnw verify").exists();
    return SpringProcess.start(
        SHOP,
        List.of("--naru.gate.url=http://127.0.0.1:" + room.port(), "--naru.gate.queue=" + queue));
  }

  private static Page visit(SpringProcess shop) {
    Page page = BROWSER.visit().open(shop.uri() + "/");
    Locator reserve = page.getByText("Reserve a seat");
    reserve.click();
    return page;
  }
}
