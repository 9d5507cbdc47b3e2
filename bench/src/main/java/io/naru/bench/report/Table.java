package io.naru.bench.report;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** Rows as aligned plain text; a column nobody fills is left out. */
public final class Table {

  private static final String GAP = "  ";

  private final List<List<String>> lines = new ArrayList<>();

  public Table(List<Row> rows) {
    var header = new ArrayList<>(List.of("", "figure", "p50 ms", "p99 ms"));
    for (var against : Against.values()) {
      header.add(against.title());
    }
    header.add("notes");
    lines.add(header);
    rows.forEach(row -> lines.add(cells(row)));
  }

  private static List<String> cells(Row row) {
    var cells = new ArrayList<>(List.of(row.what(), row.unit().format(row.value())));
    cells.add(millis(row.p50Millis()));
    cells.add(millis(row.p99Millis()));
    for (var against : Against.values()) {
      cells.add(ratio(against, row.ratios()));
    }
    cells.add(String.join("; ", row.notes()));
    return cells;
  }

  private static String millis(OptionalDouble value) {
    return value.isPresent() ? String.format(Locale.ROOT, "%.2f", value.getAsDouble()) : "";
  }

  private static String ratio(Against against, Map<Against, Double> ratios) {
    var ratio = ratios.get(against);
    return ratio == null ? "" : against.format(ratio);
  }

  @Override
  public String toString() {
    var widths = widths();
    return lines.stream().map(line -> text(line, widths)).collect(joining("\n", "", "\n"));
  }

  private int[] widths() {
    var columns = lines.getFirst().size();
    var widths = new int[columns];
    for (int column = 0; column < columns; column++) {
      var at = column;
      var filled = lines.stream().skip(1).anyMatch(line -> !line.get(at).isEmpty());
      widths[column] =
          filled ? lines.stream().mapToInt(line -> line.get(at).length()).max().orElse(0) : 0;
    }
    return widths;
  }

  private static String text(List<String> line, int[] widths) {
    var text = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      if (widths[column] == 0) {
        continue;
      }
      var cell = line.get(column);
      var padding = " ".repeat(widths[column] - cell.length());
      var isText = column == 0 || column == widths.length - 1;
      text.append(isText ? cell + padding : padding + cell).append(GAP);
    }
    return text.toString().stripTrailing();
  }
}
