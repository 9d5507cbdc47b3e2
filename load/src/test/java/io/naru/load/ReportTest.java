package io.naru.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportTest {

  private static final Errand ERRAND = ErrandTest.to("http://127.0.0.1:1", "SALE/1", 1, null);

  private static Course course() {
    var course = new Course();
    for (int second = 0; second < 10; second++) {
      course.count(Count.ARRIVED, second);
      course.count(Count.JOINED, second);
      course.answered(Step.ENTER, 3_000_000, second);
    }
    for (int second = 4; second < 8; second++) {
      course.count(Count.TOLD, second);
      course.waited(4_000_000_000L);
    }
    course.count(Count.LEFT, 8);
    course.count(Count.ASLEEP, 9);
    return course;
  }

  @Test
  void waiting_isWhoGotAPlace_andIsNotInLeftAsleepOrOut() {
    assertThat(course().waiting()).containsExactly(1, 2, 3, 4, 4, 4, 4, 4, 4, 4);
  }

  @Test
  void parts_addUp() {
    Course both = course().add(course());

    assertThat(both.total(Count.JOINED)).isEqualTo(20);
    assertThat(both.waiting()).endsWith(8);
    assertThat(both.waits().getTotalCount()).isEqualTo(8);
    assertThat(both.in(Count.TOLD, 5)).isEqualTo(2);
    assertThat(both.in(Count.TOLD, 1_000)).isZero();
  }

  @Test
  void report_isWhole_andLoadsNothingFromElsewhere() {
    Course course = course();
    course.failed("enter 503 <b>", 9);
    String html = new Report(ERRAND, course, "today").html();

    assertThat(html)
        .contains("Load on SALE/1", "<dd>10</dd>", "4 s", "enter 503 &lt;b&gt;", "<polyline")
        .doesNotContain("{{", "<script", "src=", "href=", "@import", "url(", "NaN", "Infinity");
    assertThat(html.split("<svg", -1)).hasSize(7);
  }

  @Test
  void report_ofNothing_isWholeToo() {
    String html = new Report(ERRAND, new Course(), "today").html();
    assertThat(html).contains("Nobody got in", "None.").doesNotContain("{{", "NaN");
  }

  @Test
  void chart_showsPeaks_howeverMuchThereIs() {
    var values = new long[10_000];
    values[7_777] = 80;
    String svg = Chart.svg("x", "10000 s", List.of(Chart.Series.of("x", values)));

    assertThat(svg.length()).isLessThan(10_000);
    // The top of the picture, where the highest value is.
    assertThat(svg).contains(",12.0 ");
  }

  @ParameterizedTest
  @CsvSource({"0, 4", "3, 4", "5, 8", "9, 10", "11, 20", "333, 400", "801, 1000"})
  void chart_endsAtARoundNumber(double most, double top) {
    assertThat(Chart.roundUp(most)).isEqualTo(top);
  }

  @Test
  void errors_ofVeryManyKinds_areBounded() {
    var course = new Course();
    for (int i = 0; i < 1_000; i++) {
      course.failed("kind " + i, 0);
    }
    assertThat(course.errors()).hasSize(41).containsEntry("other", 960L);
  }
}
