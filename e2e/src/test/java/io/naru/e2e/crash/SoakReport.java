package io.naru.e2e.crash;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import io.naru.e2e.crash.Plan.Fault;
import io.naru.e2e.crash.Plan.Kind;
import io.naru.e2e.crash.Soak.Result;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a soak has seen, for people.
 *
 * @param failure what is wrong; null if nothing is
 */
record SoakReport(
    long seed,
    String ledger,
    Duration asked,
    Duration took,
    List<Result> results,
    @Nullable String failure) {

  String markdown() {
    var page = new StringBuilder();
    page.append("# Soak on %s, seed %d%n%n".formatted(ledger, seed));
    page.append(
        failure == null
            ? "**No rule was broken.**\n\n"
            : "**Not as it should be:**\n\n```\n" + failure + "\n```\n\n");
    row(page, "", "");
    row(page, "---", "---");
    row(
        page,
        "ran",
        "%s (asked for %s), %d rounds".formatted(text(took), text(asked), results.size()));
    row(
        page,
        "operations",
        "%,d calls: %,d enters, %,d leaves, completions and returns (%,d), %,d places told, %,d pushes of stock; %,d without an answer that says what became of it"
            .formatted(
                sum(it -> it.counts().calls()),
                sum(it -> it.counts().enters()),
                sum(it -> it.counts().ends()),
                sum(it -> it.counts().returns()),
                sum(it -> it.counts().statuses()),
                sum(it -> it.counts().pushes()),
                sum(it -> it.counts().unknown())));
    row(
        page,
        "slowest answer",
        results.stream().mapToLong(it -> it.counts().slowest()).max().orElse(0) + " ms");
    row(
        page,
        "faults that happened",
        "%,d, %,d of them while something else was broken"
            .formatted(sum(it -> it.faults().size()), sum(SoakReport::together)));
    row(page, "rules checked", rules());
    results.stream()
        .max(comparing(Result::recovery))
        .ifPresent(
            slowest ->
                row(
                    page,
                    "slowest recovery",
                    "%s, in round %d, after the last of: %s"
                        .formatted(text(slowest.recovery()), slowest.number(), lastOf(slowest))));
    page.append("\n| fault | times |\n|---|---|\n");
    kinds().forEach((kind, times) -> row(page, kind.fault + " " + kind.words, "" + times));
    page.append("\n| round | queues | calls | enters | unknown | faults | exact again after | |\n");
    page.append("|---|---|---|---|---|---|---|---|\n");
    for (Result it : results) {
      page.append(
          "| %d | %d%s | %,d | %,d | %,d | %d | %s | %s |%n"
              .formatted(
                  it.number(),
                  it.queues(),
                  it.hasDraw() ? " (one drawn)" : "",
                  it.counts().calls(),
                  it.counts().enters(),
                  it.counts().unknown(),
                  it.faults().size(),
                  text(it.recovery()),
                  it.breaches().isEmpty() ? "" : "**broken**"));
    }
    page.append(
        "%nAgain: `./naru soak --minutes %d --seed %d --ledger %s`%n"
            .formatted(Math.max(1, asked.toMinutes()), seed, ledger));
    return page.toString();
  }

  private static void row(StringBuilder page, String name, String value) {
    page.append("| ").append(name).append(" | ").append(value).append(" |\n");
  }

  private static String text(Duration span) {
    return Soak.text(span);
  }

  private long sum(ToLongFunction<Result> what) {
    return results.stream().mapToLong(what).sum();
  }

  private String rules() {
    long draws = sum(it -> it.hasDraw() ? 1 : 0);
    return "%s of each of %,d queues; in %,d of them it matters who is there (7), and as many have a public log, and stock with returns; list, order and places of %,d draws"
        .formatted(
            Checker.numbers().stream().map(String::valueOf).collect(joining(", ")),
            sum(Result::queues) - draws,
            results.size(),
            draws);
  }

  private Map<Kind, Long> kinds() {
    return results.stream()
        .flatMap(it -> it.faults().stream())
        .collect(groupingBy(Fault::kind, TreeMap::new, counting()));
  }

  private static long together(Result result) {
    return result.faults().stream()
        .filter(
            one ->
                result.faults().stream()
                    .anyMatch(
                        other ->
                            !one.equals(other)
                                && one.start() <= other.end()
                                && other.start() <= one.end()))
        .count();
  }

  private static String lastOf(Result result) {
    return result.faults().stream()
        .sorted(comparingLong(Fault::end).reversed())
        .limit(3)
        .map(fault -> fault.kind().words)
        .collect(joining(", "));
  }
}
