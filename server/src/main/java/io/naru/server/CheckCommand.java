package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** {@code naru check}: whether lines are what their ledger says, of a server that runs. */
@Command(
    name = "check",
    description = {
      "Compares lines with their ledger on a running server, and repairs what differs.",
      "Exits with 1 if anything did, or could not be compared."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class CheckCommand implements Callable<Integer> {

  private static final int DIFFERED = 1;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "TYPE/id",
      description = "The queue. Default: all, one after the other.")
  private @Nullable String queue;

  @Mixin private final RunningServer server = new RunningServer();

  @Override
  public Integer call() {
    String only = queue;
    if (only != null && !only.matches("[^/?#%\\s]+/[^/?#%\\s]+")) {
      throw new ParameterException(spec.commandLine(), "TYPE/id: is not a queue: " + only);
    }
    try {
      return only == null ? all() : one(only) ? CommandLine.ExitCode.OK : DIFFERED;
    } catch (JacksonException e) {
      return fail(server.noNaru(e));
    } catch (RunningServer.Failure e) {
      return fail(e);
    }
  }

  private int all() throws RunningServer.Failure {
    boolean isWell = true;
    @Nullable String after = null;
    do {
      String more = after == null ? "" : "&after=" + URLEncoder.encode(after, UTF_8);
      List<String> names = new ArrayList<>();
      after = names(call("GET", "/admin/queues?limit=1000" + more).body(), names);
      for (String name : names) {
        isWell &= one(name);
      }
    } while (after != null);
    return isWell ? CommandLine.ExitCode.OK : DIFFERED;
  }

  /** Fills in the queues of a page, and says from where on there are more. */
  private static @Nullable String names(String json, List<String> names) {
    String type = "";
    @Nullable String next = null;
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken().isScalarValue()) {
          switch (parser.currentName()) {
            case "eventType" -> type = parser.getString();
            case "eventId" -> names.add(type + "/" + parser.getString());
            case "next" -> next = parser.getString();
            case null, default -> {}
          }
        }
      }
    }
    return next;
  }

  /** Compares a whole queue, call by call; says whether all was as in the ledger. */
  private boolean one(String name) throws RunningServer.Failure {
    Map<String, Long> sums = new HashMap<>();
    @Nullable String next = "";
    while (next != null) {
      String more = next.isEmpty() ? "" : "?after=" + URLEncoder.encode(next, UTF_8);
      HttpResponse<String> answer = call("POST", "/admin/queues/" + name + "/check" + more);
      if (answer.statusCode() == 503) {
        say(name + " cannot be compared now: it is frozen, being healed or not reached");
        return false;
      }
      next = add(answer.body(), sums);
    }
    long differences = sums.getOrDefault("differences", 0L);
    say(
        name
            + " compared "
            + number(sums.get("checked"))
            + " entries: "
            + (differences == 0
                ? "all as in the ledger"
                : number(differences)
                    + " not as in the ledger, of which "
                    + number(sums.get("repaired"))
                    + " are repaired and the others will be shortly"));
    return differences == 0;
  }

  /** Adds an answer's numbers up, and says where to go on. */
  private static @Nullable String add(String json, Map<String, Long> sums) {
    @Nullable String next = null;
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      while (parser.nextToken() != null) {
        switch (parser.currentToken()) {
          case VALUE_NUMBER_INT ->
              sums.merge(parser.currentName(), parser.getLongValue(), Long::sum);
          case VALUE_STRING -> next = parser.getString();
          default -> {}
        }
      }
    }
    return next;
  }

  private HttpResponse<String> call(String method, String path) throws RunningServer.Failure {
    HttpResponse<String> answer = server.call(method, path, "", spec.commandLine().getErr());
    return switch (answer.statusCode()) {
      case 200, 503 -> answer;
      case 404 -> throw new RunningServer.Failure("TYPE/id: there is no such queue");
      case 422 ->
          throw new RunningServer.Failure(
              "--url: " + server.url() + " has no ledger, so there is nothing to compare with");
      default -> throw server.failure(answer);
    };
  }

  private static String number(@Nullable Long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private void say(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }

  private int fail(RunningServer.Failure failure) {
    spec.commandLine().getErr().println(failure.getMessage());
    return CommandLine.ExitCode.USAGE;
  }
}
