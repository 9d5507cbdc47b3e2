package io.naru.bench.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Courses over the same seconds, one below the other, as a picture that a browser shows. */
public final class Plot {

  private static final int WIDTH = 900;
  private static final int HEIGHT = 160;
  private static final int MARGIN = 48;
  private static final List<String> COLORS = List.of("#1565c0", "#2e7d32", "#c62828");

  private Plot() {}

  /**
   * What happened second by second.
   *
   * @param name with its unit
   */
  public record Course(String name, List<Double> values) {}

  /** The picture. */
  static String svg(List<Course> courses) {
    var drawn = new StringBuilder();
    for (int i = 0; i < courses.size(); i++) {
      drawn.append(draw(courses.get(i), MARGIN + i * (HEIGHT + MARGIN), COLORS.get(i)));
    }
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
    <rect width="100%%" height="100%%" fill="#fff"/>
    %s</svg>
    """
        .formatted(WIDTH + 2 * MARGIN, courses.size() * (HEIGHT + MARGIN) + MARGIN, drawn);
  }

  /** Draws up to three, and says in which file. */
  public static Path of(List<Course> courses) {
    try {
      return Files.writeString(Files.createTempFile("naru-bench-", ".svg"), svg(courses));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot draw", e);
    }
  }

  private static String draw(Course course, int top, String color) {
    var values = course.values();
    double most = Math.max(1, values.stream().mapToDouble(d -> d).max().orElse(1));
    var points = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      double x = MARGIN + (double) WIDTH * i / Math.max(1, values.size() - 1);
      double y = top + HEIGHT * (1 - values.get(i) / most);
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
    }
    return String.format(
        Locale.ROOT,
        """
        <text x="%d" y="%d">%s (0 to %.0f, %d seconds)</text>
        <path d="M%d %dv%dh%d" fill="none" stroke="#888"/>
        <polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>
        """,
        MARGIN,
        top - 8,
        course.name(),
        most,
        values.size(),
        MARGIN,
        top,
        HEIGHT,
        WIDTH,
        points.toString().strip(),
        color);
  }
}
