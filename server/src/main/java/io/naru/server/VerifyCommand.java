package io.naru.server;

import io.naru.fair.Export;
import io.naru.fair.Finding;
import io.naru.fair.LiveLog;
import io.naru.fair.LogReader;
import io.naru.fair.LogSource;
import io.naru.fair.Report;
import io.naru.fair.Verifier;
import io.naru.queue.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code naru verify}: whether the order of a queue is what its log says. Believes nobody. */
@Command(
    name = "verify",
    description = {
      "Checks the log of a queue: its roots and signature, each draw, every admission against the",
      "rules in force at that moment. Needs no key and no running server, except the one whose",
      "address it is given. Exits with 0 if nothing is wrong, with 1 if something was found, and",
      "with 2 if there is nothing that it could check."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class VerifyCommand implements Callable<Integer> {

  private static final int FOUND = 1;
  private static final int CANNOT = 2;
  private static final long PROGRESS_EVERY = 500_000;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE-or-URL",
      description =
          "An export, or the address of a queue that runs: https://wait.example.com/queue/TYPE/id")
  private String what = "";

  @Option(
      names = "--receipt",
      paramLabel = "FILE",
      description = "A visitor's receipt, which must agree with the log. May be given many times.")
  private List<Path> receipts = new ArrayList<>();

  @Option(names = "--json", description = "Says it as one JSON object, for programs.")
  private boolean asJson;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try {
      LogSource source = open();
      if (source.header().key().isEmpty()) {
        Export.check(source);
        return fail(
            what
                + " is whole, and there is nothing to check: "
                + source.header().queue()
                + " has no log (setting log)");
      }
      Report report = new Verifier().verify(withProgress(source), readReceipts());
      if (asJson) {
        out.println(Json.write(json(source.header(), report)));
      } else {
        say(out, source.header(), report);
      }
      out.flush();
      return report.isClean() ? CommandLine.ExitCode.OK : FOUND;
    } catch (NoSuchFileException e) {
      return fail(e.getMessage() + ": there is no such file");
    } catch (IOException e) {
      return fail(what + " cannot be checked: " + e.getMessage());
    }
  }

  private int fail(String message) {
    spec.commandLine().getErr().println(message);
    spec.commandLine().getErr().flush();
    return CANNOT;
  }

  private LogSource open() throws IOException {
    if (!what.startsWith("http://") && !what.startsWith("https://")) {
      return Export.open(Path.of(what));
    }
    String address = what.replaceFirst("[?#].*$", "").replaceFirst("/+$", "");
    int page = address.lastIndexOf("/wait/");
    if (page >= 0) {
      // As people have it before them.
      String queue = address.substring(page + "/wait/".length()).replaceFirst("/fair$", "");
      address = address.substring(0, page) + "/queue/" + queue;
    }
    try {
      return LiveLog.open(URI.create(address));
    } catch (IllegalArgumentException e) {
      throw new IOException("it is no address: " + e.getMessage(), e);
    }
  }

  private List<String> readReceipts() throws IOException {
    List<String> texts = new ArrayList<>();
    for (Path receipt : receipts) {
      texts.add(Files.readString(receipt));
    }
    return texts;
  }

  /** A long log takes its time, and whoever waits for it wants to know that it goes on. */
  private LogSource withProgress(LogSource source) {
    PrintWriter err = spec.commandLine().getErr();
    return new LogSource() {
      @Override
      public Header header() {
        return source.header();
      }

      @Override
      public void read(LogReader reader) throws IOException {
        source.read(
            new LogReader() {
              private long records;

              @Override
              public void record(byte[] bytes, int offset, int length) throws IOException {
                reader.record(bytes, offset, length);
                if (++records % PROGRESS_EVERY == 0) {
                  err.println(records + " records read …");
                  err.flush();
                }
              }

              @Override
              public void leaves(long number, byte[] part) throws IOException {
                reader.leaves(number, part);
              }

              @Override
              public void checkpoint(String note) throws IOException {
                reader.checkpoint(note);
              }
            });
      }
    };
  }

  private void say(PrintWriter out, LogSource.Header header, Report report) {
    out.println("Log of " + header.queue() + " at " + header.origin());
    out.println("Signed by " + header.key());
    out.printf(
        Locale.ROOT,
        "Checked: %,d records, %,d people, %,d admitted%s%n",
        report.records(),
        report.people(),
        report.admitted(),
        receipts.isEmpty() ? "" : ", " + receipts.size() + " receipts");
    report.remarks().forEach(remark -> out.println("Note: " + remark));
    for (Finding finding : report.findings()) {
      out.println("FOUND " + finding);
    }
    report
        .counts()
        .forEach(
            (name, count) -> {
              long shown =
                  report.findings().stream().filter(each -> each.name().equals(name)).count();
              if (count > shown) {
                out.println("FOUND " + name + " " + (count - shown) + " times more");
              }
            });
    out.println(
        report.isClean()
            ? "Nothing is wrong: the order is the one that the rules make."
            : "Something is wrong: "
                + String.join(", ", report.counts().keySet().stream().sorted().toList()));
  }

  private static Map<String, @Nullable Object> json(LogSource.Header header, Report report) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("queue", header.queue().toString());
    all.put("origin", header.origin());
    all.put("key", header.key());
    all.put("records", report.records());
    all.put("people", report.people());
    all.put("admitted", report.admitted());
    all.put("clean", report.isClean());
    List<Map<String, Object>> findings = new ArrayList<>();
    for (Finding finding : report.findings()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("name", finding.name());
      each.put("record", finding.record());
      each.put("words", finding.words());
      findings.add(each);
    }
    all.put("findings", findings);
    all.put("counts", report.counts());
    all.put("remarks", report.remarks());
    return all;
  }
}
