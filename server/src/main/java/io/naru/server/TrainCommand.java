package io.naru.server;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code naru train}: a start, one visit from the waiting page to the pass, and a stop, on free
 * ports and in a folder that is thrown away. The JVM that is asked for it ({@code
 * -XX:AOTCacheOutput}) writes down what it has loaded for that, and later ones need not do it again
 * (ADR 0026). Neither environment nor naru.yaml is read: they may name what is in use.
 */
@Command(
    name = "train",
    hidden = true,
    description = "Goes once through a start and a visit, for the JVM's AOT cache.",
    mixinStandardHelpOptions = true)
final class TrainCommand implements Callable<Integer> {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String QUEUE = "TRAIN/1";
  private static final Pattern TOKEN = Pattern.compile("\"entryToken\":\"([^\"]+)\"");
  private static final Pattern PASS = Pattern.compile("\"pass\":\"([^\"]+)\"");

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path data = Files.createTempDirectory("naru-train-");
    try {
      try (Naru naru = Naru.start(config(data))) {
        var _ = naru.announcement(List.of());
        try (var http = client()) {
          visit(http, naru, Files.readString(data.resolve("admin-key")).strip());
        }
      }
      return CommandLine.ExitCode.OK;
    } finally {
      delete(data);
    }
  }

  private static Naru.Config config(Path data) {
    var up = new UpCommand();
    new CommandLine(up)
        .setDefaultValueProvider(new Defaults(Map.of(), data.resolve("naru.yaml")))
        .parseArgs("--port", "0", "--management-port", "0", "--data", data.toString());
    return up.config();
  }

  private static HttpClient client() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .cookieHandler(new CookieManager())
        .connectTimeout(PATIENCE)
        .build();
  }

  private static void visit(HttpClient http, Naru naru, String key)
      throws IOException, InterruptedException {
    String site = "http://127.0.0.1:" + naru.port();
    String settings =
        "{\"eventType\":\"TRAIN\",\"eventId\":\"1\",\"maxCapacity\":1,\"entryBatchSize\":1}";
    send(
        http,
        asOperator(site + "/admin/queue/activate", key).POST(BodyPublishers.ofString(settings)));
    for (String page : List.of("/wait/" + QUEUE, "/naru.js", "/.well-known/jwks.json")) {
      send(http, request(site + page));
    }
    String queue = site + "/queue/" + QUEUE;
    String token = find(TOKEN, send(http, post(queue + "/enter")));
    send(http, request(site + "/queue/token/" + token + "/status"));
    // Ends with the turn, which comes at once: there is nobody else.
    send(http, request(queue + "/subscribe/" + token));
    String pass = find(PASS, send(http, request(queue + "/status")));
    send(http, post(queue + "/complete").header("Authorization", "Bearer " + pass));
    send(http, post(queue + "/leave"));
    send(http, asOperator(site + "/admin/queues", key));
    send(http, request("http://127.0.0.1:" + naru.managementPort() + "/metrics"));
  }

  private static HttpRequest.Builder request(String uri) {
    return HttpRequest.newBuilder(URI.create(uri)).timeout(PATIENCE);
  }

  private static HttpRequest.Builder post(String uri) {
    return request(uri).POST(BodyPublishers.noBody());
  }

  private static HttpRequest.Builder asOperator(String uri, String key) {
    return request(uri)
        .header("Authorization", "Bearer " + key)
        .header("Content-Type", "application/json");
  }

  private static String send(HttpClient http, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), BodyHandlers.ofString()).body();
  }

  private static String find(Pattern what, String answer) throws IOException {
    Matcher found = what.matcher(answer);
    if (!found.find()) {
      throw new IOException("no " + what + " in " + answer);
    }
    return found.group(1);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
