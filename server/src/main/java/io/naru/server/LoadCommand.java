package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.UnixOperatingSystemMXBean;
import io.naru.load.Count;
import io.naru.load.Course;
import io.naru.load.Crowd;
import io.naru.load.Errand;
import io.naru.load.Habits;
import io.naru.load.Range;
import io.naru.load.Report;
import io.naru.load.Wave;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code naru load}: visitors who are not there, against a Naru that is. */
@Command(
    name = "load",
    description = {
      "Sends a crowd to a queue of a running Naru: they arrive, follow their place, leave or",
      "sleep, get in, pay or fail to, and complete. Ends when nobody has anything left to do, or with Ctrl-C,",
      "and leaves a report. The queue must be there and open."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class LoadCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  /** Files that are needed for other things than visitors. */
  private static final int SPARE_FILES = 500;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "TYPE/id", description = "The queue.")
  private String queue = "";

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Address of the server, http or https. Default: http://127.0.0.1:8080")
  private URI url = URI.create("http://127.0.0.1:8080");

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = {
        "Who signs the certificate of that address (PEM), as one's own certificate on this",
        "machine. Default: those whom Java trusts"
      })
  private @Nullable Path ca;

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = {
        "The host of that address, if it is another machine: who names it twice means it.",
        "Without it only this machine is loaded."
      })
  private @Nullable String allowHost;

  @Option(
      names = "--visitors",
      paramLabel = "COUNT",
      description = "How many come, 1 to 1,000,000. Default: 1000")
  private int visitors = 1_000;

  @Option(
      names = "--over",
      paramLabel = "SECONDS",
      description = "From the first to the last of them. Default: 10")
  private int over = 10;

  @Option(
      names = "--shape",
      paramLabel = "SHAPE",
      description = "How they are spread: burst, ramp or steady. Default: burst")
  private String shape = "burst";

  @Option(
      names = "--follow",
      paramLabel = "HOW",
      description = {
        "How they learn of their place: stream (a connection each, as the waiting page), socket",
        "(the same over a WebSocket each), poll (when the server said to ask again), or board",
        "(read once a second for all of them, as behind a CDN, until they are near the front and",
        "poll). Default: stream"
      })
  private String follow = "stream";

  @Option(
      names = "--leaving",
      paramLabel = "PERCENT",
      description = "How many give their place up while they wait. Default: 5")
  private double leaving = Habits.DEFAULT.leaving();

  @Option(
      names = "--sleeping",
      paramLabel = "PERCENT",
      description = "How many close the page meanwhile, and never come back. Default: 10")
  private double sleeping = Habits.DEFAULT.sleeping();

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      description = "Within which those do so. Default: 60")
  private int patience = (int) Habits.DEFAULT.patience().toSeconds();

  @Option(
      names = "--paying",
      paramLabel = "PERCENT",
      description = {
        "How many of those who get in complete; the others keep their turn until it ends.",
        "Default: 80"
      })
  private double paying = Habits.DEFAULT.paying();

  @Option(
      names = "--failing",
      paramLabel = "PERCENT",
      description = {
        "Of how many of those who complete the first payment fails; they say so (return) and",
        "complete at the second try, after as long again. Default: 0"
      })
  private double failing = Habits.DEFAULT.failing();

  @Option(
      names = "--stay",
      paramLabel = "SECONDS",
      description = "After how long they complete, on average. Default: 10")
  private int stay = (int) Habits.DEFAULT.stay().toSeconds();

  @Option(
      names = "--connections",
      paramLabel = "COUNT",
      description = "Over which everything but streams goes. Default: 256")
  private int connections = Errand.DEFAULT_CONNECTIONS;

  @Option(
      names = "--threads",
      paramLabel = "COUNT",
      description = "That play the visitors. Default: half of the processors")
  private int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

  @Option(
      names = "--user-header",
      paramLabel = "NAME",
      description = {
        "Names each visitor in this header, where the server trusts us (its --user-header and",
        "--trusted-proxies). Default: each gets an identity of the server's own, of which one",
        "address other than loopback gets 10 a second (--new-visitors-per-address)."
      })
  private @Nullable String userHeader;

  @Option(
      names = "--at-most",
      paramLabel = "SECONDS",
      description = "Ends then, whoever still waits. Default: 3600")
  private int atMost = 3_600;

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      description =
          "Who does what: the same people for the same number. Default: another each time")
  private @Nullable Long seed;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Where the report goes. Default: naru-load.html")
  private Path report = Path.of("naru-load.html");

  @Override
  public Integer call() {
    Errand errand;
    try {
      errand = errand();
      Range.check("--at-most", atMost, 1, 86_400);
      Range.check("--threads", threads, 1, 64);
    } catch (IllegalArgumentException e) {
      throw bad(String.valueOf(e.getMessage()));
    }
    if (!errand.isLoopback() && !errand.url().getHost().equals(allowHost)) {
      throw bad(
          "--url: "
              + errand.url().getHost()
              + " is not this machine; if it is yours to load, say so with --allow-host "
              + errand.url().getHost());
    }
    String trouble = troubleWith(errand);
    if (trouble != null) {
      spec.commandLine().getErr().println(trouble);
      return CommandLine.ExitCode.USAGE;
    }
    return run(errand);
  }

  private Errand errand() {
    Wave.Shape shaped = oneOf("--shape", shape, Wave.Shape.class);
    Errand.Follow following = oneOf("--follow", follow, Errand.Follow.class);
    var wave = new Wave(visitors, Duration.ofSeconds(over), shaped);
    var habits =
        new Habits(
            leaving,
            sleeping,
            paying,
            failing,
            Duration.ofSeconds(patience),
            Duration.ofSeconds(stay));
    long chosen = seed == null ? ThreadLocalRandom.current().nextLong(1, 1L << 31) : seed;
    long files = files() - connections - SPARE_FILES;
    int streams = following.isOpen() ? (int) Math.clamp(files, 0, (long) visitors) : 0;
    return new Errand(
        url, queue, wave, habits, following, connections, streams, userHeader, chosen, tls());
  }

  private @Nullable SSLContext tls() {
    if (ca == null) {
      return null;
    }
    if (!"https".equals(url.getScheme())) {
      throw new IllegalArgumentException("--ca: is for https, and --url is " + url);
    }
    return Certificates.trusting(Certificates.in("--ca", ca));
  }

  private static <E extends Enum<E>> E oneOf(String option, String word, Class<E> type) {
    for (E value : type.getEnumConstants()) {
      if (value.name().equalsIgnoreCase(word)) {
        return value;
      }
    }
    var words = new StringBuilder();
    for (E value : type.getEnumConstants()) {
      words.append(words.isEmpty() ? "" : ", ").append(value.name().toLowerCase(Locale.ROOT));
    }
    throw new IllegalArgumentException(option + ": must be one of " + words + ", is " + word);
  }

  /** How many files this process may open; a connection is one. */
  private static long files() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Integer.MAX_VALUE;
  }

  /** Whether there is a queue to go to; null if there is. */
  private static @Nullable String troubleWith(Errand errand) {
    URI board = errand.url().resolve("/queue/" + errand.queue() + "/board");
    var builder = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5));
    if (errand.tls() != null) {
      builder.sslContext(errand.tls());
    }
    try (HttpClient client = builder.build()) {
      HttpResponse<Void> answer =
          client.send(
              HttpRequest.newBuilder(board).timeout(Duration.ofSeconds(10)).build(),
              BodyHandlers.discarding());
      return switch (answer.statusCode()) {
        case 200 -> null;
        case 404 -> "TYPE/id: there is no queue " + errand.queue() + " at " + errand.url();
        default -> "--url: " + board + " answers " + answer.statusCode();
      };
    } catch (SSLException e) {
      return "--url: "
          + errand.url()
          + " cannot be trusted: "
          + e.getMessage()
          + "; --ca FILE names who signs its certificate";
    } catch (IOException e) {
      return "--url: nobody answers at " + errand.url();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private int run(Errand errand) {
    PrintWriter out = spec.commandLine().getOut();
    if (errand.follow().isOpen() && errand.streams() < errand.wave().visitors()) {
      out.printf(
          Locale.ROOT,
          "At most %,d streams: this process may open %,d files (ulimit -n). Who finds none left"
              + " polls.%n",
          errand.streams(),
          files());
    }
    String when = ZonedDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.RFC_1123_DATE_TIME);
    try (var ctrlC = new CtrlC();
        var crowd = Crowd.start(errand, threads)) {
      watch(crowd, ctrlC, out);
      return end(errand, crowd.course(), when, out);
    }
  }

  private void watch(Crowd crowd, CtrlC ctrlC, PrintWriter out) {
    var line = new StatusLine(out);
    for (int second = 1; second <= atMost; second++) {
      boolean isOver = ctrlC.isTimeToStop(Duration.ofSeconds(1)) || crowd.isOver();
      line.show(progress(crowd.course(), second), second, isOver);
      if (isOver) {
        return;
      }
    }
  }

  private static String progress(Course course, int second) {
    long[] waiting = course.waiting();
    // The second that has passed: the one now is not whole.
    int last = course.seconds() - 2;
    return String.format(
        Locale.ROOT,
        "%4d s  arrived %,d · waiting %,d · got in %,d (%,d/s)%s · completed %,d · left %,d"
            + " · asleep %,d · %,d answers/s · %,d errors",
        second,
        course.total(Count.ARRIVED),
        waiting.length == 0 ? 0 : waiting[waiting.length - 1],
        course.total(Count.TOLD),
        course.in(Count.TOLD, last),
        failed(course.total(Count.RETURNED)),
        course.total(Count.COMPLETED),
        course.total(Count.LEFT),
        course.total(Count.ASLEEP),
        course.in(Count.ANSWERS, last) + course.in(Count.MESSAGES, last),
        course.total(Count.ERRORS));
  }

  /** Said where it happens at all. */
  private static String failed(long payments) {
    return payments == 0 ? "" : String.format(Locale.ROOT, " · payments failed %,d", payments);
  }

  private int end(Errand errand, Course course, String when, PrintWriter out) {
    course.errors().forEach((kind, times) -> out.printf(Locale.ROOT, "  %,d × %s%n", times, kind));
    try {
      Files.writeString(report, new Report(errand, course, when).html(), UTF_8);
      out.println("Report: " + report.toAbsolutePath());
    } catch (IOException e) {
      spec.commandLine().getErr().println("--report: cannot write " + report + ": " + e);
      return FAILED;
    }
    out.flush();
    return course.total(Count.JOINED) == 0 ? FAILED : CommandLine.ExitCode.OK;
  }

  private ParameterException bad(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
