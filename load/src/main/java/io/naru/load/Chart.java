package io.naru.load;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A picture of figures over time, as SVG that needs nothing from elsewhere. */
final class Chart {

  private static final int WIDTH = 720;
  private static final int HEIGHT = 220;
  private static final int LEFT = 64;
  private static final int RIGHT = 12;
  private static final int TOP = 12;
  private static final int BOTTOM = 28;
  private static final int MOST_POINTS = 360;
  private static final int LINES = 4;

  private Chart() {}

  /** One of the lines: its name, which is also its class, and a figure per step of time. */
  record Series(String name, List<Double> values) {

    static Series of(String name, long[] values) {
      return new Series(name, Arrays.stream(values).asDoubleStream().boxed().toList());
    }

    double max() {
      return values.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }
  }

  /**
   * @param about what a screen reader says of it
   * @param across what is along the bottom at the right end, as {@code 120 s}
   */
  static String svg(String about, String across, List<Series> lines) {
    double top = roundUp(lines.stream().mapToDouble(Series::max).max().orElse(0));
    var out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
            WIDTH,
            HEIGHT,
            Html.escape(about)));
    for (int i = 0; i <= LINES; i++) {
      double value = top * i / LINES;
      double y = y(value, top);
      out.append(
          String.format(
              Locale.ROOT,
              "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/><text x=\"%d\""
                  + " y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
              LEFT,
              y,
              WIDTH - RIGHT,
              y,
              LEFT - 8,
              y + 4,
              Html.number(value)));
    }
    out.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\">0</text>\n", LEFT, HEIGHT - 8));
    out.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
            WIDTH - RIGHT,
            HEIGHT - 8,
            Html.escape(across)));
    for (int i = 0; i < lines.size(); i++) {
      out.append(
          String.format(
              Locale.ROOT,
              "<polyline class=\"s%d\" points=\"%s\"/>\n",
              i,
              points(lines.get(i).values, top)));
    }
    return out.append("</svg>\n").toString();
  }

  private static String points(List<Double> values, double top) {
    // Of more than there is room for, the highest of each few is shown: a peak must not vanish.
    int each = Math.max(1, Math.ceilDiv(values.size(), MOST_POINTS));
    int count = Math.ceilDiv(values.size(), each);
    var points = new StringBuilder();
    for (int i = 0; i < count; i++) {
      double highest = 0;
      for (int j = i * each; j < Math.min(values.size(), (i + 1) * each); j++) {
        highest = Math.max(highest, values.get(j));
      }
      double x = LEFT + (double) (WIDTH - LEFT - RIGHT) * i / Math.max(1, count - 1);
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y(highest, top)));
    }
    return points.toString().strip();
  }

  private static double y(double value, double top) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top;
  }

  /** To 1, 2, 4 or 8 times a power of ten: four lines below it are round numbers, mostly. */
  static double roundUp(double value) {
    double power = 1;
    while (power * 8 < value) {
      power *= 10;
    }
    double step = power;
    while (step < value) {
      step *= 2;
    }
    return Math.max(step, LINES);
  }
}
