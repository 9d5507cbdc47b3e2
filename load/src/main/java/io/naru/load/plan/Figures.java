package io.naru.load.plan;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a machine does, per core.
 *
 * @param enters a second, with the database and Redis on the same cores
 * @param statuses a second, likewise
 * @param streams that one core carries while the line moves
 * @param streamBytes of memory that each takes
 * @param redisBytes that somebody who waits takes in Redis
 * @param source where these are from
 */
public record Figures(
    double enters,
    double statuses,
    double streams,
    double streamBytes,
    double redisBytes,
    String source) {

  /**
   * As in docs/performance.md: two virtual cores for everything, 15,000 streams at 19.6 % of a
   * core. Enter and status, with PostgreSQL and Redis, are those of the slowest machine that was
   * measured: a plan that promises less is kept.
   */
  public static final Figures DEFAULT =
      new Figures(
          12_514 / 2.0,
          37_984 / 2.0,
          15_000 / 0.196,
          14_200,
          126,
          "the figures of docs/performance.md");

  private static final Pattern CORES = Pattern.compile("(\\d+) cores");
  private static final Pattern MOVING = Pattern.compile("CPU, line moving, ([\\d,]+) viewers");
  private static final Pattern MEMORY = Pattern.compile("process memory per stream, .*");

  /**
   * Out of what {@code ./naru bench --json} wrote; what it has not measured is as ever.
   *
   * @param machine as it describes itself
   * @param rows what was measured, by its name
   */
  public static Figures of(String machine, Map<String, Double> rows, String source) {
    Matcher found = CORES.matcher(machine);
    double cores = found.find() ? Double.parseDouble(found.group(1)) : 1;
    double enters =
        rows.getOrDefault(
            "enter, PostgreSQL", rows.getOrDefault("naru enter", cores * DEFAULT.enters));
    double statuses =
        rows.getOrDefault(
            "status, PostgreSQL", rows.getOrDefault("naru status", cores * DEFAULT.statuses));
    return new Figures(
        enters / cores,
        statuses / cores,
        streams(rows),
        matching(rows, MEMORY, DEFAULT.streamBytes),
        rows.getOrDefault("Redis memory per waiting user", DEFAULT.redisBytes),
        source);
  }

  /** Of the largest audience that was measured. */
  private static double streams(Map<String, Double> rows) {
    double most = 0;
    double perCore = DEFAULT.streams;
    for (Map.Entry<String, Double> row : rows.entrySet()) {
      Matcher moving = MOVING.matcher(row.getKey());
      if (moving.matches() && row.getValue() > 0) {
        double viewers = Double.parseDouble(moving.group(1).replace(",", ""));
        if (viewers > most) {
          most = viewers;
          perCore = viewers / (row.getValue() / 100);
        }
      }
    }
    return perCore;
  }

  private static double matching(Map<String, Double> rows, Pattern name, double other) {
    return rows.entrySet().stream()
        .filter(row -> name.matcher(row.getKey()).matches())
        .mapToDouble(Map.Entry::getValue)
        .max()
        .orElse(other);
  }
}
