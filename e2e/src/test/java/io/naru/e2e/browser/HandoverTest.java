package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext.ClearCookiesOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.Cookie;
import io.naru.e2e.browser.Room.Queue;
import io.naru.gate.Gate;
import io.naru.gate.GateBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** From a protected page through the line to that very page, with a real gate before it. */
class HandoverTest {

  private static final String WANTED = "/seats/7?row=a%2Fb&name=%EB%82%98%EB%A3%A8&n=1+2;x";
  private static final String UNTAKEN = "The site did not take your pass";

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;
  @TempDir private static Path folder;

  private static Room room;
  private final List<AutoCloseable> opened = new ArrayList<>();

  @BeforeAll
  static void open() {
    room = new Room(data);
  }

  @AfterAll
  static void close() {
    room.close();
  }

  @AfterEach
  void closeOpened() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  /** A site whose seats are for those who waited in this queue. */
  private GuardedSite site(Room at, String id, UnaryOperator<GateBuilder> more) {
    var gate = Gate.builder("http://127.0.0.1:" + at.port(), "SHOW/" + id);
    gate.protect(GuardedSite.PROTECTED).pollEvery(Duration.ofMillis(200));
    var site = new GuardedSite(more.apply(gate).open(), folder);
    opened.add(site);
    return site;
  }

  private static String target(String origin) {
    return "\"targetUrl\":\"" + origin + "/\"";
  }

  private static List<Request> watched(Visit visit) {
    var requests = new ArrayList<Request>();
    visit.context().onRequest(requests::add);
    return requests;
  }

  private static String pass(Visit visit) {
    return visit.context().cookies().stream()
        .filter(cookie -> cookie.name.equals("naru-pass"))
        .map((Cookie cookie) -> cookie.value)
        .findFirst()
        .orElseThrow();
  }

  private static void isNowhereInAddresses(String pass, List<Request> requests, GuardedSite site) {
    assertThat(pass).startsWith("ey").hasSizeGreaterThan(200);
    assertThat(requests)
        .isNotEmpty()
        .allSatisfy(
            request -> {
              assertThat(request.url()).doesNotContain(pass);
              assertThat(request.allHeaders().getOrDefault("referer", "")).doesNotContain(pass);
            });
    assertThat(site.requests()).isNotEmpty().noneMatch(request -> request.contains(pass));
  }

  private static void isAt(Page page, String address) {
    page.waitForURL(address);
    assertThat(page.locator("#user")).hasText(Pattern.compile("visitor-.+"));
  }

  @Test
  void protectedPage_waitsThroughReloadsAndOutages_thenShowsExactlyThatPage() {
    GuardedSite site = site(room, "wanted", gate -> gate);
    String origin = site.origin("127.0.0.1");
    Queue queue = room.queue("wanted", target(origin));
    queue.enterCrowd(1);
    Visit visit = BROWSER.visit();
    List<Request> requests = watched(visit);

    Page page = visit.open(origin + WANTED);
    assertThat(page.locator("#place")).hasText("2");
    page.reload();
    assertThat(page.locator("#place")).hasText("2");
    visit.context().route("**/queue/**", Route::abort);
    page.reload();
    assertThat(page.locator("#state")).containsText("Your place is kept");
    visit.context().unrouteAll();

    queue.admit(2);
    isAt(page, origin + WANTED);
    assertThat(page.locator("h1")).hasText(WANTED);
    isNowhereInAddresses(pass(visit), requests, site);
    assertThat(site.requests())
        .as("nobody tells the site where its visitors were")
        .allMatch(request -> request.endsWith(" from null") || !request.startsWith("/seats"));

    // The pass is the site's now: other pages of it ask nobody.
    page.navigate(origin + "/seats/8");
    isAt(page, origin + "/seats/8");
    assertThat(page.evaluate("document.cookie")).isEqualTo("");
  }

  @Test
  void protectedPage_withoutScripts_isTheSameWay() {
    GuardedSite site = site(room, "plain-wanted", gate -> gate);
    String origin = site.origin("127.0.0.1");
    Queue queue = room.queue("plain-wanted", target(origin));
    queue.fillHouse();
    queue.enterCrowd(1);
    Visit visit = BROWSER.visit(options -> options.setJavaScriptEnabled(false));
    List<Request> requests = watched(visit);

    Page page = visit.open(origin + WANTED);
    page.locator("#enter-form button").click();
    assertThat(page.locator("#place")).hasText("2");
    page.reload();
    assertThat(page.locator("#place")).hasText("2");

    queue.makeRoom(2);
    isAt(page, origin + WANTED);
    assertThat(page.locator("h1")).hasText(WANTED);
    isNowhereInAddresses(pass(visit), requests, site);
  }

  @Test
  void formOfSomebodyWhoseTurnItIs_goesStraightToTheSite() {
    GuardedSite site = site(room, "straight", gate -> gate);
    String origin = site.origin("127.0.0.1");
    Queue queue = room.queue("straight", target(origin));
    Visit visit = BROWSER.visit(options -> options.setJavaScriptEnabled(false));
    Page page = visit.open(origin + WANTED);
    page.locator("#enter-form button").click();
    assertThat(page.locator("#place")).hasText("1");
    page.navigate(queue.page());
    queue.admit(1);

    // A redirect after a form counts as the form's, and the policy has to allow it.
    page.locator("#enter-form button").click();

    page.waitForURL(origin + "/");
  }

  @Test
  void insideAlready_comingAgainWithoutThePass_getsItAtOnce() {
    GuardedSite site = site(room, "inside", gate -> gate);
    String origin = site.origin("127.0.0.1");
    Queue queue = room.queue("inside", target(origin));
    Visit visit = BROWSER.visit();
    Page page = visit.open(origin + "/seats/1");
    assertThat(page.locator("#place")).hasText("1");
    queue.admit(1);
    isAt(page, origin + "/seats/1");
    visit.context().clearCookies(new ClearCookiesOptions().setName("naru-pass"));
    visit.context().clearCookies(new ClearCookiesOptions().setName("naru-handed"));

    assertThat(page.navigate(origin + "/seats/2?a=b").status()).isEqualTo(200);

    assertThat(page).hasURL(origin + "/seats/2?a=b");
    assertThat(page.locator("h1")).hasText("/seats/2?a=b");
  }

  @Test
  void severalTabs_allGoOn() {
    GuardedSite site = site(room, "tabs", gate -> gate);
    String origin = site.origin("127.0.0.1");
    Queue queue = room.queue("tabs", target(origin));
    queue.fillHouse();
    Visit visit = BROWSER.visit();
    Page one = visit.open(origin + "/seats/1");
    assertThat(one.locator("#place")).hasText("1");
    Page two = visit.open(origin + "/seats/2");
    assertThat(two.locator("#place")).hasText("1");

    queue.makeRoom(1);

    isAt(one, origin + "/seats/1");
    isAt(two, origin + "/seats/2");
  }

  @Test
  void siteThatTakesNoPass_isAskedOnceAndThenOnlyOnRequest() {
    GuardedSite site = site(room, "refusing", gate -> gate.audience("somebody-else"));
    String origin = site.origin("127.0.0.1");
    Queue queue = room.queue("refusing", target(origin));
    Page page = BROWSER.visit().open(origin + WANTED);
    assertThat(page.locator("#place")).hasText("1");

    queue.admit(1);

    assertThat(page.locator("#notice-title")).hasText(UNTAKEN);
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "untaken");
    assertThat(site.requestsFor("/seats/7")).isEqualTo(2);

    page.waitForResponse("**/place?**go=1", () -> page.locator("#go").click());
    assertThat(page.locator("#notice-title")).hasText(UNTAKEN);
    assertThat(site.requestsFor("/seats/7")).isEqualTo(3);
  }

  @Test
  void siteThatTakesNoPass_withoutScripts_isTheSame() {
    GuardedSite site = site(room, "plain-refusing", gate -> gate.audience("somebody-else"));
    String origin = site.origin("127.0.0.1");
    Queue queue = room.queue("plain-refusing", target(origin));
    queue.fillHouse();
    Visit visit = BROWSER.visit(options -> options.setJavaScriptEnabled(false));
    Page page = visit.open(origin + WANTED);
    page.locator("#enter-form button").click();
    assertThat(page.locator("#place")).hasText("1");

    queue.makeRoom(1);

    assertThat(page.locator("#notice-title")).hasText(UNTAKEN);
    assertThat(site.requestsFor("/seats/7")).isEqualTo(2);
    page.waitForResponse("**/place?**go=1", () -> page.locator("#go").click());
    assertThat(page.locator("#notice-title")).hasText(UNTAKEN);
    assertThat(site.requestsFor("/seats/7")).isEqualTo(3);
  }

  @Test
  void siteAndNaruUnderOneDomain_shareThePass(@TempDir Path own) throws IOException {
    int port = freePort();
    String naru = "http://wait.shop.localhost:" + port;
    Room named = new Room(own, "--port", "" + port, "--public-url", naru);
    opened.add(named);
    GuardedSite site = site(named, "domain", gate -> gate.publicUrl(naru));
    String origin = site.origin("www.shop.localhost");
    Queue queue = named.queue("domain", target(origin));
    Visit visit = BROWSER.visit();
    List<Request> requests = watched(visit);

    Page page = visit.open(origin + WANTED);
    assertThat(page.locator("#place")).hasText("1");
    assertThat(page.url()).startsWith(naru + "/wait/SHOW/domain?return=");
    queue.admit(1);

    isAt(page, origin + WANTED);
    assertThat(visit.context().cookies())
        .filteredOn((Cookie cookie) -> cookie.name.equals("naru-pass"))
        .extracting((Cookie cookie) -> cookie.domain)
        .containsExactly(".shop.localhost");
    isNowhereInAddresses(pass(visit), requests, site);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
