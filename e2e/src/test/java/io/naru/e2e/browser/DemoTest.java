package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.naru.testkit.DemoProcess;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code ./naru demo} as somebody has it who has never seen Naru: in one go, to the seat. */
class DemoTest {

  static final Path SERVER = Path.of("..", "server", "target", "naru.jar");
  static final Path SHOP = Path.of("..", "examples", "concert", "target", "concert.jar");

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();

  /** Two walk through it at the same time: one with a mouse, one without. */
  @Test
  void demo_leadsFromTheShopThroughTheLineToASeat() throws Exception {
    String shop;
    try (var demo = DemoProcess.start(SERVER, SHOP, List.of("--visitors", "90", "--rate", "15"))) {
      shop = demo.shop();
      Page console = BROWSER.visit().open(demo.console());
      assertThat(console.locator("#figures")).isVisible();
      Page mouse = BROWSER.visit().open(shop);
      Page keys = BROWSER.visit().open(shop);
      mouse.getByText("Reserve a seat").click();
      press(keys, "Reserve a seat");
      for (Page page : List.of(mouse, keys)) {
        assertThat(page.locator("#place")).hasText(Pattern.compile("[0-9]+"));
      }

      byMouse(mouse);
      byKeys(keys);

      // The operator has seen them go in.
      assertThat(console.locator("[data-total=entered]")).hasText(Pattern.compile("[1-9].*"));
      signInIsForWhoKnowsTheLink(demo.console());
    }
    Assertions.assertThatThrownBy(() -> get(shop)).isInstanceOf(ConnectException.class);
  }

  /** The card is declined first; the place is kept. */
  private static void byMouse(Page page) {
    assertThat(page.locator("h1")).hasText("Choose a seat");
    page.locator("select[name=card]").selectOption("declined");
    page.getByText("Reserve", new Page.GetByTextOptions().setExact(true)).click();
    assertThat(page.locator("[role=alert]")).containsText("declined");
    page.locator("select[name=seat]").selectOption("C3");
    page.getByText("Reserve", new Page.GetByTextOptions().setExact(true)).click();
    assertThat(page.locator("h1")).hasText("Seat C3 is yours");
  }

  private static void byKeys(Page page) {
    assertThat(page.locator("h1")).hasText("Choose a seat");
    tabTo(page, "select");
    page.keyboard().type("B");
    press(page, "Reserve");
    assertThat(page.locator("h1")).hasText(Pattern.compile("Seat B1\\d* is yours"));
  }

  private static void press(Page page, String text) {
    for (int i = 0; i < 20; i++) {
      page.keyboard().press("Tab");
      if (page.evaluate("document.activeElement.textContent").equals(text)) {
        page.keyboard().press("Enter");
        return;
      }
    }
    throw new AssertionError("no " + text + " within twenty tabs");
  }

  private static void tabTo(Page page, String element) {
    for (int i = 0; i < 20; i++) {
      page.keyboard().press("Tab");
      if (page.evaluate("document.activeElement.localName").equals(element)) {
        return;
      }
    }
    throw new AssertionError("no " + element + " within twenty tabs");
  }

  private static void signInIsForWhoKnowsTheLink(String link)
      throws IOException, InterruptedException {
    URI uri = URI.create(link);
    for (String path : List.of("/", "/console", uri.getPath() + "0", "/" + "0".repeat(32))) {
      HttpResponse<Void> answer = get(uri.resolve(path).toString());
      assertThat(answer.statusCode()).as(path).isEqualTo(404);
      assertThat(answer.headers().map()).doesNotContainKey("set-cookie");
    }
  }

  private static HttpResponse<Void> get(String url) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.discarding());
  }
}
