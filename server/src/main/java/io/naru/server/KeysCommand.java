package io.naru.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
    synopsisSubcommandLabel = "list | rotate | revoke KID")
final class KeysCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what: list, rotate or revoke KID");
  }

  @Command(
      name = "list",
      description = "Shows all keys, and where each of them is on its way.",
      mixinStandardHelpOptions = true)
  int list(@Mixin Server server) {
    return call(server, "GET", "/admin/keys", "");
  }

  @Command(
      name = "rotate",
      description = "Signs with the next key from now on, and publishes another one.",
      mixinStandardHelpOptions = true)
  int rotate(@Mixin Server server) {
    return call(server, "POST", "/admin/keys/rotate", "");
  }

  @Command(
      name = "revoke",
      description = "Nothing that this key signed counts any more; gates hear of it in seconds.",
      mixinStandardHelpOptions = true)
  int revoke(
      @Parameters(paramLabel = "KID", description = "The key's id, as list shows it.") String kid,
      @Mixin Server server) {
    if (!kid.matches("[A-Za-z0-9_-]{1,64}")) {
      throw new ParameterException(spec.commandLine(), "KID: is not the id of a key: " + kid);
    }
    return call(server, "POST", "/admin/keys/revoke", "{\"kid\":\"" + kid + "\"}");
  }

  /** Which server, and what it takes to be its operator. */
  static final class Server {

    @Option(
        names = "--url",
        paramLabel = "URL",
        description = "Address of the server. Default: http://127.0.0.1:8080")
    private URI url = URI.create("http://127.0.0.1:8080");

    @Option(
        names = "--admin-key",
        paramLabel = "KEY",
        description = {
          "Its admin key; better in a file, or in NARU_ADMIN_KEY. Default: what the server keeps"
              + " in",
          "its data directory."
        })
    private @Nullable String adminKey;

    @Option(
        names = "--admin-key-file",
        paramLabel = "FILE",
        description = "File with its admin key. Default: NARU_ADMIN_KEY_FILE")
    private @Nullable Path adminKeyFile;

    @Option(
        names = "--data",
        paramLabel = "DIR",
        description = "That directory. Default: NARU_DATA, or ./data")
    private @Nullable Path data;

    /** The command line comes first. */
    private SecretOption given() {
      if (adminKey != null || adminKeyFile != null) {
        return new SecretOption("--admin-key", adminKey, adminKeyFile);
      }
      String file = System.getenv("NARU_ADMIN_KEY_FILE");
      return new SecretOption(
          "--admin-key", System.getenv("NARU_ADMIN_KEY"), file == null ? null : Path.of(file));
    }

    private String key() throws IOException {
      String given = given().value();
      if (given != null) {
        return given;
      }
      String folder = System.getenv("NARU_DATA");
      Path directory = data != null ? data : Path.of(folder == null ? "data" : folder);
      return Files.readString(directory.resolve("admin-key")).strip();
    }
  }

  private int call(Server server, String method, String path, String body) {
    String key;
    try {
      key = server.key();
      server
          .given()
          .warning(server.adminKey != null)
          .ifPresent(spec.commandLine().getErr()::println);
    } catch (IllegalArgumentException e) {
      return fail(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return fail("--admin-key: not given, and not in " + e.getMessage());
    }
    try (var http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(server.url.toString().replaceAll("/+$", "") + path))
              .timeout(Duration.ofSeconds(5))
              .header("Authorization", "Bearer " + key)
              .header("Content-Type", "application/json")
              .method(
                  method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
              .build();
      return show(server, http.send(request, BodyHandlers.ofString()));
    } catch (IOException e) {
      return fail("--url: no Naru answers at " + server.url);
    } catch (IllegalArgumentException e) {
      return fail("--url or --admin-key cannot be sent: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fail("interrupted");
    }
  }

  private int show(Server server, HttpResponse<String> answer) {
    return switch (answer.statusCode()) {
      case 200 -> {
        try {
          table(answer.body());
          yield CommandLine.ExitCode.OK;
        } catch (JacksonException e) {
          yield fail("--url: what answers at " + server.url + " is not a Naru");
        }
      }
      case 401 -> fail("--admin-key: this is not the key of " + server.url);
      case 404 -> fail("KID: there is no such key; `naru keys list` shows them");
      case 409 -> fail("there are too many old keys already; they are forgotten after a day");
      default -> fail(server.url + " answered " + answer.statusCode() + "; please try again");
    };
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

  private int fail(String problem) {
    spec.commandLine().getErr().println(problem);
    return CommandLine.ExitCode.USAGE;
  }
}
