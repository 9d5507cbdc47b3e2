package io.naru.server;

import io.naru.load.Range;
import io.naru.load.plan.Expected;
import io.naru.load.plan.Figures;
import io.naru.load.plan.Needs;
import io.naru.load.plan.Plan;
import io.naru.queue.QueueId;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** {@code naru plan}: what to set for an expected crowd, and what it takes. */
@Command(
    name = "plan",
    description = {
      "Says what to set for an expected crowd, how long the last one will wait, and how many",
      "servers, and what of Redis and of the database, that takes. Asks no server anything."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Example: 10,000 come at once, the last one is to be in within 30 s, each stays for 10 s:",
      "  naru plan --people 10000 --arrive 2 --within 30 --stay 10 --requests 5"
    })
final class PlanCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--people", paramLabel = "COUNT", required = true, description = "How many come.")
  private int people;

  @Option(
      names = "--stay",
      paramLabel = "SECONDS",
      required = true,
      description = "How long each is inside, on average, until they are done.")
  private double stay;

  @Option(
      names = "--capacity",
      paramLabel = "COUNT",
      description = "How many the site can have at once.")
  private int capacity;

  @Option(
      names = "--rate",
      paramLabel = "COUNT",
      description = "How many new ones it can take in a second.")
  private double rate;

  @Option(
      names = "--within",
      paramLabel = "SECONDS",
      description = "By when the last one should be in, if all come at once.")
  private int within;

  @Option(
      names = "--arrive",
      paramLabel = "SECONDS",
      description = "Within which most of them come. Default: 60")
  private int arrive = 60;

  @Option(
      names = "--requests",
      paramLabel = "COUNT",
      description = "That each makes at the site. Default: 10")
  private double requests = 10;

  @Option(names = "--cores", paramLabel = "COUNT", description = "Of each server. Default: 4")
  private int cores = 4;

  @Option(
      names = "--queue",
      paramLabel = "TYPE/id",
      description = "Of the call that is printed. Default: SALE/1")
  private String queue = "SALE/1";

  @Option(
      names = "--bench",
      paramLabel = "FILE",
      description = {
        "What ./naru bench --json FILE measured on such a machine. Default: the figures of",
        "docs/performance.md, of two shared cores; enter and status of a slow machine."
      })
  private @Nullable Path bench;

  @Override
  public Integer call() {
    try {
      Range.check("--cores", cores, 1, 256);
      if (!queue.matches(QueueId.TYPE_ALLOWED + "/" + QueueId.ID_ALLOWED)) {
        throw new IllegalArgumentException("--queue: is not a queue: " + queue);
      }
      var expected = new Expected(people, arrive, stay, capacity, rate, within, requests);
      Figures figures = figures();
      Plan plan = Plan.of(expected);
      tell(expected, plan, Needs.of(expected, plan, figures, cores), figures);
      return CommandLine.ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private void tell(Expected expected, Plan plan, Needs needs, Figures figures) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%,d people, each inside for %s s%n%n",
        expected.people(),
        plain(expected.staySeconds()));
    row(out, "let in", "%s a second", plain(plan.perSecond()));
    row(
        out,
        "inside at once",
        "up to %,d: a stay is %s s longer than it looks, for telling and completing",
        plan.maxCapacity(),
        plain(Plan.TURNOVER_SECONDS));
    row(out, "last one is in", "after %s, if all come at once", time(plan.lastWaitSeconds()));
    if (!plan.isInTime()) {
      row(
          out,
          "NOT IN TIME",
          "within %s would take %,d inside at once",
          time(expected.withinSeconds()),
          plan.capacityNeeded());
    }
    row(out, "at your site", "%s requests a second", whole(needs.siteRequests()));
    out.println();
    row(
        out,
        "waiting at most",
        "%,d, when the last of them has come, after %s",
        needs.mostWaiting(),
        time(expected.arriveSeconds()));
    row(
        out,
        "servers",
        "%d of %d cores and %,d MB, %,d open files each (ulimit -n)",
        needs.servers(),
        cores,
        needs.serverMegabytes(),
        needs.files());
    row(
        out,
        "all cores",
        "%s busy at most, half idle, database and Redis included",
        plain(Math.ceil(10 * needs.cores()) / 10));
    row(
        out,
        "Redis",
        "%,d MB, noeviction; or none, and twice that more in each server",
        needs.redisMegabytes());
    row(
        out,
        "database",
        "%s people a second join, in batches; %,d MB for them",
        whole(needs.entersPerSecond()),
        needs.ledgerMegabytes());
    row(out, "network", "%s Mbit/s to those who wait", whole(needs.megabitsPerSecond()));
    out.printf("%nReckoned with %s. Try it: ./naru load%n%n", figures.source());
    out.println(activation(plan));
    out.flush();
  }

  private static void row(PrintWriter out, String what, String text, Object... values) {
    out.printf(Locale.ROOT, "  %-16s " + text + "%n", concat(what, values));
  }

  private static Object[] concat(String what, Object[] values) {
    var all = new Object[values.length + 1];
    all[0] = what;
    System.arraycopy(values, 0, all, 1, values.length);
    return all;
  }

  private String activation(Plan plan) {
    String[] name = queue.split("/", 2);
    return """
    curl http://127.0.0.1:8080/admin/queue/activate \\
      -H "Authorization: Bearer $(cat data/admin-key)" -H 'Content-Type: application/json' \\
      -d '{"eventType":"%s","eventId":"%s","maxCapacity":%s,"entryBatchSize":%s,"entryIntervalSeconds":%s}'"""
        .formatted(
            name[0],
            name[1],
            plan.maxCapacity(),
            plan.entryBatchSize(),
            plan.entryIntervalSeconds());
  }

  private static String time(double seconds) {
    long whole = (long) Math.ceil(seconds);
    return whole < 120
        ? plain(Math.ceil(10 * seconds) / 10) + " s"
        : String.format(Locale.ROOT, "%d min %02d s", whole / 60, whole % 60);
  }

  private static String plain(double number) {
    return number == Math.rint(number)
        ? whole(number)
        : String.format(Locale.ROOT, "%,.2f", number).replaceAll("0$", "");
  }

  private static String whole(double number) {
    return String.format(Locale.ROOT, "%,.0f", Math.ceil(number));
  }

  private Figures figures() {
    Path file = bench;
    if (file == null) {
      return Figures.DEFAULT;
    }
    Map<String, Double> rows = new HashMap<>();
    try {
      String machine = read(Files.readString(file), rows);
      if (rows.isEmpty()) {
        throw new IllegalArgumentException("--bench: " + file + " has no figures");
      }
      return Figures.of(machine, rows, "the figures of " + file);
    } catch (IOException | JacksonException e) {
      throw new IllegalArgumentException("--bench: cannot read " + file, e);
    }
  }

  /** Fills in what was measured, by its name, and says on what. */
  private static String read(String json, Map<String, Double> rows) {
    String machine = "";
    String what = "";
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      while (parser.nextToken() != null) {
        JsonToken token = parser.currentToken();
        String name = String.valueOf(parser.currentName());
        if (token == JsonToken.VALUE_STRING && name.equals("Machine")) {
          machine = parser.getString();
        } else if (token == JsonToken.VALUE_STRING && name.equals("what")) {
          what = parser.getString();
        } else if (token.isNumeric() && name.equals("value")) {
          rows.put(what, parser.getDoubleValue());
        }
      }
    }
    return machine;
  }
}
