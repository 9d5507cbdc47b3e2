package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What {@code naru page} refuses; what it writes is opened by a browser in {@code e2e}. */
class PageCommandTest {

  @TempDir private Path folder;

  private record Run(int exit, String out) {}

  private Run page(String... args) {
    var out = new StringWriter();
    int exit =
        new CommandLine(new PageCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute(args);
    return new Run(exit, out.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "TIMEDEAL, http://127.0.0.1:1, TYPE/id",
    "TIMEDEAL/1/2, http://127.0.0.1:1, TYPE/id",
    "'T/1\"', http://127.0.0.1:1, TYPE/id",
    "TIMEDEAL/1, ftp://127.0.0.1, --url",
    "TIMEDEAL/1, http://a/b, --url"
  })
  void page_badInput_isRefusedByName(String queue, String url, String field) {
    Run run = page(queue, "--url", url, "--out", folder.toString());

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).contains(field + ": is no");
    assertThat(folder).isEmptyDirectory();
  }

  /** A server that has a page of one script, and whatever file is asked for. */
  private static HttpServer server(String policy) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    String html =
        "<head><meta charset=\"utf-8\"><script src=\"/wait/assets/1a/wait.js\"></script>"
            + "<main id=\"wait\"></main>";
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Security-Policy", policy);
          byte[] body = html.getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  @Test
  void page_whoOwesAProof_findsTheScriptsForIt_andMayLoadThoseOfAVerifier() throws IOException {
    HttpServer server =
        server(
            "default-src 'none'; script-src 'self' https://verify.example; frame-src"
                + " https://verify.example; style-src 'self'");
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    try {
      assertThat(page("TIMEDEAL/1", "--url", url, "--out", folder.toString()).exit).isZero();
    } finally {
      server.stop(0);
    }

    assertThat(folder.resolve("assets/1a"))
        .isDirectoryContaining("glob:**naru-proof.js")
        .isDirectoryContaining("glob:**proof-worker.js");
    assertThat(folder.resolve("index.html"))
        .content()
        .contains(
            "script-src 'self' https://verify.example;",
            "frame-src https://verify.example;",
            "style-src 'self' https://verify.example;",
            "connect-src 'self' " + url + " https://verify.example;");
  }

  @Test
  void page_withoutAVerifier_loadsNothingFromElsewhere() throws IOException {
    HttpServer server = server("default-src 'none'; script-src 'self'; style-src 'self'");
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    try {
      assertThat(page("TIMEDEAL/1", "--url", url, "--out", folder.toString()).exit).isZero();
    } finally {
      server.stop(0);
    }

    assertThat(folder.resolve("index.html"))
        .content()
        .contains("script-src 'self';", "style-src 'self';", "connect-src 'self' " + url + ";")
        .doesNotContain("frame-src");
  }

  @Test
  void page_nobodyThere_saysSoAndWritesNothing() {
    Run run = page("TIMEDEAL/1", "--url", "http://127.0.0.1:1", "--out", folder.toString());

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).contains("--url: http://127.0.0.1:1 cannot be read");
    assertThat(folder).isEmptyDirectory();
  }
}
