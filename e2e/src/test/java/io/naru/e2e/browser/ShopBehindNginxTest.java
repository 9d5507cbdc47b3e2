package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import io.naru.testkit.NginxServer;
import io.naru.testkit.PlainSite;
import io.naru.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shop that knows nothing of Naru behind nginx, with the file of examples/proxies: wait, in, buy,
 * out; and Naru is killed in the middle.
 */
class ShopBehindNginxTest {

  @RegisterExtension
  static final Program NGINX =
      new Program("NARU_PROXY", NginxServer.find(System.getenv()), NginxServer.HOW);

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();

  private static final String SECRET = "a-secret-of-the-shop-of-32-bytes!";
  private static final List<String> SITE =
      List.of(
          "--site-issuer",
          "https://shop.example",
          "--site-audience",
          "naru",
          "--site-secret",
          SECRET,
          "--site-cookie",
          "shop-session");

  @TempDir private Path data;

  @Test
  void visitor_waitsGoesInBuysAndIsOut_alsoWhileNaruIsKilled() throws IOException {
    try (var room = new Room(data, SITE.toArray(String[]::new));
        var shop = PlainSite.open();
        var nginx = NginxServer.site(NGINX.path(), configuration(room, shop))) {
      Room.Queue queue = room.queue("nginx");
      String checkout = "http://127.0.0.1:" + nginx.port() + "/checkout";
      Page page = BROWSER.visit().open(checkout);
      assertThat(page.locator("#place")).hasText("1");
      assertThat(page.url()).contains("/wait/SHOW/nginx?return=%2Fcheckout");
      assertThat(shop.heads()).as("nothing of it reached the shop").isEmpty();

      queue.admit(1);
      page.waitForURL(checkout);
      assertThat(page.locator("button")).hasText("Buy");
      assertThat(page.context().cookies())
          .filteredOn(cookie -> cookie.name.equals("naru-pass"))
          .singleElement()
          .satisfies(cookie -> assertThat(cookie.httpOnly).isTrue());

      room.kill();
      page.reload();
      assertThat(page.locator("button")).hasText("Buy");
      Page late = BROWSER.visit().open(checkout);
      assertThat(late.locator("body")).containsText("One moment, please");

      room.startAgain();
      late.reload();
      assertThat(late.url()).contains("/wait/SHOW/nginx");
      page.locator("button").click();
      page.waitForURL("**/done");
      assertThat(shop.orders()).isEqualTo(1);
      await().until(() -> queue.figure("completed") == 1);

      page.navigate("http://127.0.0.1:" + nginx.port() + "/");
      assertThat(page.locator("a")).hasText("Checkout");
      await()
          .pollInSameThread()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                page.navigate(checkout);
                return page.url().contains("/wait/SHOW/nginx");
              });
      onePlaceOnTwoDevices(room.queue("accounts"), nginx.port());
    }
  }

  /** Whoever is signed in at the shop has one place, wherever they are. */
  private static void onePlaceOnTwoDevices(Room.Queue queue, int port) {
    queue.enterCrowd(2);
    Page desk = signedIn("customer-42", port).open(queue.page(port));
    assertThat(desk.locator("#place")).hasText("3");
    Page other = signedIn("customer-43", port).open(queue.page(port));
    assertThat(other.locator("#place")).hasText("4");
    Page phone = signedIn("customer-42", port).open(queue.page(port));
    assertThat(phone.locator("#place")).hasText("3");
    assertThat(queue.figure("waiting")).isEqualTo(4);
  }

  private static Visit signedIn(String account, int port) {
    Visit visit = BROWSER.visit();
    visit
        .context()
        .addCookies(
            List.of(new Cookie("shop-session", token(account)).setUrl("http://127.0.0.1:" + port)));
    return visit;
  }

  /** As the shop signs it. */
  private static String token(String account) {
    String claims =
        "{\"iss\":\"https://shop.example\",\"aud\":\"naru\",\"sub\":\"%s\",\"exp\":%d}"
            .formatted(account, Instant.now().getEpochSecond() + 600);
    String input =
        encoded("{\"alg\":\"HS256\"}".getBytes(UTF_8)) + "." + encoded(claims.getBytes(UTF_8));
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
      return input + "." + encoded(mac.doFinal(input.getBytes(UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String configuration(Room room, PlainSite shop) throws IOException {
    return Files.readString(Path.of("..", "examples", "proxies", "nginx.conf"))
        .replace("127.0.0.1:8080", "127.0.0.1:" + room.port())
        .replace("127.0.0.1:8090", "127.0.0.1:" + shop.port())
        .replace("TIMEDEAL/123", "SHOW/nginx");
  }
}
