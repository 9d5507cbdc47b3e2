package io.naru.server;

import io.naru.fair.Export;
import io.naru.fair.LiveLog;
import io.naru.fair.LogSource;
import io.naru.fair.RefusedLog;
import io.naru.files.OwnerOnly;
import io.naru.queue.InvalidValue;
import io.naru.queue.Json;
import io.naru.queue.QueueId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code naru export}: a queue with its log, as one file. */
@Command(
    name = "export",
    description = {
      "Writes a queue of a running server into one file: its log, if it has one, and with it the",
      "lists of its draws and its settings as they changed; and the queue and its people as they",
      "stood at one moment, for `naru import`. The file has names in it: keep it as you keep a",
      "backup. With --public it has none, and may be given to anybody for `naru verify`."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class ExportCommand implements Callable<Integer> {

  private static final int MAX_LINE = 1 << 20;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TYPE/id", description = "The queue.")
  private String name = "";

  @Option(
      names = "--out",
      required = true,
      paramLabel = "FILE",
      description = "Where to write it; what is there is replaced when all of it is written.")
  private Path out = Path.of("");

  @Option(
      names = "--public",
      description = "Leaves the people out, for whoever wants to verify. Needs no key.")
  private boolean isPublic;

  @Mixin private final RunningServer server = new RunningServer();

  @Override
  public Integer call() {
    QueueId queue;
    try {
      queue = QueueId.parse(name);
    } catch (InvalidValue e) {
      throw new ParameterException(spec.commandLine(), "TYPE/id: is not a queue: " + name);
    }
    try {
      Path part = out.resolveSibling(out.getFileName() + ".part");
      try {
        long entries = write(queue, part);
        Files.move(part, out, StandardCopyOption.REPLACE_EXISTING);
        say(entries);
      } finally {
        Files.deleteIfExists(part);
      }
      return CommandLine.ExitCode.OK;
    } catch (RunningServer.Failure e) {
      return fail(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return fail(queue + " cannot be exported: " + e.getMessage());
    }
  }

  private int fail(String message) {
    spec.commandLine().getErr().println(message);
    spec.commandLine().getErr().flush();
    return CommandLine.ExitCode.USAGE;
  }

  private void say(long entries) {
    spec.commandLine()
        .getOut()
        .println(
            isPublic
                ? out + " has the log of " + name + " and no names; `naru verify` checks it"
                : out
                    + " has "
                    + name
                    + " with "
                    + entries
                    + " entries. It has names: keep it as you keep a backup");
    spec.commandLine().getOut().flush();
  }

  private long write(QueueId queue, Path part) throws IOException, RunningServer.Failure {
    LogSource log = log(queue).orElse(null);
    if (log == null && isPublic) {
      throw new RunningServer.Failure(
          name + " has no log, or is not there: there is nothing to publish");
    }
    LogSource.Header header = log == null ? new LogSource.Header("", queue, "") : log.header();
    // One that is left of an export that was killed has the rights of that one.
    Files.deleteIfExists(part);
    try (OutputStream file = isPublic ? Files.newOutputStream(part) : OwnerOnly.create(part);
        var export = new Export.Writer(file, header, Version.get())) {
      if (log != null) {
        log.read(export);
      }
      long entries = isPublic ? 0 : writePeople(queue, export);
      export.finish();
      return entries;
    }
  }

  /** Empty if the queue has none. */
  private Optional<LogSource> log(QueueId queue) throws IOException, RunningServer.Failure {
    String base = server.url().toString().replaceAll("/+$", "");
    try {
      return Optional.of(LiveLog.open(URI.create(base + "/queue/" + queue)));
    } catch (RefusedLog.NotThere e) {
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      throw new RunningServer.Failure("--url is no address: " + e.getMessage());
    } catch (ConnectException e) {
      throw new RunningServer.Failure("--url: no Naru answers at " + server.url());
    }
  }

  private long writePeople(QueueId queue, Export.Writer export)
      throws IOException, RunningServer.Failure {
    HttpResponse<InputStream> answer =
        server.stream("/admin/queues/" + queue + "/export", spec.commandLine().getErr());
    try (var body =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      if (answer.statusCode() != 200) {
        throw switch (answer.statusCode()) {
          case 404 -> new RunningServer.Failure(name + ": there is no such queue");
          case 409 -> new RunningServer.Failure("another export is running; please try again");
          case 422 ->
              new RunningServer.Failure(
                  name + " cannot be exported: Redis alone keeps no entries, it needs a ledger");
          default -> server.failure(answer.statusCode());
        };
      }
      return copy(body, export);
    }
  }

  private static long copy(Reader body, Export.Writer export) throws IOException {
    long entries = 0;
    while (true) {
      String line = line(body);
      if (line == null) {
        throw new IOException("the answer of the server is cut off; please try again");
      }
      Map<String, @Nullable Object> object;
      try {
        object = Json.readObject(line);
      } catch (IllegalArgumentException e) {
        throw new IOException("the server answers something else", e);
      }
      if (object.get("queue") instanceof Map<?, ?> queue) {
        export.queue(named(queue));
      } else if (object.get("entry") instanceof Map<?, ?> entry) {
        export.entry(named(entry));
        entries++;
      } else if (object.get("end") instanceof Map<?, ?> end
          && end.get("entries") instanceof Number count
          && count.longValue() == entries) {
        return entries;
      } else {
        throw new IOException("the server answers something else");
      }
    }
  }

  /** The next one; null if there is none, or no end of it. */
  private static @Nullable String line(Reader body) throws IOException {
    var line = new StringBuilder();
    for (int c = body.read(); c != '\n'; c = body.read()) {
      if (c < 0) {
        return null;
      }
      if (line.length() == MAX_LINE) {
        throw new IOException("the server answers a line without end");
      }
      line.append((char) c);
    }
    return line.toString();
  }

  private static Map<String, @Nullable Object> named(Map<?, ?> object) {
    Map<String, @Nullable Object> named = new LinkedHashMap<>();
    object.forEach((key, value) -> named.put(String.valueOf(key), value));
    return named;
  }
}
