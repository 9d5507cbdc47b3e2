package io.naru.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.naru.testkit.DemoProcess;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Makes {@code docs/images/demo.gif}, the first thing in the READMEs, out of the real demo in the
 * real browser: a visitor on the left, the operator on the right. No test by its name, so it runs
 * only when it is asked for, as {@code CONTRIBUTING.md} says.
 */
class DemoPicture {

  private static final Path PICTURE = Path.of("..", "docs", "images", "demo.gif");

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();

  private static final int WIDTH = 960;
  private static final int HEIGHT = 500;

  /** The visitor's phone takes so much of it; the rest is the console. */
  private static final int VISITOR = 330;

  private static final int GAP = 12;

  /** Wider than it is shown, so that a whole screen of the console is seen. */
  private static final int CONSOLE_WIDTH = 1_180;

  private static final int FRAME_MILLIS = 700;
  private static final int MOST_FRAMES = 75;
  private static final Color PAPER = new Color(0xe4e9ec);

  @Test
  void film() throws IOException {
    List<String> crowd = List.of("--visitors", "1500", "--rate", "45");
    try (var demo = DemoProcess.start(DemoTest.SERVER, DemoTest.SHOP, crowd);
        var gif = new Gif(PICTURE, WIDTH, HEIGHT)) {
      int high = HEIGHT * CONSOLE_WIDTH / (WIDTH - VISITOR - GAP);
      Page console =
          BROWSER.visit(it -> it.setViewportSize(CONSOLE_WIDTH, high)).open(demo.console());
      Page visitor = BROWSER.visit(it -> it.setViewportSize(VISITOR, HEIGHT)).open(demo.shop());
      new Film(visitor, console, gif).roll();
    }
    // Whoever opens the README waits for it.
    assertThat(Files.size(PICTURE)).isLessThan(1_500_000);
  }

  private record Film(Page visitor, Page console, Gif gif) {

    void roll() throws IOException {
      // So that the crowd has come, and the visitor is in the middle of it.
      visitor.waitForTimeout(6_000);
      frame(1_500);
      visitor.getByText("Reserve a seat").click();
      visitor.locator("#place").waitFor();
      int frames = 0;
      while (frames++ < MOST_FRAMES && visitor.locator("#place").isVisible()) {
        frame(isNear() ? FRAME_MILLIS : FRAME_MILLIS / 2);
        visitor.waitForTimeout(FRAME_MILLIS);
      }
      visitor.getByText("Choose a seat").waitFor();
      frame(1_500);
      visitor.locator("select[name=seat]").selectOption("C7");
      frame(1_000);
      visitor.getByText("Reserve", new Page.GetByTextOptions().setExact(true)).click();
      visitor.getByText("is yours").waitFor();
      frame(4_000);
    }

    /** The last steps are the ones to look at. */
    private boolean isNear() {
      var place = visitor.locator("#place");
      return !place.isVisible() || place.textContent().length() < 3;
    }

    private void frame(int millis) throws IOException {
      var frame = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
      Graphics2D graphics = frame.createGraphics();
      graphics.setColor(PAPER);
      graphics.fillRect(0, 0, WIDTH, HEIGHT);
      graphics.setRenderingHint(
          RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BICUBIC);
      graphics.drawImage(shot(visitor), 0, 0, VISITOR, HEIGHT, null);
      int rest = WIDTH - VISITOR - GAP;
      graphics.drawImage(shot(console), VISITOR + GAP, 0, rest, HEIGHT, null);
      graphics.dispose();
      gif.add(frame, millis);
    }

    private static BufferedImage shot(Page page) throws IOException {
      return ImageIO.read(new ByteArrayInputStream(page.screenshot()));
    }
  }
}
