package io.naru.load;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** What became of a crowd as one HTML file, which loads nothing from anywhere. */
public final class Report {

  private static final double[] PERCENTILES = {50, 90, 99, 99.9};
  private static final int STEPS = 100;

  /** What everybody waits for; as many as there are colours. */
  private static final List<Step> SHOWN = List.of(Step.ENTER, Step.ASK, Step.STREAM);

  private final Errand errand;
  private final Course course;
  private final String when;

  /**
   * @param when it was, in words
   */
  public Report(Errand errand, Course course, String when) {
    this.errand = errand;
    this.course = course;
    this.when = when;
  }

  public String html() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("queue", Html.escape(errand.queue()));
    values.put("url", Html.escape(errand.url().toString()));
    values.put("when", Html.escape(when));
    values.put("figures", figures());
    values.put("settings", settings());
    values.put("waiting", waiting());
    values.put("rates", rates());
    values.put("arrivals", arrivals());
    values.put("waits", waits());
    values.put("latency", latency());
    values.put("latencies", latencies());
    values.put("work", work());
    values.put("errors", errors());
    String html = template();
    for (Map.Entry<String, String> value : values.entrySet()) {
      html = html.replace("{{" + value.getKey() + "}}", value.getValue());
    }
    return html;
  }

  private static String template() {
    try (var in = Report.class.getResourceAsStream("report.html")) {
      if (in == null) {
        throw new IllegalStateException("no report.html in this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String figures() {
    Histogram waits = course.waits();
    return figure("arrived", course.total(Count.ARRIVED))
        + figure("got a place", course.total(Count.JOINED))
        + figure("got in", course.total(Count.TOLD))
        + figure("failed payments", course.total(Count.RETURNED))
        + figure("completed", course.total(Count.COMPLETED))
        + figure("left", course.total(Count.LEFT))
        + figure("closed the page", course.total(Count.ASLEEP))
        + figure("turned away or ended", lost())
        + figure("errors", course.total(Count.ERRORS))
        + item("longest wait", seconds(waits.getMaxValue()))
        + item("most in a second", Html.number(most(Count.TOLD)) + " got in");
  }

  private long lost() {
    return course.total(Count.TURNED_AWAY) + course.total(Count.ENDED);
  }

  private long most(Count what) {
    long most = 0;
    for (long n : course.series(what)) {
      most = Math.max(most, n);
    }
    return most;
  }

  private static String figure(String what, long value) {
    return item(what, Html.number(value));
  }

  private static String item(String what, String value) {
    return "<div><dt>" + Html.escape(what) + "</dt><dd>" + Html.escape(value) + "</dd></div>\n";
  }

  private String settings() {
    Habits habits = errand.habits();
    String identity =
        errand.userHeader() == null ? "the server's own" : "by header " + errand.userHeader();
    return String.format(
        Locale.ROOT,
        "%,d visitors over %,d s (%s), following by %s; %s %% leave and %s %% close the page within"
            + " %,d s; of those who get in %s %% complete after %,d s on average, %s %% of them at the second"
            + " try. %,d connections,"
            + " at most %,d streams, identities %s, seed %d.",
        errand.wave().visitors(),
        errand.wave().over().toSeconds(),
        word(errand.wave().shape()),
        word(errand.follow()),
        Html.number(habits.leaving()),
        Html.number(habits.sleeping()),
        habits.patience().toSeconds(),
        Html.number(habits.paying()),
        habits.stay().toSeconds(),
        Html.number(habits.failing()),
        errand.connections(),
        errand.streams(),
        Html.escape(identity),
        errand.seed());
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private String waiting() {
    return overTime("People who wait", List.of(Chart.Series.of("waiting", course.waiting())));
  }

  private String rates() {
    return overTime(
        "People who get in, per second",
        List.of(Chart.Series.of("got in", course.series(Count.TOLD))));
  }

  private String arrivals() {
    return overTime(
        "People who arrive, per second",
        List.of(Chart.Series.of("arrived", course.series(Count.ARRIVED))));
  }

  private String work() {
    return overTime(
        "Answers, stream messages and errors, per second",
        List.of(
            Chart.Series.of("answers", course.series(Count.ANSWERS)),
            Chart.Series.of("messages", course.series(Count.MESSAGES)),
            Chart.Series.of("errors", course.series(Count.ERRORS))));
  }

  private String overTime(String about, List<Chart.Series> lines) {
    return legend(lines) + Chart.svg(about, course.seconds() + " s", lines);
  }

  private static String legend(List<Chart.Series> lines) {
    var names = new ArrayList<String>();
    for (int i = 0; i < lines.size(); i++) {
      names.add("<span class=\"s" + i + "\">" + Html.escape(lines.get(i).name()) + "</span>");
    }
    return lines.size() < 2 ? "" : "<p class=\"legend\">" + String.join(" ", names) + "</p>\n";
  }

  /** From the shortest to the longest: how long the first tenth waited, and so on. */
  private String waits() {
    Histogram waits = course.waits();
    if (waits.getTotalCount() == 0) {
      return "<p>Nobody got in.</p>\n";
    }
    List<Double> seconds = byPercentile(waits, 1e3);
    String table =
        "<table><thead><tr><th>of those who got in</th><th>waited at most</th></tr></thead><tbody>"
            + row("50 %", seconds(waits.getValueAtPercentile(50)))
            + row("90 %", seconds(waits.getValueAtPercentile(90)))
            + row("99 %", seconds(waits.getValueAtPercentile(99)))
            + row("all", seconds(waits.getMaxValue()))
            + "</tbody></table>\n";
    var line = List.of(new Chart.Series("waited", seconds));
    return table
        + Chart.svg("Seconds waited, from the shortest wait to the longest", "100 %", line);
  }

  private static List<Double> byPercentile(Histogram values, double divisor) {
    return IntStream.rangeClosed(0, STEPS)
        .mapToObj(i -> values.getValueAtPercentile(i * 100.0 / STEPS) / divisor)
        .toList();
  }

  private static String seconds(long millis) {
    return Html.number(Math.round(millis / 100.0) / 10.0) + " s";
  }

  private String latency() {
    var rows = new StringBuilder();
    for (Step step : Step.values()) {
      Histogram micros = course.latency(step);
      if (micros != null) {
        rows.append("<tr><th scope=\"row\">").append(Html.escape(step.word())).append("</th>");
        rows.append("<td>").append(Html.number(micros.getTotalCount())).append("</td>");
        for (double percentile : PERCENTILES) {
          rows.append("<td>").append(millis(micros.getValueAtPercentile(percentile)));
          rows.append("</td>");
        }
        rows.append("<td>").append(millis(micros.getMaxValue())).append("</td></tr>\n");
      }
    }
    return rows.toString();
  }

  /** From the quickest answer to the slowest. */
  private String latencies() {
    List<Chart.Series> lines = new ArrayList<>();
    for (Step step : SHOWN) {
      Histogram micros = course.latency(step);
      if (micros != null) {
        lines.add(new Chart.Series(step.word(), byPercentile(micros, 1e3)));
      }
    }
    return lines.isEmpty()
        ? ""
        : legend(lines) + Chart.svg("Milliseconds, from quickest to slowest", "100 %", lines);
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, "%,.1f", micros / 1e3);
  }

  private String errors() {
    if (course.errors().isEmpty()) {
      return "<p>None.</p>\n";
    }
    return course.errors().entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .map(error -> row(error.getKey(), Html.number(error.getValue())))
        .collect(
            joining(
                "",
                "<table><thead><tr><th>what</th><th>how often</th></tr></thead><tbody>",
                "</tbody></table>\n"));
  }

  private static String row(String what, String value) {
    return "<tr><th scope=\"row\">"
        + Html.escape(what)
        + "</th><td>"
        + Html.escape(value)
        + "</td></tr>\n";
  }
}
