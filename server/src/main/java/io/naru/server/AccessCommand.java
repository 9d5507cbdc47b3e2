package io.naru.server;

import io.naru.access.Role;
import io.naru.server.http.Json;
import java.io.PrintWriter;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** {@code naru access}: the keys of people, of a server that runs. */
@Command(
    name = "access",
    description = "Lists, makes and revokes the access keys of people, on a running server.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "list | add NAME | revoke ID")
final class AccessCommand implements Runnable {

  private static final String PATH = "/admin/access-keys";
  private static final String ROW = "%-17s  %-20s  %-8s  %-28s  %-20s  %s%n";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what: list, add NAME or revoke ID");
  }

  @Command(
      name = "list",
      description = "Shows all keys, whom they are for, and when they were last used.",
      mixinStandardHelpOptions = true)
  int list(@Mixin RunningServer server) {
    return server.tried(
        err(),
        () -> {
          var out = spec.commandLine().getOut();
          out.printf(ROW, "ID", "NAME", "ROLE", "STATE", "LAST USED", "QUEUES");
          @Nullable String after = null;
          do {
            String more = after == null ? "" : "?after=" + after;
            after = rows(server.done(200, "GET", PATH + more, "", err()));
          } while (after != null);
          out.flush();
        });
  }

  @Command(
      name = "add",
      description = "Makes a key and shows it, once: nobody can read it again.",
      mixinStandardHelpOptions = true)
  int add(
      @Parameters(paramLabel = "NAME", description = "Whom it is for: that is who acts.")
          String name,
      @Option(
              names = "--role",
              paramLabel = "ROLE",
              required = true,
              description = "What it allows: " + Role.ALLOWED + ".")
          String role,
      @Option(
              names = "--queues",
              paramLabel = "QUEUE",
              split = ",",
              description = "Only these: TYPE/id, or TYPE/* for all of a type. Default: all")
          @Nullable List<String> queues,
      @Option(
              names = "--expires",
              paramLabel = "TIME",
              description = "Until when, like 2027-01-31T18:00:00Z. Default: until it is revoked")
          @Nullable String expires,
      @Mixin RunningServer server) {
    String body =
        Json.object(
                json -> {
                  json.writeStringProperty("name", name);
                  json.writeStringProperty("role", role);
                  if (queues != null) {
                    json.writeArrayPropertyStart("queues");
                    queues.forEach(json::writeString);
                    json.writeEndArray();
                  }
                  if (expires != null) {
                    json.writeStringProperty("expiresAt", expires);
                  }
                })
            .toString(StandardCharsets.UTF_8);
    return server.tried(
        err(),
        () -> {
          Map<String, @Nullable Object> made =
              server.object(server.done(201, "POST", PATH, body, err()));
          var out = spec.commandLine().getOut();
          out.println(made.get("key"));
          out.flush();
          err()
              .println("the key of " + name + ", id " + made.get("id") + ": it is not shown again");
        });
  }

  @Command(
      name = "revoke",
      description = "This key opens nothing any more, within two seconds on all servers.",
      mixinStandardHelpOptions = true)
  int revoke(
      @Parameters(paramLabel = "ID", description = "The key's id, as list shows it.") String id,
      @Mixin RunningServer server) {
    if (!id.matches("[0-9a-f]{1,32}")) {
      throw new ParameterException(spec.commandLine(), "ID: is not the id of a key: " + id);
    }
    return server.tried(
        err(),
        () -> {
          HttpResponse<String> answer = server.call("DELETE", PATH + "/" + id, "", err());
          if (answer.statusCode() == 404) {
            throw new RunningServer.Failure(
                "ID: there is no such key; `naru access list` shows them");
          }
          if (answer.statusCode() != 204) {
            throw server.failure(answer);
          }
        });
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Prints a page; where the next one begins, or null. */
  private @Nullable String rows(String json) {
    String next = null;
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      Map<String, String> texts = new HashMap<>();
      List<String> queues = new ArrayList<>();
      while (parser.nextToken() != null) {
        switch (parser.currentToken()) {
          case START_OBJECT -> {
            texts.clear();
            queues.clear();
          }
          case VALUE_STRING -> {
            if ("next".equals(parser.currentName())) {
              next = parser.getString();
            } else if (parser.currentName() == null) {
              queues.add(parser.getString());
            } else {
              texts.put(parser.currentName(), parser.getString());
            }
          }
          case END_OBJECT -> {
            if (texts.containsKey("id")) {
              row(texts, queues);
              texts.clear();
            }
          }
          default -> {}
        }
      }
    }
    return next;
  }

  private void row(Map<String, String> key, List<String> queues) {
    String state =
        key.containsKey("revokedAt")
            ? "revoked"
            : key.containsKey("expiresAt") ? "until " + seconds(key.get("expiresAt")) : "good";
    spec.commandLine()
        .getOut()
        .printf(
            ROW,
            key.get("id"),
            key.get("name"),
            key.get("role"),
            state,
            seconds(key.get("lastUsedAt")),
            queues.isEmpty() ? "all" : String.join(" ", queues));
  }

  private static String seconds(@Nullable String time) {
    return time == null ? "-" : time.replaceAll("\\..*", "Z");
  }
}
