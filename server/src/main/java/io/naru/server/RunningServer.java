package io.naru.server;

import io.naru.queue.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;

/** A server that runs, as commands call it: which one, and what it takes to be its operator. */
final class RunningServer {

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

  /** One for all calls; it ends with the command, which may still read an answer. */
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build();

  /** What a command says instead of its answer. */
  static class Failure extends Exception {
    private static final long serialVersionUID = 1;

    Failure(String message) {
      super(message);
    }
  }

  /** What a command is there for. */
  interface Step {
    void run() throws Failure;
  }

  /** Does it, or says why it cannot be; the exit code of the command. */
  int tried(PrintWriter err, Step step) {
    try {
      step.run();
      return CommandLine.ExitCode.OK;
    } catch (JacksonException e) {
      err.println(noNaru(e).getMessage());
    } catch (Failure e) {
      err.println(e.getMessage());
    }
    return CommandLine.ExitCode.USAGE;
  }

  private SecretOption given() {
    return SecretOption.given("--admin-key", adminKey, adminKeyFile);
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

  URI url() {
    return url;
  }

  /**
   * What the server answers, whatever it is.
   *
   * @param body as JSON, or empty for none
   * @param err told what is careless about how the key was given
   */
  HttpResponse<String> call(String method, String path, String body, PrintWriter err)
      throws Failure {
    return call(method, path, body, Duration.ofSeconds(5), BodyHandlers.ofString(), err);
  }

  /** The answer to a call that is answered so if it was done; else what the server says of it. */
  String done(int status, String method, String path, String body, PrintWriter err) throws Failure {
    HttpResponse<String> answer = call(method, path, body, err);
    if (answer.statusCode() != status) {
      throw failure(answer);
    }
    return answer.body();
  }

  /** The same for an answer that is longer than one wants to hold; it is read as it comes. */
  HttpResponse<InputStream> stream(String path, PrintWriter err) throws Failure {
    return call("GET", path, "", Duration.ofSeconds(30), BodyHandlers.ofInputStream(), err);
  }

  private <T> HttpResponse<T> call(
      String method,
      String path,
      String body,
      Duration patience,
      HttpResponse.BodyHandler<T> read,
      PrintWriter err)
      throws Failure {
    String key;
    try {
      key = key();
      given().warning(adminKey != null).ifPresent(err::println);
    } catch (IllegalArgumentException e) {
      throw new Failure(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new Failure(
          "--admin-key: not given, and not in "
              + e.getMessage()
              + "; name a file with --admin-key-file, or set NARU_ADMIN_KEY");
    }
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url.toString().replaceAll("/+$", "") + path))
              .timeout(patience)
              .header("Authorization", "Bearer " + key)
              .header("Content-Type", "application/json")
              .method(
                  method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
              .build();
      return http.send(request, read);
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw new Failure("--url: no Naru answers at " + url);
    } catch (HttpTimeoutException e) {
      throw new Failure(
          url
              + " did not answer within "
              + patience.toSeconds()
              + " s; look whether it was done before you try again");
    } catch (SSLException e) {
      throw new Failure("--url: no Naru answers at " + url + ": " + e.getMessage());
    } catch (IOException e) {
      // What was sent may have arrived.
      throw new Failure(
          url + " broke off (" + e + "); look whether it was done before you try again");
    } catch (IllegalArgumentException e) {
      throw new Failure("--url or --admin-key cannot be sent: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Failure("interrupted");
    }
  }

  /** What an answer means that a command knows nothing of. */
  Failure failure(HttpResponse<String> answer) {
    int status = answer.statusCode();
    return switch (status) {
      case 400, 404, 409, 422 -> words(answer).map(Failure::new).orElseGet(() -> noNaru(null));
      case 503 -> words(answer).map(Failure::new).orElse(failure(status));
      case 403 ->
          words(answer).map(why -> new Failure("--admin-key: " + why)).orElse(failure(status));
      case 429 ->
          words(answer).map(why -> new Failure(why + later(answer))).orElse(failure(status));
      default -> failure(status);
    };
  }

  /** What the server says in words; whoever else answers, a proxy perhaps, says none of ours. */
  private static Optional<String> words(HttpResponse<String> answer) {
    try {
      return Json.readObject(answer.body()).get("detail") instanceof String words
          ? Optional.of(words)
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String later(HttpResponse<?> answer) {
    return answer
        .headers()
        .firstValue("Retry-After")
        .map(seconds -> "; try again in " + seconds + " s")
        .orElse("");
  }

  /** What is in an answer. */
  Map<String, @Nullable Object> object(String json) throws Failure {
    try {
      return Json.readObject(json);
    } catch (IllegalArgumentException e) {
      throw noNaru(e);
    }
  }

  Failure failure(int status) {
    return new Failure(
        switch (status) {
          case 401 -> "--admin-key: this is not the key of " + url;
          case 403 -> "--admin-key: this key is not allowed to do that at " + url;
          default -> url + " answered " + status + "; please try again";
        });
  }

  /** Whoever answered is not who was asked. */
  Failure noNaru(@Nullable RuntimeException e) {
    var failure = new Failure("--url: what answers at " + url + " is not a Naru");
    failure.initCause(e);
    return failure;
  }
}
