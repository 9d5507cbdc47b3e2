package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions.HasTextOptions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import io.naru.testkit.DemoProcess;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Makes the pictures of the manual, {@code docs/images/*.png}, out of the real demo in the real
 * browser, in full swing. No test by its name, so it runs only when it is asked for, as {@code
 * CONTRIBUTING.md} says.
 */
class ManualPictures {

  private static final Path IMAGES = Path.of("..", "docs", "images");
  private static final String QUEUE = "CONCERT/1";

  /** Whoever opens the README waits for each of them. */
  private static final int MOST_BYTES = 120_000;

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();

  @Test
  void take() throws IOException {
    List<String> crowd = List.of("--visitors", "4000", "--rate", "8");
    try (var demo = DemoProcess.start(DemoTest.SERVER, DemoTest.SHOP, crowd)) {
      Page console =
          BROWSER.visit(it -> it.setViewportSize(1280, 1_020)).untraced().open(demo.console());
      // So that the crowd has come, and the visitors are in the middle of it.
      assertThat(console.locator("[data-figure=waiting] strong"))
          .hasText(Pattern.compile("[1-9],\\d{3}"), patiently());
      String naru = demo.naru().replaceFirst("/$", "");
      String wait = naru + "/wait/" + QUEUE;
      Page phone = BROWSER.visit(it -> onPhone(it)).untraced().open(wait);
      Page korean =
          BROWSER
              .visit(it -> onPhone(it).setLocale("ko-KR").setColorScheme(ColorScheme.DARK))
              .untraced()
              .open(wait);
      Page desktop = BROWSER.visit(it -> it.setLocale("ko-KR")).untraced().open(wait);
      // Until a wait is known from what happens, and the charts have something to show.
      for (Page page : List.of(phone, korean, desktop)) {
        assertThat(page.locator("#estimate")).hasText(Pattern.compile("\\d"), patiently());
      }
      console.waitForTimeout(30_000);

      edit(
          console,
          "\"message\":{\"en\":\"Seats are going fast, but there are some left.\",\"ko\":\"아직 좌석이 남아 있습니다. 조금만 기다려 주세요.\"}");
      assertThat(phone.locator("#message")).containsText("Seats");
      assertThat(korean.locator("#message")).containsText("좌석");
      picture(phone, "waiting-page");
      picture(korean, "waiting-page-ko");

      ofQueue(console);
      picture(onPhone(console), "console-phone");
      others(console);
      console.navigate(naru + "/console#/");
      assertThat(console.locator("tbody tr")).hasCount(6);
      console.setViewportSize(1280, 640);
      picture(console, "console-list");
      wizard(console, naru);
      look(console, naru);

      act(console, "pause", ",\"reason\":\"결제 시스템을 점검하고 있습니다.\"");
      assertThat(desktop.locator("#reason")).containsText("결제");
      picture(desktop, "waiting-page-desktop");
      act(console, "pause", ",\"reason\":\"The payment service is being checked.\"");
      assertThat(phone.locator("#reason")).containsText("payment");
      picture(phone, "waiting-page-paused");
      act(console, "resume", "");
      Page turn = BROWSER.visit(it -> onPhone(it)).untraced().open(naru + "/wait/SHOW/now");
      assertThat(turn.locator("#left")).isVisible();
      picture(turn, "waiting-page-turn");
    }
  }

  private static HasTextOptions patiently() {
    return new HasTextOptions().setTimeout(90_000);
  }

  private static NewContextOptions onPhone(NewContextOptions options) {
    return options.setViewportSize(390, 780).setDeviceScaleFactor(2).setIsMobile(true);
  }

  /** The same session on a phone, in the dark. */
  private static Page onPhone(Page console) {
    Visit phone = BROWSER.visit(it -> onPhone(it).setColorScheme(ColorScheme.DARK)).untraced();
    List<Cookie> session = console.context().cookies();
    phone.context().addCookies(session);
    Page page = phone.open(console.url());
    assertThat(page.locator(".charts svg").first()).isVisible();
    return page;
  }

  /** With a change that is not made yet, and somebody who was looked up. */
  private static void ofQueue(Page console) throws IOException {
    console.locator("#settings [name=entryBatchSize]").fill("12");
    console.locator("#settings .plan li").first().waitFor();
    console.locator("h1").click();
    console.evaluate("scrollTo(0, 0)");
    picture(console, "console");
    console.locator("#settings [name=entryBatchSize]").fill("8");
  }

  /** More queues, each in another state. */
  private static void others(Page console) {
    make(console, "SHOW", "matinee", "\"title\":\"Matinee\",\"opensAt\":\"2099-04-11T14:00:00Z\"");
    make(console, "SHOW", "now", "\"title\":\"Spring Live\",\"passTtlSeconds\":300");
    make(
        console,
        "SALE",
        "shoes",
        "\"title\":\"Limited shoes\",\"lobbyOpensAt\":\"2026-01-01T00:00:00Z\",\"opensAt\":\"2099-01-01T00:00:00Z\"");
    make(console, "SALE", "posters", "\"title\":\"Posters\",\"stock\":{}");
    send(
        console,
        "stock",
        named("SALE", "posters")
            + ",\"version\":1,\"pools\":[{\"name\":\"all\",\"remaining\":0,\"held\":0}]");
    make(console, "SALE", "socks", "\"title\":\"Socks\"");
    send(console, "pause", named("SALE", "socks") + ",\"reason\":\"New boxes are being opened\"");
  }

  private static void wizard(Page console, String naru) throws IOException {
    console.navigate(naru + "/console#/new");
    console.locator("input[name=type]").fill("CONCERT");
    console.locator("input[name=id]").fill("2027-spring");
    console.locator("input[name=title]").fill("Spring Live 2027");
    console.locator("input[name=capacity]").fill("400");
    console.locator("input[name=rate]").fill("25");
    console.locator("input[name=minutes]").fill("5");
    console.locator("#in-words li").first().waitFor();
    console.setViewportSize(900, 1_180);
    picture(console, "console-wizard");
  }

  private static void look(Page console, String naru) throws IOException {
    console.setViewportSize(1280, 900);
    console.navigate(naru + "/console#/queues/" + QUEUE + "/look");
    assertThat(console.frameLocator("iframe").locator("#place")).isVisible();
    picture(console, "console-look");
  }

  // --- what the operator does

  private static String named(String type, String id) {
    return "\"eventType\":\"" + type + "\",\"eventId\":\"" + id + "\"";
  }

  private static void make(Page console, String type, String id, String settings) {
    send(console, "activate", named(type, id) + "," + settings);
  }

  private static void act(Page console, String act, String more) {
    String[] name = QUEUE.split("/", 2);
    send(console, act, named(name[0], name[1]) + more);
  }

  private static void edit(Page console, String changes) {
    call(console, "PUT", "/admin/queues/" + QUEUE, "{" + changes + "}");
  }

  private static void send(Page console, String act, String body) {
    call(console, "POST", "/admin/queue/" + act, "{" + body + "}");
  }

  /** With the session of that page. */
  private static void call(Page console, String method, String path, String body) {
    Object status =
        console.evaluate(
            "async ([method, path, body]) => (await fetch(path, { method, body, headers: {"
                + " 'Content-Type': 'application/json' } })).status",
            List.of(method, path, body));
    assertThat(status).as("%s %s %s", method, path, body).isIn(200, 201);
  }

  // --- files

  /** With the colours that are used most, which on screens are nearly all: a third of the bytes. */
  private static void picture(Page page, String name) throws IOException {
    BufferedImage shot = ImageIO.read(new ByteArrayInputStream(page.screenshot()));
    int width = shot.getWidth();
    int height = shot.getHeight();
    int[] pixels = shot.getRGB(0, 0, width, height, null, 0, width);
    Map<Integer, Integer> counts = new HashMap<>();
    for (int pixel : pixels) {
      counts.merge(pixel, 1, Integer::sum);
    }
    int[] most =
        counts.entrySet().stream()
            .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
            .limit(256)
            .mapToInt(Map.Entry::getKey)
            .toArray();
    var model = new IndexColorModel(8, most.length, most, 0, false, -1, DataBuffer.TYPE_BYTE);
    var few = new BufferedImage(width, height, BufferedImage.TYPE_BYTE_INDEXED, model);
    Map<Integer, Integer> nearest = new HashMap<>();
    byte[] indexes = new byte[pixels.length];
    for (int i = 0; i < pixels.length; i++) {
      indexes[i] = nearest.computeIfAbsent(pixels[i], rgb -> nearest(rgb, most)).byteValue();
    }
    few.getRaster().setDataElements(0, 0, width, height, indexes);
    Path file = IMAGES.resolve(name + ".png");
    ImageIO.write(few, "png", file.toFile());
    assertThat(Files.size(file)).as(name).isLessThan(MOST_BYTES);
  }

  private static int nearest(int rgb, int[] colors) {
    int best = 0;
    for (int i = 1; i < colors.length; i++) {
      if (distance(rgb, colors[i]) < distance(rgb, colors[best])) {
        best = i;
      }
    }
    return best;
  }

  private static int distance(int one, int other) {
    int red = ((one >> 16) & 255) - ((other >> 16) & 255);
    int green = ((one >> 8) & 255) - ((other >> 8) & 255);
    int blue = (one & 255) - (other & 255);
    return 3 * red * red + 6 * green * green + blue * blue;
  }
}
