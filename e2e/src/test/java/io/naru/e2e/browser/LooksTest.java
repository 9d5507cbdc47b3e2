package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.naru.e2e.browser.Room.Queue;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page in its languages, colours and sizes, to axe and as pictures for people. */
class LooksTest {

  private static final List<ColorScheme> SCHEMES = List.of(ColorScheme.LIGHT, ColorScheme.DARK);

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

  @ParameterizedTest
  @CsvSource({
    "en-US, en, Your place in line",
    "ko-KR, ko, 나의 대기 순번",
    "ja-JP, ja, あなたの順番",
    "fr-FR, en, Your place in line"
  })
  void language_followsTheBrowser(String locale, String lang, String label) {
    Queue queue = room.queue("language-" + locale);
    Page page = BROWSER.visit(options -> options.setLocale(locale)).open(queue.page());

    assertThat(page.locator("#place")).hasText("1");
    assertThat(page.locator("html")).hasAttribute("lang", lang);
    assertThat(page.locator("#place-label")).hasText(label);
    assertThat(Axe.violations(page)).isEmpty();
  }

  /** Brand colours that are hard on text: nearly white, nearly black. */
  @ParameterizedTest
  @ValueSource(strings = {"", "#fffde7", "#0a0a14"})
  void colour_readableInLightAndDark(String colour) {
    Queue queue = room.queue("colour-" + colour.replace("#", "x"), "\"color\":\"" + colour + "\"");
    Page page = BROWSER.visit().open(queue.page());
    assertThat(page.locator("#place")).hasText("1");
    for (ColorScheme scheme : SCHEMES) {
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
      assertThat(Axe.violations(page)).as("waiting, %s", scheme).isEmpty();
    }
    page.locator("#leave").click();
    assertThat(Axe.violations(page)).as("leaving").isEmpty();
    page.locator("#leave-no").click();

    queue.admit(1);
    assertThat(page.locator("#notice-title")).hasText("It is your turn");
    for (ColorScheme scheme : SCHEMES) {
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
      assertThat(Axe.violations(page)).as("admitted, %s", scheme).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LIGHT", "DARK"})
  void noSuchQueue_saysSo(ColorScheme scheme) {
    Page page =
        BROWSER
            .visit(options -> options.setColorScheme(scheme))
            .open("http://127.0.0.1:" + room.port() + "/wait/SHOW/nowhere");

    assertThat(page.locator("#notice-title")).hasText("There is no such line");
    assertThat(Axe.violations(page)).isEmpty();
  }

  @Test
  void notActive_saysSo() {
    Queue queue = room.queue("closed");
    queue.act("deactivate");
    Page page = BROWSER.visit().open(queue.page());

    assertThat(page.locator("#notice-title")).hasText("The line is not open");
    assertThat(Axe.violations(page)).isEmpty();
  }

  @Test
  void narrowPhone_hasNoSidewaysScrolling() {
    Queue queue = room.queue("narrow", "\"title\":\"Donaudampfschifffahrtsgesellschaftskapitän\"");
    queue.enterCrowd(10);
    Page page = BROWSER.visit(options -> options.setViewportSize(320, 568)).open(queue.page());
    assertThat(page.locator("#place")).hasText("11");

    assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(320);
  }

  /** Pictures of a line in full swing, for people to look at: in {@code target/screenshots}. */
  @ParameterizedTest
  @CsvSource({
    "en-US, Spring Live, The sale is open. Thank you for waiting with us.,"
        + " The payment service is being checked.,"
        + " Sold out. Thank you for waiting; there is a second evening in May.",
    "ko-KR, 봄 콘서트, 예매가 시작되었습니다. 기다려 주셔서 감사합니다., 결제 시스템을 점검하고 있습니다.,"
        + " 매진되었습니다. 기다려 주셔서 감사합니다. 5월에 추가 공연이 있습니다."
  })
  void pictures(String locale, String title, String message, String reason, String end) {
    String lang = locale.substring(0, 2);
    Queue queue =
        room.queue(
            "pictures-" + lang,
            "\"title\":\"" + title + "\"",
            "\"message\":\"" + message + "\"",
            "\"color\":\"#0b6e4f\"");
    queue.enterCrowd(200);
    Visit phone = BROWSER.visit(options -> onPhone(options).setLocale(locale));
    Visit desktop = BROWSER.visit(options -> options.setLocale(locale));
    Page onPhone = phone.open(queue.page());
    assertThat(onPhone.locator("#place")).hasText("201");
    Page onDesktop = desktop.open(queue.page());
    assertThat(onDesktop.locator("#place")).hasText("202");
    queue.admit(120);
    // The rate that makes an estimate, and a house that is full, so that nothing moves in the
    // picture.
    queue.set("\"entryBatchSize\":1,\"entryIntervalSeconds\":3,\"maxCapacity\":1");
    for (ColorScheme scheme : SCHEMES) {
      picture(onPhone, scheme, "81", "phone-" + lang);
      picture(onDesktop, scheme, "82", "desktop-" + lang);
    }
    queue.act("pause", "\"reason\":\"" + reason + "\"");
    for (Page page : List.of(onPhone, onDesktop)) {
      assertThat(page.locator("#reason")).hasText(reason);
    }
    pictures("paused-" + lang, onPhone, onDesktop);
    queue.act("resume");
    queue.fillHouse();
    queue.makeRoom(81);
    assertThat(onPhone.locator("#left")).isVisible();
    Visit.screenshot(onPhone, "phone-turn-" + lang);
    queue.set("\"endText\":\"" + end + "\",\"endUrl\":\"https://shop.example/\"");
    queue.act("end");
    assertThat(onDesktop.locator("#notice-text")).hasText(end);
    Visit.screenshot(onDesktop, "desktop-over-" + lang);
  }

  private static void pictures(String name, Page onPhone, Page onDesktop) {
    Visit.screenshot(onPhone, "phone-" + name);
    Visit.screenshot(onDesktop, "desktop-" + name);
  }

  private static NewContextOptions onPhone(NewContextOptions options) {
    return options.setViewportSize(390, 844).setDeviceScaleFactor(2).setIsMobile(true);
  }

  private static void picture(Page page, ColorScheme scheme, String place, String name) {
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
    page.reload();
    assertThat(page.locator("#place")).hasText(place);
    Visit.screenshot(page, name + "-" + scheme.name().toLowerCase(Locale.ROOT));
  }
}
