package io.naru.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.bench.report.Plot.Course;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlotTest {

  @Test
  void svg_courses_standBelowEachOtherEachToItsOwnScale() {
    String svg =
        Plot.svg(
            List.of(
                new Course("rate", List.of(0.0, 50.0)),
                new Course("inside", List.of(400.0, 100.0)),
                new Course("p95, ms", List.of(2.0, 1.0))));

    assertThat(svg)
        .containsSubsequence(
            "viewBox=\"0 0 996 672\"",
            "y=\"40\">rate (0 to 50, 2 seconds)",
            "points=\"48.0,208.0 948.0,48.0\"",
            "y=\"248\">inside (0 to 400, 2 seconds)",
            "points=\"48.0,256.0 948.0,376.0\"",
            "y=\"456\">p95, ms (0 to 2, 2 seconds)",
            "points=\"48.0,464.0 948.0,544.0\"",
            "</svg>");
  }
}
