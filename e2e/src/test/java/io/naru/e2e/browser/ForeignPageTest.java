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

/** {@code naru.js} on a page of somebody else's site, which the server was told to allow. */
class ForeignPageTest {

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  private static TestSite shop;
  private static TestSite stranger;
  private static Room room;

  @BeforeAll
  static void open() throws IOException {
    shop = new TestSite();
    stranger = new TestSite();
    room = new Room(data, "--allowed-origins", shop.origin());
  }

  @AfterAll
  static void close() {
    room.close();
    stranger.close();
    shop.close();
  }

  private static String ownPage(TestSite site, Queue queue) {
    String html =
        """
        <!DOCTYPE html><html lang=en><title>Shop</title>
        <p id=place><p id=connection><p id=event>
        <script type=module>
          import { Naru } from 'http://127.0.0.1:%d/naru.js';
          const put = (id, text) => document.getElementById(id).textContent = text;
          const naru = new Naru('SHOW', '%s');
          naru.addEventListener('status', event => put('place', event.detail.position));
          naru.addEventListener('connection', event => put('connection', event.detail));
          naru.addEventListener('entered', event => put('event', 'entered ' + event.detail.status));
          naru.addEventListener('ended', event => put('event', 'ended ' + event.detail.code));
          window.naru = naru;
          naru.start();
        </script>
        """
            .formatted(room.port(), queue.id());
    return site.page("/" + queue.id(), html);
  }

  @Test
  void enter_followsThePlaceAndHearsOfTheAdmission() {
    Queue queue = room.queue("own-page");
    queue.enterCrowd(3);
    Page page = BROWSER.visit().open(ownPage(shop, queue));

    assertThat(page.locator("#place")).hasText("4");
    assertThat(page.locator("#connection")).hasText("live");
    queue.admit(2);
    assertThat(page.locator("#place")).hasText("2");
    page.reload();
    assertThat(page.locator("#place")).hasText("2");

    queue.admit(2);
    assertThat(page.locator("#event")).hasText("entered ENTERED");
    assertThat(queue.figure("waiting")).isZero();
  }

  @Test
  void leave_givesThePlaceUp() {
    Queue queue = room.queue("own-leave");
    Page page = BROWSER.visit().open(ownPage(shop, queue));
    assertThat(page.locator("#place")).hasText("1");

    page.evaluate("() => naru.leave()");

    assertThat(page.locator("#event")).hasText("ended LEFT");
    assertThat(queue.figure("waiting")).isZero();
  }

  @Test
  void originNotAllowed_learnsNothing() {
    Queue queue = room.queue("stranger");
    Visit visit = BROWSER.visit();
    Page page = visit.open(ownPage(stranger, queue));

    assertThat(page.locator("#connection")).hasText("away");
    assertThat(page.locator("#place")).isEmpty();
    assertThat(visit.takeComplaints())
        .isNotEmpty()
        .allSatisfy(complaint -> assertThat(complaint).contains("CORS"));
  }
}
