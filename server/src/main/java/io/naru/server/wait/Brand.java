package io.naru.server.wait;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A brand's colour as a style sheet. Text in it is moved towards black, or in the dark towards
 * white, only as far as it can be read on the page; areas have it as it is, if they can be told
 * from the page at all, and what is written on them is black or white, whichever stands out (WCAG
 * 2.2, contrast of 4.5 and better).
 *
 * @param rgb 0xrrggbb
 */
record Brand(int rgb) {

  private static final Pattern FILE = Pattern.compile("brand-([0-9a-f]{6})\\.css");
  private static final double CONTRAST = 4.6;
  private static final double VISIBLE = 1.25;
  private static final int BLACK = 0x000000;
  private static final int WHITE = 0xffffff;

  /** The backgrounds that {@code wait.css} has, of each pair the one that is harder to read on. */
  private static final int LIGHT_PAGE = 0xf4f6f7;

  private static final int DARK_CARD = 0x182027;

  /**
   * @param color {@code #rrggbb}
   */
  static Brand of(String color) {
    return new Brand(Integer.parseInt(color.substring(1), 16));
  }

  static Optional<Brand> ofFile(String name) {
    Matcher file = FILE.matcher(name);
    return file.matches()
        ? Optional.of(new Brand(Integer.parseInt(file.group(1), 16)))
        : Optional.empty();
  }

  /** The name that {@link #ofFile} reads: the sheet needs nothing but the colour. */
  String file() {
    return "brand-" + hex(rgb).substring(1) + ".css";
  }

  /** As an area on a light page. */
  String light() {
    return hex(fill(BLACK, LIGHT_PAGE));
  }

  String css() {
    return """
    :root { %s }
    @media (prefers-color-scheme: dark) { :root { %s } }
    """
        .formatted(variables(BLACK, LIGHT_PAGE), variables(WHITE, DARK_CARD));
  }

  private String variables(int towards, int background) {
    int accent = readable(towards, background);
    int fill = fill(towards, background);
    return "--accent: %s; --fill: %s; --on-fill: %s;"
        .formatted(hex(accent), hex(fill), hex(textOn(fill)));
  }

  private int fill(int towards, int background) {
    return contrast(rgb, background) >= VISIBLE ? rgb : readable(towards, background);
  }

  private int readable(int towards, int background) {
    for (int percent = 0; percent < 100; percent += 2) {
      int mixed = mix(towards, percent);
      if (contrast(mixed, background) >= CONTRAST) {
        return mixed;
      }
    }
    return towards;
  }

  private int mix(int other, int percent) {
    int mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int a = rgb >> shift & 0xff;
      int b = other >> shift & 0xff;
      mixed |= ((a * (100 - percent) + b * percent) / 100) << shift;
    }
    return mixed;
  }

  private static int textOn(int color) {
    return contrast(WHITE, color) >= CONTRAST ? WHITE : BLACK;
  }

  static double contrast(int one, int other) {
    double a = luminance(one);
    double b = luminance(other);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  private static double luminance(int color) {
    return 0.2126 * channel(color >> 16) + 0.7152 * channel(color >> 8) + 0.0722 * channel(color);
  }

  private static double channel(int value) {
    double c = (value & 0xff) / 255.0;
    return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
  }

  private static String hex(int color) {
    return String.format(Locale.ROOT, "#%06x", color);
  }
}
