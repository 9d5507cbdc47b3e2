package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.naru.e2e.browser.Room.Queue;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The same way through the line without any script: a form, a cookie, and pages that refresh. */
class NoScriptTest {

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  private static Room room;
  private static TestSite shop;

  @BeforeAll
  static void open() throws IOException {
    room = new Room(data);
    shop = new TestSite();
  }

  @AfterAll
  static void close() {
    shop.close();
    room.close();
  }

  @Test
  void enter_placeRefreshesByItself_thenTheTargetOpens() {
    String target = shop.page("/sale", "<html lang=en><title>Sale</title><h1>Welcome to the sale");
    Queue queue = room.queue("plain", "\"targetUrl\":\"" + target + "\"");
    queue.fillHouse();
    queue.enterCrowd(4);
    Visit visit = BROWSER.visit(options -> options.setJavaScriptEnabled(false));
    Page page = visit.open(queue.page());
    Visit.screenshot(page, "no-script-enter");

    page.locator("#enter-form button").click();
    assertThat(page.locator("#place")).hasText("5");
    assertThat(page.locator("#turn")).containsText("you will have 5 minutes");
    Visit.screenshot(page, "no-script-place");

    page.locator("#languages a[lang=ja]").click();
    assertThat(page.locator("#place-label")).hasText("あなたの順番");
    queue.act("pause", "\"reason\":\"<b>Rain\"");
    assertThat(page.locator("#reason")).hasText("<b>Rain");
    queue.act("resume");
    assertThat(page.locator("#reason")).isEmpty();
    page.locator("#languages a[lang=en]").click();
    assertThat(page.locator("#place-label")).hasText("Your place in line");

    queue.makeRoom(2);
    assertThat(page.locator("#place")).hasText("3");

    // Whoever comes back to the first page and enters again finds the place that is there.
    page.navigate(queue.page());
    page.locator("#enter-form button").click();
    assertThat(page.locator("#place")).hasText("3");
    assertThat(queue.figure("waiting")).isEqualTo(3);

    queue.makeRoom(3);
    page.waitForURL(target);
  }
}
