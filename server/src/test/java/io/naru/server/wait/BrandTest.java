package io.naru.server.wait;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.content.WebFile;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BrandTest {

  private static final Pattern COLOR = Pattern.compile("#([0-9a-f]{6})");

  /** Accent, fill and the text on it, light; the same, dark. */
  private static List<Integer> colors(int rgb) {
    return COLOR
        .matcher(new Brand(rgb).css())
        .results()
        .map((MatchResult m) -> Integer.parseInt(m.group(1), 16))
        .toList();
  }

  @Test
  void contrast_blackOnWhite_is21() {
    assertThat(Brand.contrast(0x000000, 0xffffff)).isEqualTo(21);
    assertThat(Brand.contrast(0x777777, 0xffffff)).isBetween(4.4, 4.5);
  }

  @Test
  void css_anyColor_canBeRead() {
    for (int red = 0; red <= 255; red += 17) {
      for (int green = 0; green <= 255; green += 17) {
        for (int blue = 0; blue <= 255; blue += 17) {
          int color = red << 16 | green << 8 | blue;
          List<Integer> c = colors(color);
          assertThat(c).hasSize(6);
          for (double contrast :
              new double[] {
                Brand.contrast(c.get(0), 0xf4f6f7),
                Brand.contrast(c.get(0), 0xffffff),
                Brand.contrast(c.get(2), c.get(1)),
                Brand.contrast(c.get(3), 0x182027),
                Brand.contrast(c.get(3), 0x0f1418),
                Brand.contrast(c.get(5), c.get(4))
              }) {
            assertThat(contrast).as("#%06x: %s", color, c).isGreaterThanOrEqualTo(4.5);
          }
        }
      }
    }
  }

  @Test
  void css_colorThatCanBeRead_isLeftAsItIs() {
    assertThat(colors(0x1a5fb4).getFirst()).isEqualTo(0x1a5fb4);
    assertThat(colors(0x99c1f1).get(3)).isEqualTo(0x99c1f1);
  }

  @Test
  void css_areas_haveTheBrandsOwnColorIfOneSeesIt() {
    assertThat(colors(0xffd43b).subList(1, 3)).containsExactly(0xffd43b, 0x000000);
    assertThat(colors(0xffffff).get(1)).isNotEqualTo(0xffffff);
    assertThat(colors(0x11161b).get(4)).isNotEqualTo(0x11161b);
  }

  @Test
  void css_backgrounds_areThoseOfThePage() {
    assertThat(WebFile.text("wait.css"))
        .contains("--page: #f4f6f7;", "--card: #fff;", "--page: #0f1418;", "--card: #182027;");
  }

  @Test
  void file_readsBack() {
    assertThat(Brand.ofFile(Brand.of("#0a0B0c").file())).contains(new Brand(0x0a0b0c));
  }
}
