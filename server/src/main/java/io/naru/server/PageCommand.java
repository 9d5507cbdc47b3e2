package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code naru page}: a waiting page as files, for where it is there when Naru is not. */
@Command(
    name = "page",
    description = {
      "Writes the waiting page of a queue as static files, for a CDN or an object store: it is seen",
      "also by those who come for the first time while Naru is away, lives on the board, and goes",
      "on by itself. Made from a running server; make it anew when the queue's look changes."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class PageCommand implements Callable<Integer> {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String FIRST = "en";

  private static final Pattern ASSET =
      Pattern.compile("/wait/(assets/[0-9a-z]+/)([A-Za-z0-9._-]+)");

  /** What the page does not name, since most never need it: its scripts load it. */
  private static final List<String> LATER =
      List.of("lobby.js", "naru-board.js", "naru-proof.js", "proof-worker.js");

  /** Whose scripts and frames a queue needs where people may owe the word of a verifier. */
  private static final Pattern VERIFIER = Pattern.compile("(?:^|; )frame-src( [^;]+)");

  private static final Pattern LANGUAGE = Pattern.compile("<a href=\"[^\"]*\" lang=\"([a-z]{2})\"");
  private static final Pattern ADDRESS = Pattern.compile("https?://[A-Za-z0-9.:\\[\\]_-]+/?");

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TYPE/id", description = "The queue.")
  private String queue = "";

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "Where to put the files; index.html is the page in English.")
  private Path out = Path.of("");

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The server, as this machine reaches it. Default: http://127.0.0.1:8080")
  private String url = "http://127.0.0.1:8080";

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description = "The same as visitors' browsers reach it. Default: --url")
  private @Nullable String publicUrl;

  /** What a page says of itself. */
  private record Made(String html, Set<String> languages, Set<String> files) {}

  @Override
  public Integer call() throws InterruptedException {
    if (!queue.matches("[^/?#%\\s\"<>]+/[^/?#%\\s\"<>]+")) {
      throw new ParameterException(spec.commandLine(), "TYPE/id: is not a queue: " + queue);
    }
    String from = address("--url", url);
    String base = address("--public-url", publicUrl == null ? url : publicUrl);
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
      return write(client, from, base);
    } catch (IOException e) {
      spec.commandLine().getErr().println("--url: " + from + " cannot be read: " + e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
  }

  private String address(String option, String text) {
    if (!ADDRESS.matcher(text).matches()) {
      throw new ParameterException(
          spec.commandLine(), option + ": is no address like https://wait.shop.example: " + text);
    }
    return text.replaceFirst("/$", "");
  }

  private int write(HttpClient client, String from, String base)
      throws IOException, InterruptedException {
    Made first = page(client, from, base, FIRST);
    Files.createDirectories(out);
    Set<String> files = new TreeSet<>(first.files);
    for (String language : first.languages) {
      Made page = page(client, from, base, language);
      files.addAll(page.files);
      put(fileOf(language), page.html.getBytes(UTF_8));
    }
    for (String file : files) {
      put(file, get(client, from + "/wait/" + file));
    }
    put("sw.js", get(client, from + "/wait/sw.js"));
    // Last: whoever finds it finds the others too.
    put(fileOf(FIRST), first.html.getBytes(UTF_8));
    say(out.resolve(fileOf(FIRST)) + " and what belongs to it are written.");
    say("Serve them from an origin that " + base + " allows: --allowed-origins https://…");
    return CommandLine.ExitCode.OK;
  }

  private static String fileOf(String language) {
    return language.equals(FIRST) ? "index.html" : language + ".html";
  }

  private Made page(HttpClient client, String from, String base, String language)
      throws IOException, InterruptedException {
    String path = "/wait/" + queue;
    HttpResponse<byte[]> answer = ask(client, from + path + "?lang=" + language);
    String html = new String(answer.body(), UTF_8);
    String said = answer.headers().firstValue("Content-Security-Policy").orElse("");
    Matcher verifier = VERIFIER.matcher(said);
    String policy = policy(base, verifier.find() ? verifier.group(1) : "");
    Set<String> files = new TreeSet<>();
    for (MatchResult file : ASSET.matcher(html).results().toList()) {
      files.add(file.group(1) + file.group(2));
      LATER.forEach(name -> files.add(file.group(1) + name));
    }
    Set<String> languages = new TreeSet<>();
    LANGUAGE.matcher(html).results().forEach(found -> languages.add(found.group(1)));
    String here =
        LANGUAGE
            .matcher(ASSET.matcher(html).replaceAll("$1$2"))
            .replaceAll(
                found ->
                    "<a href=\"" + fileOf(found.group(1)) + "\" lang=\"" + found.group(1) + "\"");
    return new Made(
        here.replace("<meta charset=\"utf-8\">", "<meta charset=\"utf-8\">\n" + policy)
            .replace(
                "<main id=\"wait\"",
                "<main id=\"wait\" data-base=\""
                    + base
                    + "\" data-follow=\"board\" data-worker=\"sw.js\"")
            .replace(
                "<form id=\"enter-form\" method=\"post\">",
                "<form id=\"enter-form\" method=\"post\" action=\"" + base + path + "\">")
            .replace("<a id=\"fair\" href=\"" + path, "<a id=\"fair\" href=\"" + base + path),
        languages,
        files);
  }

  /**
   * What the page may do; where the files are served from may say more.
   *
   * @param verifier the origins of one, each after a blank
   */
  private static String policy(String base, String verifier) {
    return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src"
        + " 'self'"
        + verifier
        + (verifier.isEmpty() ? "" : "; frame-src" + verifier)
        + "; style-src 'self'"
        + verifier
        + "; worker-src 'self'; img-src 'self' https: http: data:; connect-src 'self' "
        + base
        + verifier
        + "; form-action "
        + base
        + "; base-uri 'none'\">";
  }

  private static byte[] get(HttpClient client, String address)
      throws IOException, InterruptedException {
    return ask(client, address).body();
  }

  private static HttpResponse<byte[]> ask(HttpClient client, String address)
      throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build();
    HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) {
      throw new IOException(address + " answers " + answer.statusCode());
    }
    return answer;
  }

  private void put(String file, byte[] bytes) throws IOException {
    Path path = out.resolve(file);
    Files.createDirectories(path.toAbsolutePath().getParent());
    Files.write(path, bytes);
  }

  private void say(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }
}
