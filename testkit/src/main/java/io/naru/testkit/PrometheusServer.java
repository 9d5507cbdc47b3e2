package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The Prometheus of this machine on a free loopback port, which scrapes one server every second,
 * and nothing outside a folder of its own. It ends with this JVM, however that ends.
 */
public final class PrometheusServer implements AutoCloseable {

  /** Where one can be had; said wherever one is missed. */
  public static final String HOW =
      "no Prometheus on this machine: install prometheus, or set NARU_PROMETHEUS";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path dir;
  private final int port;
  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();

  private PrometheusServer(Path dir, int port, Process process) {
    this.dir = dir;
    this.port = port;
    this.process = process;
  }

  /** For a static field of a test class that needs one. */
  public static Program program() {
    return new Program(
        "NARU_MONITOR", Program.find(System.getenv(), "NARU_PROMETHEUS", "prometheus"), HOW);
  }

  /** What checks its rules: beside the program, or on the PATH. */
  public static Path promtool(Path program) {
    Path beside = program.resolveSibling("promtool");
    return Files.isExecutable(beside)
        ? beside
        : Program.find(System.getenv(), "", "promtool").orElseThrow();
  }

  /**
   * Starts it and returns once it answers.
   *
   * @param target port of {@code /metrics}, scraped as job {@code naru}
   */
  public static PrometheusServer start(Path program, int target) {
    var port = Tether.freePort();
    try {
      var dir = Files.createTempDirectory("naru-prometheus-");
      var config = Files.writeString(dir.resolve("prometheus.yml"), configuration(target));
      var command =
          List.of(
              program.toString(),
              "--config.file=" + config,
              "--storage.tsdb.path=" + dir.resolve("data"),
              "--web.listen-address=127.0.0.1:" + port,
              "--log.level=warn");
      var log = ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile());
      var process = Tether.command(command).redirectOutput(log).start();
      var server = new PrometheusServer(dir, port, process);
      try {
        server.awaitReady();
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + program, e);
    }
  }

  private static String configuration(int target) {
    return """
    global:
      scrape_interval: 1s
    scrape_configs:
      - job_name: naru
        static_configs:
          - targets: ['127.0.0.1:%d']
    """
        .formatted(target);
  }

  private void awaitReady() {
    Poll.until(
        PATIENCE,
        () -> "Prometheus does not answer on port " + port + ":\n" + Folder.log(dir),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("Prometheus has ended:\n" + Folder.log(dir));
          }
          try {
            return get("/-/ready").statusCode() == 200;
          } catch (IOException e) {
            return false;
          }
        });
  }

  /** The series that an expression comes to now, each with its value; a bad one fails. */
  public List<?> query(String expression) throws IOException {
    String answer = get("/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8)).body();
    if (StrictJson.object(answer).get("data") instanceof Map<?, ?> data
        && data.get("result") instanceof List<?> result) {
      return result;
    }
    throw new IOException(expression + ": " + answer);
  }

  private HttpResponse<String> get(String path) throws IOException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(path);
    }
  }

  @Override
  public void close() {
    http.close();
    Signal.awaitEnd(process.destroyForcibly());
    Folder.delete(dir);
  }
}
