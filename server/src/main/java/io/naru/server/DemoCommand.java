package io.naru.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.naru.load.Crowd;
import io.naru.load.Errand;
import io.naru.load.Habits;
import io.naru.load.Range;
import io.naru.load.Wave;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code naru demo}: all of it on this machine, with a crowd, for a first look. */
@Command(
    name = "demo",
    description = {
      "Shows Naru at work: a concert's tickets go on sale, and a few thousand people who are not",
      "there want one. Starts a Naru, the concert's shop behind it and the crowd, and prints two",
      "addresses: the shop, to wait in line and reserve a seat, and the console, to see the same",
      "line as its operator. Listens on this machine only; Ctrl-C ends it, and nothing is kept."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class DemoCommand implements Callable<Integer> {

  private static final String QUEUE = "CONCERT/1";
  private static final int MOST_VISITORS = 20_000;

  /** Fewer than that wait, and the next ones come: whoever joins now is to see a line. */
  private static final double REFILL = 0.25;

  private static final Duration WAVE = Duration.ofSeconds(20);

  /** How long a turn is: enough for a person who reads, not so long that sleepers fill the shop. */
  private static final int TURN_SECONDS = 180;

  private static final Habits HABITS =
      new Habits(4, 4, 92, 0, Duration.ofSeconds(60), Duration.ofSeconds(6));

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Pattern WAITING = Pattern.compile("\"waiting\":(\\d+)");
  private static final Pattern INSIDE = Pattern.compile("\"inside\":(\\d+)");
  private static final Pattern ENTERED = Pattern.compile("\"entered\":(\\d+)");

  @Spec private CommandSpec spec;

  @Option(
      names = "--visitors",
      paramLabel = "COUNT",
      description =
          "In a wave, 1 to 20,000; when most of it is through, the next one comes. Default: 3000")
  private int visitors = 3_000;

  @Option(
      names = "--rate",
      paramLabel = "COUNT",
      description = "How many get in each second. Default: 40")
  private int rate = 40;

  @Option(names = "--port", paramLabel = "PORT", description = "Port of Naru. Default: a free one")
  private int port;

  @Option(
      names = "--shop-port",
      paramLabel = "PORT",
      description = "Port of the shop. Default: a free one")
  private int shopPort;

  @Option(
      names = "--shop-jar",
      paramLabel = "FILE",
      description = "The shop, which ./naru demo builds: examples/concert/target/concert.jar")
  private @Nullable Path shopJar;

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private String key = "";
  private String naruUrl = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path jar = checked();
    LogSetup.warningsOnly();
    try (var ctrlC = new CtrlC()) {
      Path folder = Files.createTempDirectory("naru-demo-");
      try {
        run(jar, folder, ctrlC);
      } finally {
        delete(folder);
      }
      return CommandLine.ExitCode.OK;
    } catch (StartFailure | UncheckedIOException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
  }

  private Path checked() {
    try {
      Range.check("--visitors", visitors, 1, MOST_VISITORS);
      Range.check("--rate", rate, 1, 1_000);
      Range.check("--port", port, 0, 65_535);
      Range.check("--shop-port", shopPort, 0, 65_535);
    } catch (IllegalArgumentException e) {
      throw bad(String.valueOf(e.getMessage()));
    }
    Path jar = shopJar;
    if (jar == null || !Files.isRegularFile(jar)) {
      throw bad(
          "--shop-jar: there is no shop here; ./naru demo in the source tree builds it"
              + (jar == null ? "" : " (looked at " + jar + ")"));
    }
    return jar;
  }

  private void run(Path jar, Path folder, CtrlC ctrlC) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    out.println("Starting Naru and the shop …");
    out.flush();
    try (Naru naru = Naru.start(config(folder))) {
      naruUrl = "http://127.0.0.1:" + naru.port();
      key = Files.readString(folder.resolve("admin-key")).strip();
      try (var shop = DemoShop.start(jar, folder, naruUrl, QUEUE, shopPort)) {
        String site = shop.awaitAddress(ctrlC);
        open(site);
        try (var console = new DemoSignIn(session(), naruUrl + "/console#/queues/" + QUEUE)) {
          announce(out, site, console.address());
          play(out, ctrlC);
        }
      }
    }
  }

  private Naru.Config config(Path folder) {
    var up = new UpCommand();
    new CommandLine(up)
        .setDefaultValueProvider(new Defaults(Map.of(), folder.resolve("naru.yaml")))
        .parseArgs("--port", "" + port, "--management-port", "0", "--data", folder.toString());
    return up.config();
  }

  private void open(String site) throws IOException, InterruptedException {
    String settings =
        String.format(
            Locale.ROOT,
            """
            {"eventType":"CONCERT","eventId":"1","maxCapacity":%d,"entryBatchSize":%d,\
            "entryIntervalSeconds":1,"pacing":"LEAKY_BUCKET","passTtlSeconds":%d,"retrySeconds":120,\
            "absenceGraceSeconds":120,\
            "title":"The concert","targetUrl":"%s/"}""",
            (TURN_SECONDS + 20) * rate,
            rate,
            TURN_SECONDS,
            site);
    HttpResponse<String> made =
        send(operator("/admin/queue/activate").POST(BodyPublishers.ofString(settings)));
    if (made.statusCode() != 201) {
      throw new StartFailure("the queue was not made: " + made.body(), new IOException());
    }
  }

  /** The cookie of a session in the console. */
  private String session() throws IOException, InterruptedException {
    HttpResponse<String> begun =
        send(
            request("/console/session")
                .header("Content-Type", "application/json")
                .header("Origin", naruUrl)
                .POST(BodyPublishers.ofString("{\"key\":\"" + key + "\"}")));
    return begun
        .headers()
        .firstValue("Set-Cookie")
        .orElseThrow(() -> new StartFailure("no session: " + begun.body(), new IOException()));
  }

  private void announce(PrintWriter out, String site, String console) {
    out.printf(
        Locale.ROOT,
        """

        A concert's tickets go on sale, and %,d people want one. Open, side by side:

          the shop      %s/
                        Press "Reserve a seat": you get a place in line, see it move, and are taken to
                        the seats when it is your turn, in about %s. Pay with the card
                        "declined" to see what becomes of those who cannot pay.

          the console   %s
                        The same line as its operator sees it. You are signed in: pause it, let some
                        in, change the rate, look for somebody, and watch the other window.

        Naru itself is at %s/ and its waiting page at %s/wait/%s.
        All of it is on this machine and thrown away at the end. Ctrl-C ends it.

        """,
        visitors,
        site,
        visitors / rate < 90 ? visitors / rate + " seconds" : visitors / rate / 60 + " minutes",
        console,
        naruUrl,
        naruUrl,
        QUEUE);
    out.flush();
  }

  /** One wave after the other, until it is time to stop. */
  private void play(PrintWriter out, CtrlC ctrlC) throws IOException, InterruptedException {
    var line = new StatusLine(out);
    List<Crowd> crowds = new ArrayList<>();
    int wave = 0;
    int lastCame = -1;
    try {
      for (int second = 0; !ctrlC.isTimeToStop(Duration.ofSeconds(1)); second++) {
        String figures = send(operator("/admin/queues/" + QUEUE).GET()).body();
        long waiting = number(WAITING, figures);
        boolean haveCome = lastCame < 0 || second - lastCame > WAVE.toSeconds();
        if (haveCome && waiting < REFILL * visitors) {
          lastCame = second;
          crowds.add(Crowd.start(errand(++wave), 1));
        }
        crowds.stream().filter(Crowd::isOver).toList().forEach(crowd -> end(crowd, crowds));
        line.show(
            String.format(
                Locale.ROOT,
                "wave %d: %,d wait, %,d are inside, %,d got in so far",
                wave,
                waiting,
                number(INSIDE, figures),
                number(ENTERED, figures)),
            second,
            false);
      }
    } finally {
      List.copyOf(crowds).forEach(crowd -> end(crowd, crowds));
    }
    line.show("Ending …", 0, true);
  }

  private static void end(Crowd crowd, List<Crowd> crowds) {
    crowds.remove(crowd);
    crowd.close();
  }

  private Errand errand(int wave) {
    // The server's end of each stream is a file of this process, too.
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : Integer.MAX_VALUE;
    int streams = (int) Math.clamp((files - 600) / 2, 0, (long) visitors);
    return new Errand(
        URI.create(naruUrl),
        QUEUE,
        new Wave(visitors, WAVE, Wave.Shape.BURST),
        HABITS,
        Errand.Follow.STREAM,
        64,
        streams,
        null,
        wave);
  }

  private static long number(Pattern what, String json) {
    Matcher found = what.matcher(json);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(naruUrl + path)).timeout(PATIENCE);
  }

  private HttpRequest.Builder operator(String path) {
    return request(path)
        .header("Authorization", "Bearer " + key)
        .header("Content-Type", "application/json");
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private ParameterException bad(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
