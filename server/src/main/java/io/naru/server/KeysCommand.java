package io.naru.server;

import io.naru.pass.PassKey;
import java.net.http.HttpResponse;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** {@code naru keys}: the keys that sign passes, of a server that runs. */
@Command(
    name = "keys",
    description = "Lists, rotates and revokes the keys that sign passes, on a running server.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "list | rotate | revoke KID | pem KID")
final class KeysCommand implements Runnable {

  private static final String KID =
      "The key's id, as list shows it; after -- if it begins with a dash, as those of some older keys.";

  private static final String UNKNOWN = "KID: there is no such key; `naru keys list` shows them";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "say what: list, rotate, revoke KID or pem KID");
  }

  @Command(
      name = "list",
      description = "Shows all keys, and where each of them is on its way.",
      mixinStandardHelpOptions = true)
  int list(@Mixin RunningServer server) {
    return call(server, "GET", "/admin/keys", "");
  }

  @Command(
      name = "rotate",
      description = "Signs with the next key from now on, and publishes another one.",
      mixinStandardHelpOptions = true)
  int rotate(@Mixin RunningServer server) {
    return call(server, "POST", "/admin/keys/rotate", "");
  }

  @Command(
      name = "revoke",
      description = "Nothing that this key signed counts any more; gates hear of it in seconds.",
      mixinStandardHelpOptions = true)
  int revoke(
      @Parameters(paramLabel = "KID", description = KID) String kid, @Mixin RunningServer server) {
    checkId(kid);
    return call(server, "POST", "/admin/keys/revoke", "{\"kid\":\"" + kid + "\"}");
  }

  @Command(
      name = "pem",
      description = "Prints a public key as PEM, for proxies that verify passes with it.",
      mixinStandardHelpOptions = true)
  int pem(
      @Parameters(paramLabel = "KID", description = KID) String kid, @Mixin RunningServer server) {
    checkId(kid);
    var command = spec.commandLine();
    try {
      HttpResponse<String> answer =
          server.call("GET", "/.well-known/jwks.json", "", command.getErr());
      if (answer.statusCode() != 200) {
        throw server.failure(answer);
      }
      PassKey key = PassKey.parseJwks(answer.body()).get(kid);
      if (key == null) {
        throw new RunningServer.Failure(UNKNOWN);
      }
      command.getOut().print(key.toPem());
      command.getOut().flush();
      return CommandLine.ExitCode.OK;
    } catch (IllegalArgumentException e) {
      return fail(server.noNaru(e));
    } catch (RunningServer.Failure e) {
      return fail(e);
    }
  }

  private void checkId(String kid) {
    if (!kid.matches("[A-Za-z0-9_-]{1,64}")) {
      throw new ParameterException(spec.commandLine(), "KID: is not the id of a key: " + kid);
    }
  }

  private int call(RunningServer server, String method, String path, String body) {
    try {
      HttpResponse<String> answer = server.call(method, path, body, spec.commandLine().getErr());
      switch (answer.statusCode()) {
        case 200 -> table(answer.body());
        case 404 -> throw new RunningServer.Failure(UNKNOWN);
        case 409 ->
            throw new RunningServer.Failure(
                "there are too many old keys already; they are forgotten after a day");
        default -> throw server.failure(answer);
      }
      return CommandLine.ExitCode.OK;
    } catch (JacksonException e) {
      return fail(server.noNaru(e));
    } catch (RunningServer.Failure e) {
      return fail(e);
    }
  }

  private void table(String json) {
    var out = spec.commandLine().getOut();
    String row = "%-43s  %-9s  %-8s  %s%n";
    out.printf(row, "KID", "ALGORITHM", "STATE", "SINCE");
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      String kid = "";
      String algorithm = "";
      String state = "";
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
          switch (parser.currentName()) {
            case "kid" -> kid = parser.getString();
            case "algorithm" -> algorithm = parser.getString();
            case "state" -> state = parser.getString();
            case "since" -> out.printf(row, kid, algorithm, state, parser.getString());
            default -> {}
          }
        }
      }
    }
    out.flush();
  }

  private int fail(RunningServer.Failure failure) {
    spec.commandLine().getErr().println(failure.getMessage());
    return CommandLine.ExitCode.USAGE;
  }
}
