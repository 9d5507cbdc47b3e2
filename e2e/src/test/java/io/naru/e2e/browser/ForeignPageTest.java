package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.RequestOptions;
import io.naru.e2e.browser.Room.Queue;
import io.naru.gate.Gate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code naru.js} on a page of somebody else's site, which the server was told to allow. */
class ForeignPageTest {

  private static final Pattern LOADED = Pattern.compile("'\\./([a-z-]+\\.js)'");

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

  /** The page of the manual, as it stands there, on a site with a gate. */
  @Test
  void exampleOfTheManual_goesInWithThePass(@TempDir Path folder) throws IOException {
    var gate =
        Gate.builder("http://127.0.0.1:" + room.port(), "SHOW/manual")
            .protect(GuardedSite.PROTECTED)
            .pollEvery(Duration.ofMillis(200))
            .open();
    try (var site = new GuardedSite(gate, folder)) {
      String seats = site.origin("127.0.0.1") + "/seats/7";
      Queue queue = room.queue("manual", "\"targetUrl\":\"" + seats + "\"");
      String example = exampleOf("docs/browser.md");
      assertThat(example).contains("https://wait.shop.example", "'TIMEDEAL', '123'");
      String html =
          example
              .replace("https://wait.shop.example", "http://127.0.0.1:" + room.port())
              .replace("'TIMEDEAL', '123'", "'SHOW', 'manual'");
      Visit visit = BROWSER.visit();
      Page page = visit.open(shop.page("/manual", "<!DOCTYPE html><html lang=en>" + html));
      assertThat(page.locator("#place")).hasText("You are number 1");

      queue.admit(1);

      page.waitForURL(seats);
      assertThat(page.locator("#user")).containsText("visitor-");
    }
  }

  /** Somebody comes for the first time while all of Naru is gone: the page is elsewhere. */
  @Test
  void pageAsFiles_whileNaruIsGone_isThere_andGoesOnByItself(@TempDir Path folder)
      throws Exception {
    Queue queue = room.queue("files", "\"title\":\"The sale\"");
    room.run(
        "page", "SHOW/files", "--url", "http://127.0.0.1:" + room.port(), "--out", "" + folder);
    String url = shop.folder("/files/", folder);
    room.kill();

    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.open(url);
    assertThat(page.locator("#title")).hasText("The sale");
    awaitState(page, "We cannot reach the line right now.");

    room.startAgain();
    awaitState(page, "You will go in automatically");
    assertThat(page.locator("#place")).hasText("1");
    queue.admit(1);
    assertThat(page.locator("#notice-title")).hasText("It is your turn");
    assertThat(visit.open(url + "ko.html").locator("html")).hasAttribute("lang", "ko");
  }

  /** The page on a CDN has all that it loads, and asks Naru, not whoever has its files. */
  @Test
  void pageAsFiles_bringsTheProofThatIsOwed_andHandsThePlaceOn(@TempDir Path folder)
      throws Exception {
    Queue queue = room.queue("files-doors");
    queue.enterCrowd(2);
    queue.set("\"doors\":{\"work\":\"ALWAYS\"}");
    room.run(
        "page",
        "SHOW/files-doors",
        "--url",
        "http://127.0.0.1:" + room.port(),
        "--out",
        "" + folder);
    assertThat(missing(folder)).isEmpty();

    Page page = BROWSER.visit().open(shop.folder("/files-doors/", folder));
    assertThat(page.locator("#place")).hasText("3");
    assertThat(page.locator("#proof")).hasAttribute("data-proof", "proved");

    page.locator("#handoff").click();
    assertThat(page.locator("#handoff-qr svg path").last()).isAttached();
    String link = page.locator("#handoff-link").inputValue();
    assertThat(BROWSER.visit().open(link).locator("#place")).hasText("3");
    assertThat(page.locator("#wait")).hasAttribute("data-state", "elsewhere");
    assertThat(queue.figure("waiting")).isEqualTo(3);
  }

  /** What scripts of the page load and nobody has written. */
  private static List<String> missing(Path folder) throws IOException {
    var missing = new ArrayList<String>();
    try (var files = Files.walk(folder.resolve("assets"))) {
      for (Path script : files.filter(file -> file.toString().endsWith(".js")).toList()) {
        Matcher loaded = LOADED.matcher(Files.readString(script));
        while (loaded.find()) {
          if (!Files.exists(script.resolveSibling(loaded.group(1)))) {
            missing.add(loaded.group(1));
          }
        }
      }
    }
    return missing;
  }

  /** Lets the page's time run ten times as fast until it says that. */
  private static void awaitState(Page page, String start) {
    await()
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(100))
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              page.clock().fastForward(1_000);
              return page.locator("#state").textContent().startsWith(start);
            });
  }

  private static String exampleOf(String manual) throws IOException {
    String text = Files.readString(Path.of("..").resolve(manual));
    int from = text.indexOf("```html\n") + "```html\n".length();
    return text.substring(from, text.indexOf("```", from));
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

  /**
   * Ports make origins but no sites: the visitor's cookie comes along, as it does from any site
   * once it has to be {@code SameSite=None}.
   */
  @Test
  void attack_byScriptFormAndPicture_isRefusedAndChangesNothing() {
    Queue queue = room.queue("attacked");
    Visit visit = BROWSER.visit();
    Page page = visit.open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    long joined = queue.figure("joined");

    List<String> answers = new CopyOnWriteArrayList<>();
    Page attack = visit.open(attackOn(queue));
    attack.onResponse(
        response ->
            answers.add(
                response.request().method() + " " + response.url() + " " + response.status()));
    attack.evaluate("() => attack()");
    // What the browser has to tell of the last one may come after it is done. Of a picture that is
    // none it tells nothing.
    attack.waitForCondition(() -> answers.size() >= 6);

    String naru = "http://127.0.0.1:" + room.port();
    String waiting = queue.page();
    assertThat(answers)
        .containsExactlyInAnyOrder(
            "POST " + naru + queue.path() + "/leave 403",
            "POST " + naru + queue.path() + "/leave 403",
            "POST " + naru + queue.path() + "/enter 403",
            "GET " + naru + queue.path() + "/status 403",
            "POST " + waiting + " 403",
            "GET " + waiting + "/place 403");
    assertThat(queue.figure("left")).isZero();
    assertThat(queue.figure("joined")).isEqualTo(joined);
    page.reload();
    assertThat(page.locator("#place")).hasText("1");
    // A link is another matter: whoever follows it sees where it leads.
    attack.locator("#link").click();
    assertThat(attack.locator("#place")).hasText("1");
  }

  @Test
  void attack_byPictureWhenItIsTheVisitorsTurn_handsNothingOver() {
    Queue queue = room.queue("pictured", "\"targetUrl\":\"" + shop.origin() + "/nowhere\"");
    BrowserContext browser = BROWSER.visit().context();
    String naru = "http://127.0.0.1:" + room.port();
    browser.request().post(naru + queue.path() + "/enter");
    queue.admit(1);
    String picture = queue.page() + "/place";
    Page attack = browser.newPage();
    attack.navigate(stranger.page("/picture", "<!DOCTYPE html><title>Look</title>"));

    attack.evaluate(
        """
        url => new Promise(done => {
          const picture = new Image();
          picture.onload = picture.onerror = done;
          picture.src = url;
        })
        """,
        picture);
    assertThat(browser.cookies()).extracting(cookie -> cookie.name).containsExactly("naru");

    // As it is when the visitor goes there.
    browser.request().get(picture, RequestOptions.create().setMaxRedirects(0));
    assertThat(browser.cookies())
        .extracting(cookie -> cookie.name)
        .contains("naru-pass", "naru-handed");
  }

  /** A page that tries what a page can try, one after the other. */
  private static String attackOn(Queue queue) {
    String html =
        """
        <!DOCTYPE html><html lang=en><title>Win a prize</title>
        <a id=link href="%1$s">Click here</a>
        <form id=leave method=post action="%2$s/leave" target=leaving></form><iframe name=leaving></iframe>
        <form id=enter method=post action="%1$s" target=entering></form><iframe name=entering></iframe>
        <iframe id=frame></iframe>
        <script>
          const byScript = (method, path) =>
            fetch('%2$s' + path, { method, mode: 'no-cors', credentials: 'include' });
          const loaded = (element, act) => new Promise(done => {
            element.onload = element.onerror = done;
            act();
          });
          const byForm = (form) =>
            loaded(document.getElementsByName(form.target)[0], () => form.submit());
          async function attack() {
            await byScript('POST', '/leave');
            await byScript('POST', '/enter');
            await byScript('GET', '/status');
            await byForm(document.getElementById('leave'));
            await byForm(document.getElementById('enter'));
            const picture = new Image();
            await loaded(picture, () => picture.src = '%1$s/place');
            const frame = document.getElementById('frame');
            await loaded(frame, () => frame.src = '%1$s/place');
          }
        </script>
        """
            .formatted(queue.page(), "http://127.0.0.1:" + room.port() + queue.path());
    return stranger.page("/" + queue.id(), html);
  }
}
