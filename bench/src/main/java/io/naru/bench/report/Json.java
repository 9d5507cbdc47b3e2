package io.naru.bench.report;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** The same figures for programs. */
public final class Json {

  private Json() {}

  public static String of(Map<String, String> conditions, List<Row> rows) {
    var about =
        conditions.entrySet().stream()
            .map(entry -> quote(entry.getKey()) + ": " + quote(entry.getValue()))
            .collect(joining(", ", "{", "}"));
    var figures = rows.stream().map(Json::row).collect(joining(",\n    ", "[\n    ", "\n  ]"));
    return "{\n  \"conditions\": %s,\n  \"rows\": %s\n}\n".formatted(about, figures);
  }

  private static String row(Row row) {
    var fields = new ArrayList<String>();
    fields.add("\"what\": " + quote(row.what()));
    fields.add("\"value\": " + number(row.value()));
    fields.add("\"unit\": " + quote(row.unit().symbol()));
    optional(fields, "p50Millis", row.p50Millis());
    optional(fields, "p99Millis", row.p99Millis());
    for (var against : Against.values()) {
      var ratio = row.ratios().get(against);
      if (ratio != null) {
        fields.add(quote(against.title()) + ": " + number(ratio));
      }
    }
    if (!row.notes().isEmpty()) {
      var notes = row.notes().stream().map(Json::quote).collect(joining(", ", "[", "]"));
      fields.add("\"notes\": " + notes);
    }
    return fields.stream().collect(joining(", ", "{", "}"));
  }

  private static void optional(List<String> fields, String name, OptionalDouble value) {
    value.ifPresent(present -> fields.add(quote(name) + ": " + number(present)));
  }

  private static String number(double value) {
    // What could not be measured is no number, and JSON has no word for that.
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "null";
  }

  private static String quote(String text) {
    var quoted = new StringBuilder("\"");
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
              } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                quoted.append((char) c);
              }
            });
    return quoted.append('"').toString();
  }
}
