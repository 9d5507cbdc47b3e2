package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.ServiceWorkerPolicy;
import io.naru.e2e.browser.Room.Queue;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What somebody who waits sees, from entering to the site behind. */
class WaitingPageTest {

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  /** The last of the numbers that a challenge can be about. */
  private static final String SLOWEST_PROOF =
      """
      async () => {
        const { solve } = await import('/naru-proof.js');
        const zeros = '0'.repeat(32);
        const keyPrefix = 'a8a7f4aa404af80973815c534bce461f';
        const started = performance.now();
        solve({ nonce: zeros, salt: zeros, keyPrefix, cost: 300 });
        return Math.round(performance.now() - started);
      }
      """;

  /** Draws for a while; how long the longest task of the page's own thread was meanwhile. */
  private static final String DRAW =
      """
      () => new Promise((resolve) => {
        let longest = 0;
        let frames = 0;
        new PerformanceObserver((list) => {
          list.getEntries().forEach((task) => { longest = Math.max(longest, task.duration); });
        }).observe({ type: 'longtask', buffered: true });
        const draw = () => {
          frames++;
          if (frames < 60) {
            requestAnimationFrame(draw);
          } else {
            resolve(Math.round(longest));
          }
        };
        requestAnimationFrame(draw);
      })
      """;

  /** The last of the numbers again, where the page does it: beside itself. */
  private static final String SLOWEST_PROOF_BESIDE =
      """
      (url) => new Promise((resolve) => {
        const zeros = '0'.repeat(32);
        const keyPrefix = 'a8a7f4aa404af80973815c534bce461f';
        const worker = new Worker(url, { type: 'module' });
        const started = performance.now();
        worker.onmessage = () => {
          worker.terminate();
          resolve(Math.round(performance.now() - started));
        };
        worker.postMessage({ nonce: zeros, salt: zeros, keyPrefix, cost: 300 });
      })
      """;

  private static final String COUNT_FRAMES =
      """
      () => {
        window.asked = 0;
        const real = window.requestAnimationFrame;
        window.requestAnimationFrame = (draw) => {
          window.asked++;
          return real.call(window, draw);
        };
      }
      """;

  private static final String KEPT_TOKEN =
      """
      () => {
        const key = Object.keys(localStorage).find((key) => key.startsWith('naru:'));
        return JSON.parse(localStorage.getItem(key) ?? '{}').token;
      }
      """;

  /** As if the page had heard of a later state than there is. */
  private static final String HAVE_SEEN_MORE =
      """
      (id) => {
        const key = Object.keys(localStorage).find((key) => key.endsWith(`/SHOW/${id}`));
        const kept = JSON.parse(localStorage.getItem(key));
        localStorage.setItem(key, JSON.stringify({ ...kept, change: kept.change + 1_000 }));
      }
      """;

  /** What the page asked for before has been seen once this is answered. */
  private static final String ASK_SOMETHING_ELSE =
      "async () => (await fetch('/health/live')).status";

  private static final String LANES =
      "\"lanes\":[{\"name\":\"vip\",\"share\":70},{\"name\":\"normal\",\"share\":30}]";

  private static Room room;
  private static TestSite shop;
  private static String target;

  @BeforeAll
  static void open() throws IOException {
    room = new Room(data);
    shop = new TestSite();
    target = shop.page("/sale", "<html lang=en><title>Sale</title><h1>Welcome to the sale</h1>");
  }

  @AfterAll
  static void close() {
    shop.close();
    room.close();
  }

  @Test
  void enter_placeMovesAsOthersGoIn_thenTheTargetOpensByItself() {
    Queue queue = room.queue("story", "\"targetUrl\":\"" + target + "\"");
    queue.enterCrowd(5);
    Page page = BROWSER.visit().open(queue.page());

    assertThat(page.locator("#place")).hasText("6");
    assertThat(page.locator("#ahead")).containsText("5");
    assertThat(page).hasTitle(Pattern.compile(".*6.*"));

    queue.admit(2);
    // Between messages it counts on, so it may be ahead of the news by what is due.
    assertThat(page.locator("#place")).hasText(Pattern.compile("[34]"));

    queue.admit(4);
    page.waitForURL(target);
    assertThat(page.locator("h1")).hasText("Welcome to the sale");
  }

  /** Somebody's telephone shows it for hours. */
  @Test
  void placeStandsStill_noFramesAreDrawn_untilItMoves() {
    Queue queue = room.queue("still");
    queue.enterCrowd(4);
    Page page = BROWSER.visit().open(queue.page());
    assertThat(page.locator("#place")).hasText("5");
    page.evaluate(COUNT_FRAMES);

    assertThat(framesWithinSeconds(page)).isZero();

    queue.admit(2);
    assertThat(page.locator("#place")).hasText("3");
    assertThat(framesWithinSeconds(page)).as("it glides").isPositive();
  }

  private static int framesWithinSeconds(Page page) {
    return (int) page.evaluate("() => new Promise(r => setTimeout(() => r(asked), 2_500))");
  }

  @Test
  void lanes_showPlaceAndPromiseOfTheLane_andACodeOpensAnother() {
    Queue queue = room.queue("lanes", LANES);
    queue.enterCrowd(3);
    Page page = BROWSER.visit().open(queue.page());
    assertThat(page.locator("#place")).hasText("4");
    assertThat(page.locator("#lane"))
        .hasText(Pattern.compile("Lane: normal · At most 1\\d people.*"));

    page.locator("#code summary").click();
    page.locator("#code-text").fill(queue.code("vip"));
    page.locator("#code-form button").click();

    assertThat(page.locator("#lane")).containsText("Lane: vip");
    assertThat(page.locator("#place")).hasText("1");
    page.reload();
    assertThat(page.locator("#place")).hasText("1");
    assertThat(queue.figure("waiting")).isEqualTo(4);
  }

  @Test
  void codeInTheAddress_countsInTheLanguageChosenBefore_andIsNotShownAgain() {
    Queue queue = room.queue("code-link", LANES);
    queue.enterCrowd(2);
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("3");
    page.locator("#languages a[lang=ja]").click();
    assertThat(page).hasURL(queue.page() + "?lang=ja");
    assertThat(page.locator("#place")).hasText("3");
    page.locator("#leave").click();
    page.locator("#leave-yes").click();
    assertThat(page.locator("#wait")).hasAttribute("data-state", "left");

    page.navigate(queue.page() + "?code=" + queue.code("vip"));

    assertThat(page.locator("#lane")).containsText("vip");
    assertThat(page.locator("#place")).hasText("1");
    assertThat(page).hasURL(queue.page() + "?lang=ja");
    page.locator("#languages a[lang=en]").click();
    assertThat(page.locator("#lane")).containsText("Lane: vip");
    assertThat(page).hasURL(queue.page() + "?lang=en");
    assertThat(page.locator("#code")).not().hasAttribute("open", "");
    assertThat(page.locator("#code-wrong")).isEmpty();
  }

  @Test
  void codeInTheAddress_thatIsNone_isSaidOnce() {
    Queue queue = room.queue("code-none", LANES);
    Page page = BROWSER.visit().open(queue.page() + "?code=7K3M-9QXW-2F5T-8HJN");

    assertThat(page.locator("#code-wrong")).containsText("This code is not valid here");
    assertThat(page.locator("#place")).hasText("1");
    assertThat(page).hasURL(queue.page());
    page.reload();
    assertThat(page.locator("#place")).hasText("1");
    assertThat(page.locator("#code-wrong")).isEmpty();
  }

  @Test
  void codeInTheAddress_whileNobodyCanBeAsked_thePlaceIsShown_andTheCodeKept() {
    Queue queue = room.queue("code-away", LANES);
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    visit.context().route("**/queue/**", Route::abort);

    String address = queue.page() + "?code=" + queue.code("vip");
    page.navigate(address);

    assertThat(page.locator("#state")).containsText("Your place is kept");
    assertThat(page.locator("#place")).hasText("1");
    assertThat(page).hasURL(address);
    visit.context().unrouteAll();
    page.reload();
    assertThat(page.locator("#lane")).containsText("Lane: vip");
    assertThat(page).hasURL(queue.page());
  }

  /** Places are shown all the while, so nobody would load the page again. */
  @Test
  void codeInTheAddress_whileNobodyCanEnter_isTriedAgain() {
    Queue queue = room.queue("code-later", LANES);
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    visit.context().clock().install();
    page.route("**/enter", WaitingPageTest::badGateway);
    page.waitForResponse(
        "**/enter", () -> page.navigate(queue.page() + "?code=" + queue.code("vip")));
    assertThat(page.locator("#lane")).containsText("Lane: normal");

    page.unroute("**/enter");
    page.clock().fastForward(10_000);

    assertThat(page.locator("#lane")).containsText("Lane: vip");
    assertThat(page).hasURL(queue.page());
  }

  /** What the board does not say, one asks for; of an older promise nothing is said. */
  @Test
  void livesOnTheBoard_loadedAgain_saysNothingWrong() {
    Queue queue = room.queue("board-again", LANES, "\"absenceGraceSeconds\":600");
    queue.enterCrowd(2);
    Page page = BROWSER.visit().context().newPage();
    change(page, queue.page(), "data-state=", "data-follow=\"board\" data-state=");
    change(page, "**/board", "\"askWithin\":1000", "\"askWithin\":0");
    page.navigate(queue.page());

    for (int i = 0; i < 2; i++) {
      assertThat(page.locator("#place")).hasText("3");
      assertThat(page.locator("#lane")).hasText("Lane: normal");
      assertThat(page.locator("#turn")).containsText("10 minutes");
      page.reload();
    }
  }

  private static void change(Page page, String url, String from, String to) {
    page.route(
        url,
        route -> {
          var answer = route.fetch();
          String text = answer.text().replace(from, to);
          route.fulfill(new Route.FulfillOptions().setResponse(answer).setBody(text));
        });
  }

  /** Nor is it by whoever loads the page again meanwhile, or comes back to it. */
  @Test
  void handoff_proxyHasNobodyBehindItAtFirst_isTriedAgain_andNoOtherPlaceTaken() {
    Queue queue = room.queue("handoff-again");
    queue.enterCrowd(2);
    String link = link(BROWSER.visit().open(queue.page()), "3");
    Page page = BROWSER.visit().context().newPage();
    page.route("**/handoff", WaitingPageTest::badGateway);

    page.navigate(link);
    assertThat(page.locator("#state")).containsText("We cannot reach the line right now");
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    page.reload();
    assertThat(page.locator("#state")).containsText("We cannot reach the line right now");
    page.unroute("**/handoff");

    assertThat(page.locator("#place")).hasText("3");
    assertThat(page.locator("#handoff-wrong")).isEmpty();
    assertThat(page.locator("#state")).not().containsText("cannot reach");
    assertThat(queue.figure("waiting")).as("nobody took a second place").isEqualTo(3);
    page.reload();
    assertThat(page.locator("#place")).hasText("3");
  }

  /** The link with which this page's place can be taken along. */
  private static String link(Page page, String place) {
    assertThat(page.locator("#place")).hasText(place);
    page.locator("#handoff").click();
    assertThat(page.locator("#handoff-qr svg path").last()).isAttached();
    return page.locator("#handoff-link").inputValue();
  }

  /** While servers are replaced one by one. */
  @Test
  void handoff_serverOfTheVersionBefore_isAskedAsItKnowsIt() {
    Queue queue = room.queue("handoff-before");
    queue.enterCrowd(2);
    String link = link(BROWSER.visit().open(queue.page()), "3");
    Page page = BROWSER.visit().context().newPage();
    page.route(
        "**/handoff",
        route -> {
          if (route.request().postData().contains("attempt")) {
            route.fulfill(
                new Route.FulfillOptions()
                    .setStatus(400)
                    .setContentType("application/problem+json")
                    .setBody("{\"code\":\"invalid-value\",\"field\":\"attempt\"}"));
          } else {
            route.resume();
          }
        });

    page.navigate(link);

    assertThat(page.locator("#place")).hasText("3");
    assertThat(page.locator("#handoff-wrong")).isEmpty();
  }

  private static void badGateway(Route route) {
    route.fulfill(
        new Route.FulfillOptions()
            .setStatus(502)
            .setContentType("text/html")
            .setBody("<h1>502 Bad Gateway</h1>"));
  }

  /** Whoever is busy is asked again when it wants to be; whoever refuses is not asked again. */
  @Test
  void handoff_serverBusyAndThenRefusing_isLeftAloneAndBelieved() {
    Queue queue = room.queue("handoff-refused");
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.context().newPage();
    List<String> asked = new CopyOnWriteArrayList<>();
    var busy = new Route.FulfillOptions().setStatus(503).setHeaders(Map.of("Retry-After", "120"));
    var refused = new Route.FulfillOptions().setStatus(400).setBody("{\"code\":\"invalid-value\"}");
    page.route(
        "**/handoff",
        route -> {
          asked.add(route.request().url());
          route.fulfill(asked.size() == 1 ? busy : refused);
        });

    page.navigate(queue.page() + "#handoff=7K3M9QXW2F5T8HJN7K3M9QXW");
    assertThat(page.locator("#state")).containsText("We cannot reach the line right now");
    page.clock().runFor(60_000);
    page.evaluate(ASK_SOMETHING_ELSE);
    assertThat(asked).as("asked within a minute").hasSize(1);

    pass(page, 70);
    assertThat(page.locator("#handoff-wrong")).containsText("That did not work");
    assertThat(page.locator("#place")).hasText("1");
    page.clock().runFor(20_000);
    page.evaluate(ASK_SOMETHING_ELSE);
    assertThat(asked).hasSize(2);
  }

  /** As who was told to leave their own place first opens the link again. */
  @Test
  void handoff_linkOpenedWhereThePageIsOpen_counts() {
    Queue queue = room.queue("handoff-here");
    String link = link(BROWSER.visit().open(queue.page()), "1");
    Page page = BROWSER.visit().open(queue.page());
    assertThat(page.locator("#place")).hasText("2");

    page.navigate(link);
    assertThat(page.locator("#handoff-wrong")).containsText("leave this place first");
    page.locator("#leave").click();
    page.locator("#leave-yes").click();
    assertThat(page.locator("#wait")).hasAttribute("data-state", "left");
    page.navigate(link);

    assertPlaceAgain(page, "1");
    assertThat(queue.figure("waiting")).isEqualTo(1);
  }

  @Test
  void handoff_linkOpenedElsewhere_thePlaceIsThereAndNoLongerHere() {
    Queue queue = room.queue("handoff", "\"targetUrl\":\"" + target + "\"");
    queue.enterCrowd(3);
    Page desk = BROWSER.visit().open(queue.page());
    assertThat(desk.locator("#place")).hasText("4");
    desk.locator("#handoff").focus();
    desk.keyboard().press("Enter");
    assertThat(desk.locator("#handoff-qr svg path").last()).isAttached();
    assertThat(desk.locator("#handoff-close")).isFocused();
    String link = desk.locator("#handoff-link").inputValue();

    Visit phone = BROWSER.visit();
    Page page = phone.open(link);

    assertThat(page.locator("#place")).hasText("4");
    assertThat(page).hasURL(Pattern.compile("[^#]+"));
    assertThat(desk.locator("#wait")).hasAttribute("data-state", "elsewhere");
    assertThat(desk.locator("#notice-text")).containsText("another device");
    Page thief = BROWSER.visit().open(link);
    assertThat(thief.locator("#wait")).hasAttribute("data-state", "nolink");
    assertThat(queue.figure("waiting")).as("nobody took a second place").isEqualTo(4);
    page.reload();
    assertThat(page.locator("#place")).hasText("4");
    desk.reload();
    assertThat(desk.locator("#place")).hasText("5");
    queue.admit(4);
    page.waitForURL(target);
  }

  /** What it takes on a phone is printed: six times slower than here, on the page's own thread. */
  @Test
  void doors_theProofIsFoundBesideThePage_whileOneWaits() {
    Queue queue = room.queue("doors", "\"targetUrl\":\"" + target + "\"");
    queue.enterCrowd(2);
    queue.set("\"doors\":{\"work\":\"ALWAYS\"}");
    Visit visit = BROWSER.visit();
    Page page = visit.context().newPage();
    List<String> workers = new CopyOnWriteArrayList<>();
    page.onWorker(worker -> workers.add(worker.url()));
    page.navigate(queue.page());

    assertThat(page.locator("#proof")).hasAttribute("data-proof", "proved");
    assertThat(page.locator("#proof")).containsText("Checked");
    assertThat(page.locator("#place")).hasText("3");
    assertThat(workers).singleElement().asString().endsWith("/proof-worker.js");
    page.reload();
    assertThat(page.locator("#place")).hasText("3");
    assertThat(page.locator("#proof")).hasText("");

    Object beside = page.evaluate(SLOWEST_PROOF_BESIDE, workers.getFirst());
    slowDown(visit, page);
    System.out.printf(
        "the longest proof, six times slower: %s ms; in the worker, which that does not reach:"
            + " %s ms, %s ms before%n",
        page.evaluate(SLOWEST_PROOF),
        page.evaluate(SLOWEST_PROOF_BESIDE, workers.getFirst()),
        beside);
    queue.admit(3);
    page.waitForURL(target);
  }

  private static void slowDown(Visit visit, Page page) {
    var throttling = new JsonObject();
    throttling.addProperty("rate", 6);
    visit.context().newCDPSession(page).send("Emulation.setCPUThrottlingRate", throttling);
  }

  /** Here the search takes a hundred times as long: what holds the page up by it shows. */
  @Test
  void doors_whileTheProofIsSought_thePageGoesOnAsEver() {
    Queue queue = room.queue("doors-hard");
    queue.set("\"doors\":{\"work\":\"ALWAYS\"}");
    Visit visit = BROWSER.visit();
    Page page = visit.context().newPage();
    page.route(
        "**/challenge",
        route -> {
          var asked = route.fetch();
          route.fulfill(new Route.FulfillOptions().setResponse(asked).setBody(hard(asked.text())));
        });
    page.navigate(queue.page());
    assertThat(page.locator("#proof")).hasAttribute("data-proof", "working");
    slowDown(visit, page);

    var longest = (Number) page.evaluate(DRAW);

    System.out.println("the longest task of the page while a proof is sought: " + longest + " ms");
    assertThat(longest.longValue()).isLessThan(2_000);
    assertThat(page.locator("#proof")).hasAttribute("data-proof", "working");
    page.close();
  }

  /** The same challenge with far more work, found at the hundredth number. */
  private static String hard(String challenge) {
    String zeros = "0".repeat(32);
    int cost = 120_000;
    String hard =
        challenge
            .replaceFirst("(\"nonce\":\")[0-9a-f]+", "$1" + zeros)
            .replaceFirst("(\"salt\":\")[0-9a-f]+", "$1" + zeros)
            .replaceFirst("(\"keyPrefix\":\")[0-9a-f]+", "$1" + keyPrefix(cost))
            .replaceFirst("(\"cost\":)[0-9]+", "$1" + cost);
    assertThat(hard).contains(zeros).contains("\"cost\":" + cost);
    return hard;
  }

  private static String keyPrefix(int cost) {
    char[] password = new char[20];
    password[19] = 100;
    try {
      byte[] key =
          SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
              .generateSecret(new PBEKeySpec(password, new byte[16], cost, 128))
              .getEncoded();
      return HexFormat.of().formatHex(key);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void tabClosed_openedAgain_samePlace() {
    Queue queue = room.queue("resume");
    queue.enterCrowd(3);
    Visit visit = BROWSER.visit();
    Page first = visit.open(queue.page());
    assertThat(first.locator("#place")).hasText("4");
    first.close();
    room.send("POST", queue.path() + "/enter", "", "User-Id: later");

    Page again = visit.open(queue.page());

    assertThat(again.locator("#place")).hasText("4");
    assertThat(queue.figure("waiting")).as("nobody entered twice").isEqualTo(5);
  }

  @Test
  void tabClosedAndStorageCleared_openedAgain_samePlaceByCookie() {
    Queue queue = room.queue("cookie");
    queue.enterCrowd(3);
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("4");

    page.evaluate("localStorage.clear()");
    page.reload();

    assertThat(page.locator("#place")).hasText("4");
    assertThat(queue.figure("waiting")).isEqualTo(4);
  }

  @Test
  void streamsBlocked_pollsAndStillMoves() {
    Queue queue = room.queue("polling", "\"targetUrl\":\"" + target + "\"");
    queue.fillHouse();
    queue.enterCrowd(2);
    Visit visit = BROWSER.visit();
    visit.context().route("**/subscribe/**", route -> route.abort());
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("3");

    queue.makeRoom(1);
    assertThat(page.locator("#place")).hasText(Pattern.compile("[12]"));
    assertThat(page.locator("#state")).not().containsText("Reconnecting");

    queue.makeRoom(2);
    page.waitForURL(target);
  }

  @Test
  void browserWithoutStreams_asksNearTheFront_andGoesIn() {
    Queue queue = room.queue("no-streams", "\"targetUrl\":\"" + target + "\"");
    queue.enterCrowd(2);
    Visit visit = BROWSER.visit();
    visit.context().addInitScript("delete window.EventSource");
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("3");
    // Two looks: by now it is known how near the front is.
    page.waitForResponse(Pattern.compile("/board"), () -> {});
    page.waitForResponse(Pattern.compile("/board"), () -> {});

    queue.admit(3);

    page.waitForURL(target);
  }

  /** What is wanted may change while the browser makes up its mind: nothing stays on for ever. */
  @Test
  void wakeLock_notWantedAnyMoreWhenGranted_isGivenBack() {
    room.queue("awake");
    String html = room.send("GET", "/wait/SHOW/awake", "").body();
    var folder = Pattern.compile("/wait/assets/\\w+/").matcher(html);
    assertThat(folder.find()).isTrue();
    Page page = BROWSER.visit().open("http://127.0.0.1:" + room.port() + "/console");

    Object released =
        page.evaluate(
            """
            async (folder) => {
              const locks = [];
              let grant = () => {};
              const request = () =>
                new Promise((granted) => {
                  grant = () => {
                    const lock = { released: false, release: async () => { lock.released = true; } };
                    locks.push(lock);
                    granted(lock);
                  };
                });
              Object.defineProperty(Navigator.prototype, 'wakeLock', { value: { request } });
              const { stayAwake } = await import(`${folder}awake.js`);
              const soon = () => new Promise((then) => setTimeout(then));
              stayAwake(true);
              await soon();
              stayAwake(false);
              grant();
              await soon();
              return locks.map((lock) => lock.released);
            }
            """,
            folder.group());

    assertThat(released).isEqualTo(List.of(true));
  }

  /**
   * Whoever asks is told to ask again in half a minute; the board says at once that many went in.
   */
  @Test
  void streamsBlocked_letInByHandFromFarBehind_isSeenOnTheBoard() {
    Queue queue = room.queue("by-hand", "\"targetUrl\":\"" + target + "\"");
    queue.enterCrowd(40);
    Visit visit = BROWSER.visit();
    visit.context().route("**/subscribe/**", route -> route.abort());
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("41");

    page.waitForResponse(Pattern.compile("/board"), () -> {});
    queue.admit(41);
    page.waitForURL(target);
  }

  /** The board says that the turn came, and the server that it wants to be left alone. */
  @Test
  void streamsBlocked_serverAsksForRest_isLeftAloneThoughTheTurnCame() {
    Queue queue = room.queue("rest");
    Visit visit = BROWSER.visit();
    visit.context().route("**/subscribe/**", route -> route.abort());
    Page page = visit.open(queue.page());
    page.waitForResponse(Pattern.compile("/board"), () -> {});
    List<String> asked = new CopyOnWriteArrayList<>();
    page.route(
        "**/queue/token/**",
        route -> {
          asked.add(route.request().url());
          route.fulfill(
              new Route.FulfillOptions().setStatus(503).setHeaders(Map.of("Retry-After", "60")));
        });

    page.waitForRequest("**/queue/token/**", () -> queue.admit(1));
    page.waitForTimeout(6_000);

    assertThat(asked).hasSizeLessThanOrEqualTo(2);
  }

  /** As of a ledger that was put back to how it was before. */
  @Test
  void streamsBlocked_serverIsBehindWhatIsKept_isAskedNoMoreOftenThanItWants() {
    Queue queue = room.queue("behind");
    Visit visit = BROWSER.visit();
    visit.context().route("**/subscribe/**", route -> route.abort());
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    page.navigate(URI.create(queue.page()).resolve("/health/live").toString());
    page.evaluate(HAVE_SEEN_MORE, queue.id());
    visit.context().clock().install();
    List<String> asked = new CopyOnWriteArrayList<>();
    page.route(
        "**/queue/token/**",
        route -> {
          asked.add(route.request().url());
          var answer = route.fetch();
          route.fulfill(
              new Route.FulfillOptions()
                  .setResponse(answer)
                  .setHeaders(Map.of("Retry-After", "100")));
        });

    page.navigate(queue.page());
    assertThat(page.locator("#wait")).hasAttribute("data-connection", "polling");
    page.clock().runFor(2_000);
    page.waitForCondition(() -> asked.size() == 2);
    page.evaluate(ASK_SOMETHING_ELSE);
    page.clock().runFor(60_000);
    page.evaluate(ASK_SOMETHING_ELSE);

    assertThat(asked).hasSize(2);
  }

  /** As after a Redis that alone decides was replaced by a copy of it that is far behind. */
  @Test
  void serverIsBehindForGood_placeStandsForAMoment_andMovesAgain() {
    Queue queue = room.queue("far-behind");
    queue.enterCrowd(5);
    Visit visit = BROWSER.visit();
    visit.context().route("**/subscribe/**", route -> route.abort());
    visit.context().clock().install();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("6");
    // The board would tell the place, too.
    page.route("**/board", route -> route.fulfill(new Route.FulfillOptions().setStatus(404)));
    List<String> asked = new CopyOnWriteArrayList<>();
    page.route(
        "**/queue/token/**",
        route -> {
          var answer = route.fetch();
          route.fulfill(
              new Route.FulfillOptions()
                  .setResponse(answer)
                  .setHeaders(Map.of("Retry-After", "2"))
                  .setBody(answer.text().replaceFirst("\"change\":\\d+", "\"change\":1")));
          asked.add(route.request().url());
        });
    queue.admit(3);

    page.waitForCondition(
        () -> {
          pass(page, 1);
          return asked.size() >= 2;
        });
    assertThat(page.locator("#place")).hasText("6");
    pass(page, 20);
    assertThat(page.locator("#place")).hasText("3");
  }

  /** Second by second, so that what is asked for in between is answered before it is given up. */
  private static void pass(Page page, int seconds) {
    for (int i = 0; i < seconds; i++) {
      page.clock().runFor(1_000);
      page.evaluate(ASK_SOMETHING_ELSE);
    }
  }

  @Test
  void turnEndedWhileTheComputerSlept_isAskedForSoonAfterwards() {
    Queue queue = room.queue("slept", "\"passTtlSeconds\":600");
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    queue.admit(1);
    assertThat(page.locator("#notice-title")).hasText("It is your turn");

    // As after a sleep: it is later, and no timer went off.
    page.clock().setSystemTime(System.currentTimeMillis() + 3_600_000);

    page.waitForRequest("**/queue/token/**", () -> page.clock().runFor(17_000));
  }

  /** The other tab hears of the end of the old place when there is a new one. */
  @Test
  void twoTabs_theOneThatHearsLater_leavesTheNewPlaceAlone() {
    Queue queue = room.queue("two-tabs");
    Visit visit = BROWSER.visit();
    Page late = visit.context().newPage();
    late.route("**/subscribe/**", route -> route.abort());
    late.route("**/board", route -> route.abort());
    late.navigate(queue.page());
    assertThat(late.locator("#place")).hasText("1");
    late.route("**/queue/token/**", route -> route.abort());
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    page.locator("#leave").click();
    page.locator("#leave-yes").click();
    page.locator("#again").click();
    assertPlaceAgain(page, "1");
    Object kept = page.evaluate(KEPT_TOKEN);
    assertThat(kept).isNotNull();

    late.unroute("**/queue/token/**");
    late.evaluate("dispatchEvent(new Event('online'))");
    assertThat(late.locator("#wait")).hasAttribute("data-state", "unknown");

    assertThat(page.evaluate(KEPT_TOKEN)).isEqualTo(kept);
  }

  /** The number of the place before is still there while the page does not show it. */
  private static void assertPlaceAgain(Page page, String place) {
    assertThat(page.locator("#wait")).hasAttribute("data-state", "waiting");
    assertThat(page.locator("#place")).hasText(place);
  }

  @Test
  void serviceWorker_keepsThePageOnly_andMakesNoEmptyCaches() {
    Queue queue = room.queue("caches");
    Visit visit = BROWSER.visit(options -> options.setServiceWorkers(ServiceWorkerPolicy.ALLOW));
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    page.waitForFunction("async () => Boolean(await caches.match(location.href))");

    page.navigate(queue.page() + "/place");

    assertThat(page.evaluate("() => caches.keys()"))
        .isEqualTo(List.of("naru-page:" + queue.page()));
  }

  @Test
  void turnPassed_explainsAndOffersToEnterAgain() {
    Queue queue = room.queue("expired", "\"passTtlSeconds\":10");
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    Visit away = BROWSER.visit();
    Page absent = away.open(queue.page());
    assertThat(absent.locator("#place")).hasText("2");
    absent.close();
    queue.admit(2);
    assertThat(page.locator("#left")).hasText(Pattern.compile("0:(10|0\\d)"));
    assertThat(page).hasTitle(Pattern.compile("0:\\d\\d · It is your turn.*"));
    // Loaded again in the middle, it does not begin anew.
    await()
        .pollInSameThread()
        .until(() -> page.locator("#left").textContent().compareTo("0:08") < 0);
    page.reload();
    assertThat(page.locator("#left")).hasText(Pattern.compile("0:0[0-7]"));

    // Who looks on sees it end by itself, who was away when they come back.
    assertThat(page.locator("#notice-title")).hasText("Your turn has passed");
    Page late = away.open(queue.page());
    assertThat(late.locator("#notice-title")).hasText("Your turn has passed");
    assertThat(Axe.violations(late)).isEmpty();
    Visit.screenshot(late, "expired");

    late.locator("#again").click();
    assertThat(late.locator("#place")).hasText("1");
  }

  @Test
  void turnPassedAndRequeued_goesOnWithTheNewPlaceByItself() {
    Queue queue = room.queue("requeued", "\"passTtlSeconds\":10,\"onExpiry\":\"REQUEUE\"");
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#wait")).hasAttribute("data-state", "waiting");
    page.close();
    String first = status(visit, queue, "\"entryToken\":\"([^\"]+)\"");
    queue.admit((int) queue.figure("waiting"));
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInSameThread()
        .until(() -> isWaitingAnew(visit, queue, first));

    Page late = visit.open(queue.page());

    assertThat(late.locator("#place")).hasText(Pattern.compile("[12]"));
    late.reload();
    assertThat(late.locator("#place")).hasText(Pattern.compile("[12]"));
    assertThat(queue.figure("waiting")).as("nobody entered twice").isEqualTo(2);
  }

  private static boolean isWaitingAnew(Visit visit, Queue queue, String first) {
    String text = status(visit, queue, "(?s)(.*)");
    return text.contains("\"WAITING\"") && !text.contains(first);
  }

  /** A part of what this browser's visitor is told when they ask for their status. */
  private static String status(Visit visit, Queue queue, String part) {
    String url = "http://127.0.0.1:" + room.port() + queue.path() + "/status";
    String text = visit.context().request().get(url).text();
    var found = Pattern.compile(part).matcher(text);
    assertThat(found.find()).as(text).isTrue();
    return found.group(1);
  }

  @Test
  void doneWhereOneMayEnterOnce_saysSoAndOffersNoSecondTurn() {
    Queue queue = room.queue("once", "\"once\":true");
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    page.close();
    queue.admit(1);
    String pass = status(visit, queue, "\"pass\":\"([^\"]+)\"");
    room.send("POST", queue.path() + "/complete", "", "Authorization: Bearer " + pass);

    Page again = visit.open(queue.page());

    for (int i = 0; i < 2; i++) {
      assertThat(again.locator("#notice-title")).hasText("All done");
      assertThat(again.locator("#notice-text")).containsText("Everybody can enter once");
      assertThat(again.locator("#again")).isHidden();
      // Without the token, entering says the same.
      again.evaluate("localStorage.clear()");
      again.reload();
    }
    assertThat(queue.figure("waiting")).isZero();
  }

  @Test
  void storedTokenForged_explainsAndOffersToEnterAgain() {
    Queue queue = room.queue("forged");
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    // Elsewhere on the same address: the page would keep its own again with the next message.
    page.navigate(URI.create(queue.page()).resolve("/health/live").toString());
    page.evaluate(
        """
        () => {
          const key = Object.keys(localStorage).find(key => key.endsWith('/SHOW/forged'));
          const kept = JSON.parse(localStorage.getItem(key));
          kept.token = kept.token.slice(0, -4) + (kept.token.endsWith('AAAA') ? 'BBBB' : 'AAAA');
          localStorage.setItem(key, JSON.stringify(kept));
        }
        """);
    page.navigate(queue.page());

    assertThat(page.locator("#notice-title")).hasText("You have no place here");
    page.locator("#again").click();
    // The cookie still speaks for the place that was there all the time.
    assertThat(page.locator("#place")).hasText("1");
    assertThat(queue.figure("waiting")).isEqualTo(1);
  }

  @Test
  void wishToBeTold_survivesAReload_andIsKeptBehindTheVisitorsBack() {
    Queue queue = room.queue("told", "\"targetUrl\":\"" + target + "\"");
    Visit visit =
        BROWSER.visit(
            options ->
                options
                    .setServiceWorkers(ServiceWorkerPolicy.ALLOW)
                    .setPermissions(List.of("notifications")));
    visit.context().addInitScript(OUT_OF_SIGHT);
    Page page = visit.open(queue.page());
    page.locator("#notify").click();
    page.reload();
    assertThat(page.locator("#notify")).hasAttribute("aria-checked", "true");
    page.locator("#notify-try").click();
    assertThat(page.locator("#place")).hasText("1");

    page.evaluate("isOutOfSight = true");
    queue.admit(1);

    assertThat(page.locator("#notice-title")).hasText("It is your turn");
    page.waitForFunction(
        "async () => (await (await navigator.serviceWorker.ready).getNotifications()).length");
    assertThat(page.locator("#left")).hasText(Pattern.compile("\\d:\\d\\d"));
    assertThat(page.locator("#go")).isVisible();
    assertThat(page).hasURL(queue.page());
    page.evaluate("isOutOfSight = false; document.dispatchEvent(new Event('visibilitychange'))");
    page.waitForURL(target);
  }

  /** A tab that somebody does not look at: a browser of tests has none such. */
  private static final String OUT_OF_SIGHT =
      """
      var isOutOfSight = false;
      Object.defineProperty(document, 'hidden', { get: () => isOutOfSight });
      """;

  @Test
  void language_chosen_isRememberedAndKeepsTheWayBack() {
    Queue queue = room.queue("tongues", "\"targetUrl\":\"" + target + "\"");
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page() + "?return=%2Fsale%3Fa");
    assertThat(page.locator("#place")).hasText("1");
    page.locator("#languages a[lang=ko]").click();
    assertThat(page.locator("#place-label")).hasText("나의 대기 순번");
    assertThat(page).hasURL(queue.page() + "?lang=ko&return=%2Fsale%3Fa");

    page.navigate(queue.page());

    assertThat(page.locator("#place-label")).hasText("나의 대기 순번");
    assertThat(page.locator("#place")).hasText("1");
    assertThat(queue.figure("waiting")).as("nobody entered twice").isEqualTo(1);
    queue.act("deactivate");
    assertThat(page.locator("#state")).hasText(Pattern.compile("입장이 잠시 멈춰 있습니다.*"));
    assertThat(page.locator("#announce")).not().containsText("어렵습니다입니다");
  }

  @Test
  void hostileTitleAndMessage_areShownAsText() {
    String hostile = "<img src=x onerror='document.title=1'>{{lang}}</script><b>";
    Queue queue =
        room.queue(
            "hostile", "\"title\":\"" + hostile + "\",\"message\":\"" + hostile + " message\"");
    Page page = BROWSER.visit().open(queue.page());

    assertThat(page.locator("#title")).hasText(hostile);
    assertThat(page.getByText(hostile + " message")).isVisible();
    assertThat(page.locator("#place")).hasText("1");
    assertThat(page.locator("img")).hasCount(0);
  }

  @Test
  void keyboardOnly_leavesAfterConfirmationAndEntersAgain() {
    Queue queue = room.queue("keyboard");
    Page page = BROWSER.visit().open(queue.page());
    assertThat(page.locator("#place")).hasText("1");

    tabTo(page, "leave");
    page.keyboard().press("Enter");
    assertThat(page.locator("#leave-dialog")).isVisible();
    page.keyboard().press("Escape");
    assertThat(page.locator("#leave-dialog")).isHidden();
    assertThat(page.locator("#leave")).isFocused();
    assertThat(queue.figure("waiting")).isEqualTo(1);

    page.keyboard().press("Enter");
    tabTo(page, "leave-yes");
    page.keyboard().press("Enter");
    assertThat(page.locator("#notice-title")).hasText("You have left the line");
    assertThat(queue.figure("waiting")).isZero();

    tabTo(page, "again");
    page.keyboard().press("Enter");
    assertPlaceAgain(page, "1");
    assertThat(queue.figure("waiting")).isEqualTo(1);
  }

  private static void tabTo(Page page, String id) {
    for (int i = 0; i < 10; i++) {
      if (page.evaluate("document.activeElement.id").equals(id)) {
        return;
      }
      page.keyboard().press("Tab");
    }
    assertThat(page.locator("#" + id)).isFocused();
  }

  @Test
  void cookie_isHiddenFromScripts() {
    Visit visit = BROWSER.visit();
    Page page = visit.open(room.queue("secret").page());
    assertThat(page.locator("#place")).hasText("1");

    assertThat(page.evaluate("document.cookie")).isEqualTo("");
    assertThat(visit.context().cookies())
        .extracting((Cookie cookie) -> cookie.name)
        .contains("naru");
  }
}
