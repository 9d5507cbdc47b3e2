package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.fair.Export;
import io.naru.fair.LogSource;
import io.naru.fair.RefusedLog;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.InvalidValue;
import io.naru.queue.Json;
import io.naru.queue.QueueId;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.MovedQueue;
import io.naru.transfer.Transfers;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

/** {@code naru import}: a queue that was exported, into a server that has none of its name. */
@Command(
    name = "import",
    description = {
      "Brings an exported queue to a running server that has no queue of its name. Order, places,",
      "tickets, times and settings stay as they were; it arrives closed and paused, and whoever",
      "runs it opens it. The file is read to its end before anything is sent; what is edited, cut",
      "off or from a newer version is refused as a whole. What was interrupted goes on when the",
      "same file is imported again."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class ImportCommand implements Callable<Integer> {

  private static final long PROGRESS_EVERY = 100_000;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "What `naru export` wrote, without --public.")
  private Path file = Path.of("");

  @Option(
      names = "--as",
      paramLabel = "TYPE/id",
      description = "Under another name. Default: the one that it had")
  private @Nullable String as;

  @Mixin private final RunningServer server = new RunningServer();

  /** Nothing is wrong with the file, but the server takes no more of it now. */
  private static final class Stopped extends IOException {
    private static final long serialVersionUID = 1;

    Stopped(long taken, RunningServer.Failure why) {
      super(
          why.getMessage()
              + "; "
              + taken
              + " entries are there: import the same file again, and it goes on behind them",
          why);
    }
  }

  /** The server takes no such thing, however often it is sent. */
  private static final class Refused extends RunningServer.Failure {
    private static final long serialVersionUID = 1;

    Refused(RunningServer.Failure why) {
      super("nothing more was changed: " + why.getMessage());
    }
  }

  /** What is read of a file before anything is sent. */
  private static final class Checked implements Export.ImportReader {
    private @Nullable MovedQueue queue;
    private @Nullable MovedEntry last;
    private long entries;
    private long waiting;
    private long inside;

    @Override
    public void record(byte[] bytes, int offset, int length) {}

    @Override
    public void leaves(long number, byte[] part) {}

    @Override
    public void checkpoint(String note) {}

    @Override
    public void queue(Map<String, @Nullable Object> given) throws RefusedLog {
      if (queue != null) {
        throw new RefusedLog("a second queue");
      }
      try {
        queue = MovedQueue.of(given);
      } catch (InvalidValue e) {
        throw new RefusedLog("the queue: " + e.getMessage(), e);
      }
      if (queue.draw() == Phase.CLOSED || queue.draw() == Phase.DRAWN) {
        throw new RefusedLog(
            "its draw was under way when it was exported; export it again when that is done");
      }
    }

    @Override
    public void entry(Map<String, @Nullable Object> given) throws RefusedLog {
      MovedEntry entry;
      try {
        entry = MovedEntry.of(given);
      } catch (InvalidValue e) {
        throw new RefusedLog("entry " + (entries + 1) + ": " + e.getMessage(), e);
      }
      if (queue == null) {
        throw new RefusedLog("entry " + (entries + 1) + ": before its queue");
      }
      if (last != null && MovedEntry.ORDER.compare(last, entry) >= 0) {
        throw new RefusedLog("entry " + (entries + 1) + ": not in its order");
      }
      if (entry.isUnsettled() && queue.draw() != Phase.LOBBY) {
        throw new RefusedLog(
            "entry "
                + (entries + 1)
                + ": somebody had no place yet when it was exported; export it again in a while");
      }
      last = entry;
      entries++;
      waiting += entry.isWaiting() ? 1 : 0;
      inside += entry.isLive() && !entry.isWaiting() ? 1 : 0;
    }

    MovedQueue whole() throws RefusedLog {
      if (queue == null) {
        throw new RefusedLog(
            "it has no people: it was exported with --public, which is for `naru verify` alone");
      }
      if (queue.waiting() != waiting || queue.inside() != inside) {
        throw new RefusedLog(
            "its queue has "
                + queue.waiting()
                + " waiting and "
                + queue.inside()
                + " inside, its entries are "
                + waiting
                + " and "
                + inside);
      }
      return queue;
    }
  }

  @Override
  public Integer call() {
    try {
      LogSource source = Export.open(file);
      QueueId queue = queue(source.header().queue());
      var checked = new Checked();
      source.read(checked);
      MovedQueue head = checked.whole();
      send(source, queue, head, checked.entries);
      say(queue, head, checked.entries);
      return CommandLine.ExitCode.OK;
    } catch (NoSuchFileException e) {
      return fail(e.getMessage() + ": there is no such file");
    } catch (RunningServer.Failure | Stopped e) {
      return fail(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return fail(file + " is refused: " + e.getMessage());
    }
  }

  private QueueId queue(QueueId exported) {
    if (as == null) {
      return exported;
    }
    try {
      return QueueId.parse(as);
    } catch (InvalidValue e) {
      throw new ParameterException(spec.commandLine(), "--as: is not a queue: " + as);
    }
  }

  private int fail(String message) {
    spec.commandLine().getErr().println(message);
    spec.commandLine().getErr().flush();
    return CommandLine.ExitCode.USAGE;
  }

  private void say(QueueId queue, MovedQueue head, long entries) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s is there: %,d entries, %,d waiting, %,d inside.%n",
        queue,
        entries,
        head.waiting(),
        head.inside());
    out.println(
        head.state().isEnded()
            ? "It had ended, and has."
            : "It is closed and paused; activate it when its visitors are to come here.");
    out.println(
        "What did not come along: entry tokens, cookies and passes, which the servers that");
    out.println(
        "made them signed (unless these share their secret and keys); codes of lanes, access");
    out.println("keys, the audit, statistics, stock, and who was last seen when.");
    if (head.settings().isLogged()) {
      out.println(
          "Its log begins anew here, with new seeds, and `verify` of it names all who came along as put"
              + " there; how they got their places is in the file.");
    }
    out.flush();
  }

  private void send(LogSource source, QueueId queue, MovedQueue head, long entries)
      throws IOException, RunningServer.Failure {
    String id = idOf(queue);
    String path = "/admin/queues/" + queue + "/import";
    Map<String, Object> begin = new LinkedHashMap<>();
    begin.put("id", id);
    begin.put("entries", entries);
    begin.put("queue", head.asMap());
    long there = post(path, begin);
    PrintWriter err = spec.commandLine().getErr();
    if (there > 0) {
      err.println("going on behind " + there + " entries, which are there already");
      err.flush();
    }
    var sender = new Sender(path, id, there, err);
    source.read(sender.reader());
    sender.finish();
    Map<String, Object> end = new LinkedHashMap<>();
    end.put("id", id);
    end.put("end", true);
    post(path, end);
  }

  /** The same file under the same name goes on where it was; any other one is another. */
  private String idOf(QueueId queue) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is in every JDK", e);
    }
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    digest.update(queue.toString().getBytes(UTF_8));
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Sends entries in parts. */
  private final class Sender {
    private final String path;
    private final String id;
    private final PrintWriter err;
    private final long skipped;
    private final List<Map<String, @Nullable Object>> part = new ArrayList<>();
    private long read;

    Sender(String path, String id, long skipped, PrintWriter err) {
      this.path = path;
      this.id = id;
      this.skipped = skipped;
      this.err = err;
    }

    Export.ImportReader reader() {
      return new Export.ImportReader() {
        @Override
        public void record(byte[] bytes, int offset, int length) {}

        @Override
        public void leaves(long number, byte[] some) {}

        @Override
        public void checkpoint(String note) {}

        @Override
        public void queue(Map<String, @Nullable Object> queue) {}

        @Override
        public void entry(Map<String, @Nullable Object> entry) throws IOException {
          if (read++ >= skipped) {
            part.add(entry);
          }
          if (part.size() == Transfers.MAX_PART) {
            flush();
          }
        }
      };
    }

    void finish() throws IOException {
      if (!part.isEmpty()) {
        flush();
      }
    }

    private void flush() throws IOException {
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("id", id);
      body.put("from", read - part.size());
      body.put("entries", part);
      try {
        post(path, body);
      } catch (Refused e) {
        throw new IOException(e.getMessage(), e);
      } catch (RunningServer.Failure e) {
        throw new Stopped(read - part.size(), e);
      }
      part.clear();
      if (read % PROGRESS_EVERY == 0) {
        err.println(read + " entries sent …");
        err.flush();
      }
    }
  }

  /** Says how many are there. */
  private long post(String path, Map<String, Object> body) throws RunningServer.Failure {
    HttpResponse<String> answer =
        server.call("POST", path, Json.write(body), spec.commandLine().getErr());
    if (answer.statusCode() != 200) {
      RunningServer.Failure why = server.failure(answer);
      throw switch (answer.statusCode()) {
        case 400, 404, 409, 422 -> new Refused(why);
        default -> why;
      };
    }
    if (server.object(answer.body()).get("taken") instanceof Number taken) {
      return taken.longValue();
    }
    throw server.noNaru(null);
  }
}
