package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.FilePayload;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Before the opening, the draw, and the place that comes of it. */
class LobbyTest {

  private static final int CROWD = 30;

  /** Lives on the board, and says what it hears. */
  private static final String FOLLOW =
      """
      async (id) => {
        const { Naru } = await import('/naru.js');
        document.body.innerHTML = '<p id=status><p id=place>';
        const put = (id, text) => document.getElementById(id).textContent = text;
        const naru = new Naru('SHOW', id, { follow: 'board' });
        naru.addEventListener('status', ({ detail }) => {
          put('status', detail.status);
          put('place', detail.position ?? '');
        });
        naru.start();
      }
      """;

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

  /** A queue that opens in an hour, with its lobby open, in which nobody goes in. */
  private record Sale(String id) {

    static Sale begin(String id, String... more) {
      Instant now = Instant.now();
      String settings =
          "\"eventType\":\"SHOW\",\"eventId\":\"%s\",\"lobbyOpensAt\":\"%s\",\"opensAt\":\"%s\",\"notBefore\":\"%s\""
              .formatted(id, now.minusSeconds(1), now.plusSeconds(3_600), now.plusSeconds(86_400));
      String all = String.join(",", settings, String.join(",", more)).replaceFirst(",$", "");
      Reply reply = room.admin("POST", "/admin/queue/activate", "{" + all + "}");
      assertThat(reply.status()).as(reply.body()).isEqualTo(201);
      return new Sale(id);
    }

    void opensNow() {
      Reply reply =
          room.admin(
              "PUT",
              "/admin/queues/SHOW/" + id,
              "{\"opensAt\":\"%s\"}".formatted(Instant.now().plusMillis(300)));
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    }

    List<String> enterCrowd() {
      List<String> tokens = new ArrayList<>();
      try (var connection = new HttpConnection(room.port())) {
        for (int i = 0; i < CROWD; i++) {
          Reply reply = connection.send("POST", path() + "/enter", "", "User-Id: crowd-" + i);
          assertThat(reply.status()).as(reply.body()).isEqualTo(201);
          tokens.add(reply.field("entryToken"));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return tokens;
    }

    int waiting() {
      return (int) room.admin("GET", "/admin/queues/SHOW/" + id, "").number("waiting");
    }

    String path() {
      return "/queue/SHOW/" + id;
    }

    String page() {
      return "http://127.0.0.1:" + room.port() + "/wait/SHOW/" + id;
    }
  }

  @Test
  void lobby_countsDown_reloadingAndTabsGainNothing_thenThePlaceIsDrawn() {
    Sale sale = Sale.begin("lobby");
    List<String> crowd = sale.enterCrowd();
    Visit visit = BROWSER.visit();
    Page page = visit.open(sale.page());

    assertThat(page.locator("#wait")).hasAttribute("data-state", "lobby");
    assertThat(page.locator("#left")).hasText(Pattern.compile("(59:\\d\\d|1:00:00)"));
    assertThat(page.locator("#notice-text"))
        .containsText("Coming early or reloading gains nothing");
    assertThat(page.locator("#people")).hasText("About 31 people are here so far");
    assertThat(page.locator("#place")).isHidden();
    assertThat(page.locator("#leave")).isVisible();
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "lobby");

    page.reload();
    assertThat(page.locator("#wait")).hasAttribute("data-state", "lobby");
    for (int i = 0; i < 3; i++) {
      assertThat(visit.open(sale.page()).locator("#wait")).hasAttribute("data-state", "lobby");
    }
    assertThat(sale.waiting()).as("one browser is one entry").isEqualTo(CROWD + 1);

    sale.opensNow();

    assertThat(page.locator("#wait")).hasAttribute("data-state", "waiting");
    assertThat(page.locator("#place")).hasText(Pattern.compile("\\d+"));
    int own = Integer.parseInt(page.locator("#place").textContent());
    Visit.screenshot(page, "lobby-drawn");
    List<Integer> places = new ArrayList<>(crowd.stream().map(LobbyTest::place).toList());
    assertThat(places).as("drawn, not by arrival").isNotEqualTo(places.stream().sorted().toList());
    places.add(own);
    assertThat(places)
        .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, CROWD + 1).boxed().toList());
    page.reload();
    assertThat(page.locator("#place")).hasText("" + own);
  }

  private static int place(String token) {
    List<Integer> found = new ArrayList<>();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              Reply reply = room.send("GET", "/queue/token/" + token + "/status", "");
              if (reply.body().contains("\"position\"")) {
                found.add((int) reply.number("position"));
              }
              return !found.isEmpty();
            });
    return found.getFirst();
  }

  @Test
  void coin_thatNobodyCanFetch_isWaitedForAndThePageSaysSo() {
    Sale sale = Sale.begin("coin", "\"draw\":\"COIN\"");
    Page page = BROWSER.visit().open(sale.page());
    assertThat(page.locator("#notice-text")).containsText("public coin that does not exist yet");

    sale.opensNow();

    assertThat(page.locator("#wait")).hasAttribute("data-state", "drawing");
    assertThat(page.locator("#notice-text")).containsText("public coin of round");
    assertThat(page.locator("#people")).hasText("1 person is in the draw");
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "lobby-coin");

    Reply seed = room.admin("PUT", "/admin/queues/SHOW/coin", "{\"draw\":\"SEED\"}");
    assertThat(seed.status()).as(seed.body()).isEqualTo(200);
    assertThat(page.locator("#place")).hasText("1");
  }

  @Test
  void lobby_onAPhone_fitsAndSpeaksKorean() {
    Sale sale = Sale.begin("phone");
    Page page =
        BROWSER
            .visit(
                options ->
                    options
                        .setViewportSize(360, 740)
                        .setLocale("ko-KR")
                        .setIsMobile(true)
                        .setHasTouch(true))
            .open(sale.page());

    assertThat(page.locator("#notice-title")).hasText("사전 대기실에 들어오셨습니다");
    assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth")).isEqualTo(true);
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "lobby-phone-ko");
  }

  @Test
  void latecomer_standsBehindThoseWhoAreDrawn() {
    Sale sale = Sale.begin("late", "\"draw\":\"COIN\"");
    sale.enterCrowd();
    sale.opensNow();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> room.send("GET", sale.path() + "/draw", "").body().contains("\"round\""));

    Page page = BROWSER.visit().open(sale.page());

    assertThat(page.locator("#wait")).hasAttribute("data-state", "queued");
    assertThat(page.locator("#notice-text")).containsText("You stand behind them");
    room.admin("PUT", "/admin/queues/SHOW/late", "{\"draw\":\"SEED\"}");
    assertThat(page.locator("#place")).hasText("" + (CROWD + 1));
  }

  @Test
  void onTheBoard_thePlaceIsAskedForAfterTheDrawAlone() {
    Sale sale = Sale.begin("onboard");
    sale.enterCrowd();
    Page page = BROWSER.visit().open("http://127.0.0.1:" + room.port() + "/naru.js");
    List<String> asked = new ArrayList<>();
    page.onRequest(request -> asked.add(request.url().replaceAll(".*/queue/", "")));
    page.evaluate(FOLLOW, sale.id());
    assertThat(page.locator("#status")).hasText("LOBBY");
    page.waitForResponse(Pattern.compile(".*/board"), () -> {});
    assertThat(asked).noneMatch(url -> url.contains("subscribe") || url.contains("status"));

    sale.opensNow();

    assertThat(page.locator("#place")).hasText(Pattern.compile("\\d+"));
    assertThat(asked).anyMatch(url -> url.contains("status"));
  }

  @Test
  void withoutScripts_theLobbySaysWhenItOpens() {
    Sale sale = Sale.begin("plain");
    Page page = BROWSER.visit(options -> options.setJavaScriptEnabled(false)).open(sale.page());
    page.locator("#enter-form button").click();

    assertThat(page.locator("#wait")).hasAttribute("data-state", "lobby");
    assertThat(page.locator("#notice-text")).containsText("The line opens in");
    assertThat(page.locator("footer")).containsText("A draw decides");
  }

  @Test
  void fairPage_explainsTheDraw_andShowsWhatIsPublished() {
    Sale sale = Sale.begin("fair");
    sale.enterCrowd();
    Page page = BROWSER.visit().open(sale.page());
    assertThat(page.locator("#wait")).hasAttribute("data-state", "lobby");
    page.locator("#fair").focus();
    page.keyboard().press("Enter");

    assertThat(page).hasURL(Pattern.compile(".*/wait/SHOW/fair/fair.*"));
    assertThat(page.locator("#fair-page")).hasAttribute("data-draw", "LOBBY");
    assertThat(page.locator("[data-figure=commitment]")).hasText(Pattern.compile("[0-9a-f]{64}"));
    assertThat(page.locator("[data-figure=seed]")).isHidden();
    assertThat(page.locator("article")).containsText("nobody is ahead of anybody");
    assertThat(Axe.violations(page)).isEmpty();

    sale.opensNow();

    assertThat(page.locator("#fair-page")).hasAttribute("data-draw", "DONE");
    assertThat(page.locator("#draw-state")).hasText("Drawn by the operator's seed.");
    assertThat(page.locator("[data-figure=people]")).hasText("" + (CROWD + 1));
    assertThat(page.locator("[data-figure=seed]")).hasText(Pattern.compile("[0-9a-f]{64}"));
    Visit.screenshot(page, "fair");
  }

  @Test
  void fairPage_andBack_keepsWhatOneCameFor() {
    Sale sale = Sale.begin("back");
    String wanted = "?lang=ko&return=%2Fseats%2F7%3Fa%3D1";
    Page page = BROWSER.visit().open(sale.page() + wanted);
    assertThat(page.locator("#wait")).hasAttribute("data-state", "lobby");

    page.locator("#fair").click();
    assertThat(page).hasURL(sale.page() + "/fair" + wanted);
    // The way back is known once its script has run.
    assertThat(page.locator("#fair-page")).hasAttribute("data-draw", "LOBBY");
    page.locator("#back").click();

    assertThat(page).hasURL(sale.page() + wanted);
  }

  @Test
  void console_showsTheDraw_andRefusesAForgedCoin() {
    Sale sale = Sale.begin("console", "\"draw\":\"COIN\"");
    sale.enterCrowd();
    Page page = BROWSER.visit().open("http://127.0.0.1:" + room.port() + "/console");
    page.locator("#key").fill(Room.KEY);
    page.locator("#sign-in").click();
    assertThat(page.locator("h1")).hasText("Queues");
    page.navigate("http://127.0.0.1:" + room.port() + "/console#/queues/SHOW/console");
    assertThat(page.locator("#draw")).hasAttribute("data-phase", "LOBBY");
    assertThat(page.locator("#draw-state")).containsText("nobody in it has a place");
    assertThat(page.locator("#act-draw")).isHidden();

    sale.opensNow();

    assertThat(page.locator("#draw-state")).containsText("The public coin of round");
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "console-draw");
    page.locator("#act-draw").click();
    page.locator("input[name=signature]").fill("ab".repeat(48));
    page.locator("dialog button[type=submit]").click();
    assertThat(page.locator("dialog [role=alert]")).containsText("signature");
    page.locator("dialog button.plain").click();

    page.locator("#settings details summary").click();
    page.locator("select[name=draw]").selectOption("SEED");
    page.locator("#settings button[type=submit]").click();
    assertThat(page.locator("#draw")).hasAttribute("data-phase", "DONE");
    assertThat(page.locator("#draw-facts")).containsText("a seed of ours, fixed beforehand");
  }

  @Test
  void fairPage_checksTheOwnReceipt_andOneThatWasSaved() throws IOException {
    Sale sale = Sale.begin("receipt");
    Page page = BROWSER.visit().open(sale.page());
    assertThat(page.locator("#wait")).hasAttribute("data-state", "lobby");
    page.navigate(sale.page() + "/fair");

    awaitReceipt(page);

    assertThat(page.locator("#checks li")).hasCount(4);
    assertThat(page.locator("#checks li[data-ok=true]")).hasCount(4);
    assertThat(page.locator("#told")).containsText("It is record");
    assertThat(Axe.violations(page)).isEmpty();
    Visit.screenshot(page, "fair-receipt");

    Path saved = page.waitForDownload(() -> page.locator("#save").click()).path();
    String receipt = Files.readString(saved);
    choose(page, receipt);
    assertThat(page.locator("#result")).hasAttribute("data-result", "good");
    // Whatever of it is changed is found.
    choose(page, receipt.replaceFirst("\"user\":\"", "\"user\":\"x"));
    assertThat(page.locator("#checks li[data-ok=false]")).hasCount(1);
    assertThat(page.locator("#result")).hasAttribute("data-result", "bad");
    choose(page, receipt.replaceFirst("\\[\\\\\"join\\\\\",(\\d)", "[\\\\\"join\\\\\",1$1"));
    assertThat(page.locator("#result")).hasAttribute("data-result", "bad");
    choose(page, receipt.replaceFirst("\\\\nat (\\d)", "\\\\nat 1$1"));
    assertThat(page.locator("#result")).hasAttribute("data-result", "bad");
    choose(page, receipt.replace("\"eventId\":\"receipt\"", "\"eventId\":\"other\""));
    assertThat(page.locator("#result")).hasText("This receipt is of another line.");
    choose(page, "{}");
    assertThat(page.locator("#result")).hasText("This is no receipt.");
  }

  @Test
  void fairPage_withoutEd25519_saysSo() {
    Sale sale = Sale.begin("old");
    Visit visit = BROWSER.visit();
    visit
        .context()
        .addInitScript(
            "if (self.crypto.subtle) { self.crypto.subtle.importKey = () => Promise.reject(new Error('unknown')); }");
    Page page = visit.open(sale.page());
    assertThat(page.locator("#wait")).hasAttribute("data-state", "lobby");
    page.navigate(sale.page() + "/fair");

    awaitReceipt(page);

    assertThat(page.locator("#result")).hasAttribute("data-result", "partly");
    assertThat(page.locator("#checks")).containsText("cannot check Ed25519");
  }

  /** It is in the log within a second or so. */
  private static void awaitReceipt(Page page) {
    await()
        .pollInSameThread()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              page.locator("#check").click();
              assertThat(page.locator("#result"))
                  .not()
                  .hasAttribute("data-result", Pattern.compile("none|checking"));
              return !"missing".equals(page.locator("#result").getAttribute("data-result"));
            });
  }

  private static void choose(Page page, String receipt) {
    page.evaluate("document.getElementById('result').dataset.result = 'none'");
    page.locator("#file")
        .setInputFiles(
            new FilePayload("receipt.json", "application/json", receipt.getBytes(UTF_8)));
    assertThat(page.locator("#result"))
        .not()
        .hasAttribute("data-result", Pattern.compile("none|checking"));
  }
}
