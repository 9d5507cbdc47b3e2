package io.naru.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.ServerProcess;
import io.naru.testkit.SpringProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the lines of the READMEs against a real server and compares what they print, where {@code …}
 * stands for anything. The few shell words they use are understood here, so that the test needs
 * neither curl nor a shell.
 */
class ReadmeTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** It is told from what happened lately, so it comes some seconds after the first who asks. */
  private static final Pattern ESTIMATE = Pattern.compile(",\"wait\":\\{[^}]*}");

  private static final Pattern ASSIGNMENT = Pattern.compile("(\\w+)=\\$\\((.*)\\)");
  private static final Pattern SED = Pattern.compile("sed -E 's/(.*)/(.*)/'");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

  @TempDir private Path directory;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<String, String> variables = new HashMap<>();

  /** By the file in which curl would keep it. */
  private final Map<String, String> cookies = new HashMap<>();

  /** What the READMEs call localhost:8080 or 127.0.0.1:8080, and where that is here. */
  private final Map<String, String> addresses = new HashMap<>();

  private record Line(String command, String printed) {}

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "README.ko.md"})
  void readme_everyLine_printsWhatItSays(String readme) throws IOException, InterruptedException {
    List<Line> lines = linesOf(ROOT.resolve(readme));
    assertThat(lines).as("lines to run in %s", readme).hasSizeGreaterThan(8);
    ServerProcess server = up();
    try {
      for (Line line : lines) {
        switch (line.command) {
          case "kill -9 $(cat data/ledger.db.lock)" -> {
            Path lock = directory.resolve("data/ledger.db.lock");
            assertThat(Files.readString(lock).strip()).isEqualTo("" + server.pid());
            server.kill();
          }
          case "./naru up &" -> server = up();
          default -> run(line);
        }
      }
    } finally {
      server.close();
    }
  }

  @Test
  void readmeOfTheExample_everyLine_printsWhatItSays() throws IOException, InterruptedException {
    List<Line> lines = linesOf(ROOT.resolve("examples/concert/README.md"));
    assertThat(lines).hasSizeGreaterThan(8);
    try (ServerProcess server = up();
        SpringProcess shop =
            SpringProcess.start(
                ROOT.resolve("examples/concert/target/concert.jar"),
                List.of("--naru.gate.url=" + server.uri()))) {
      addresses.put("http://127.0.0.1:8090", shop.uri().toString());
      for (Line line : lines) {
        run(line);
      }
    }
  }

  private ServerProcess up() {
    Path data = directory.resolve("data");
    var server =
        ServerProcess.start(
            ROOT.resolve("server/target/naru.jar"), List.of(), List.of("--data", data.toString()));
    for (String host : List.of("localhost", "127.0.0.1")) {
      addresses.put("http://" + host + ":8080", server.uri().toString());
    }
    return server;
  }

  private void run(Line line) throws IOException, InterruptedException {
    Matcher assignment = ASSIGNMENT.matcher(line.command);
    if (assignment.matches()) {
      variables.put(assignment.group(1), output(assignment.group(2)));
      return;
    }
    if (line.command.contains("/status")) {
      // Admission goes on beside us: a person looks a moment later than a test.
      await()
          .atMost(Duration.ofSeconds(5))
          .untilAsserted(() -> compare(line, output(line.command)));
    } else {
      compare(line, output(line.command));
    }
  }

  private static void compare(Line line, String printed) {
    String pattern =
        String.join(
            ".*", List.of(line.printed.split("…", -1)).stream().map(Pattern::quote).toList());
    assertThat(ESTIMATE.matcher(printed).replaceAll("")).as(line.command).matches(pattern);
  }

  private String output(String command) throws IOException, InterruptedException {
    String[] pipe = command.split(" \\| ", 2);
    String printed =
        pipe[0].startsWith("cat ")
            ? Files.readString(directory.resolve(pipe[0].substring(4))).strip()
            : curl(pipe[0]);
    if (pipe.length == 1) {
      return printed;
    }
    Matcher sed = SED.matcher(pipe[1]);
    assertThat(sed.matches()).as("understood: %s", pipe[1]).isTrue();
    return printed.replaceAll(sed.group(1), sed.group(2).replace("\\1", "$1"));
  }

  private String curl(String command) throws IOException, InterruptedException {
    List<String> words = words(command);
    assertThat(words.subList(0, 2)).containsExactly("curl", "-s");
    HttpRequest.Builder request = HttpRequest.newBuilder();
    String method = "GET";
    String jar = null;
    var body = HttpRequest.BodyPublishers.noBody();
    for (int i = 2; i < words.size(); i++) {
      switch (words.get(i)) {
        case "-b" -> {
          String cookie = cookies.get(words.get(++i));
          if (cookie != null) {
            request.header("Cookie", cookie);
          }
        }
        case "-c" -> jar = words.get(++i);
        case "--retry", "--retry-delay" -> i++;
        case "--retry-all-errors" -> {} // our server is up when its start returns
        case "-X" -> method = words.get(++i);
        case "-H" -> {
          String[] header = words.get(++i).split(": ", 2);
          request.header(header[0], header[1]);
        }
        case "-d" -> {
          method = "POST";
          body = HttpRequest.BodyPublishers.ofString(here(words.get(++i)));
        }
        default -> request.uri(URI.create(here(words.get(i))));
      }
    }
    var answer = http.send(request.method(method, body).build(), BodyHandlers.ofString());
    if (jar != null) {
      String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
      cookies.put(jar, cookie.split(";", 2)[0]);
    }
    return answer.body();
  }

  private String here(String address) {
    String here = address;
    for (var each : addresses.entrySet()) {
      here = here.replace(each.getKey(), each.getValue());
    }
    return here;
  }

  private List<String> words(String command) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command);
    while (word.find()) {
      if (word.group(1) != null) {
        words.add(word.group(1));
      } else {
        words.add(expand(word.group(2) != null ? word.group(2) : word.group(3)));
      }
    }
    return words;
  }

  private String expand(String word) {
    String expanded = word;
    for (var variable : variables.entrySet()) {
      expanded = expanded.replace("$" + variable.getKey(), variable.getValue());
    }
    return expanded;
  }

  private static List<Line> linesOf(Path readme) throws IOException {
    List<Line> lines = new ArrayList<>();
    boolean console = false;
    String command = null;
    var printed = new StringBuilder();
    for (String line : Files.readAllLines(readme)) {
      boolean isFence = line.startsWith("```");
      if (command != null && (isFence || line.startsWith("$ "))) {
        lines.add(new Line(command, printed.toString()));
        command = null;
      }
      if (isFence) {
        console = line.equals("```console");
      } else if (console && line.startsWith("$ ")) {
        command = line.substring(2);
        printed.setLength(0);
      } else if (console) {
        printed.append(line);
      }
    }
    return lines;
  }
}
