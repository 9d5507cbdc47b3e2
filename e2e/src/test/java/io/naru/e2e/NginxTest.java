package io.naru.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.naru.testkit.EventStream;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.NginxServer;
import io.naru.testkit.Program;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Behind a real nginx, with the blocks of docs/operations.md as they stand there: nobody becomes
 * somebody else by saying so.
 */
class NginxTest {

  /** Of each who looks at the board. */
  private static final int LOOKS = 200;

  @RegisterExtension
  static final Program NGINX =
      new Program("NARU_PROXY", NginxServer.find(System.getenv()), NginxServer.HOW);

  private static final String BARE = "location / { proxy_pass http://127.0.0.1:8080; }";
  private static final Pattern BLOCK = Pattern.compile("```nginx\n(.*?)```", Pattern.DOTALL);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final List<String> TRUSTED = List.of("--trusted-proxies", "127.0.0.1");
  private static final List<String> NAMED = List.of("--user-header", "User-Id");

  @TempDir private Path data;

  private static Reply enter(Person person) throws IOException, InterruptedException {
    return person.ask("POST", Site.PATH + "/enter");
  }

  private static Reply status(Person person) throws IOException, InterruptedException {
    return person.ask("GET", Site.PATH + "/status");
  }

  /** A server, an nginx before it, and one queue with room. */
  private final class Front implements AutoCloseable {
    private final ServerProcess naru;
    private final NginxServer nginx;

    Front(String block, List<String> options) throws IOException {
      this(block, options, 1);
    }

    Front(String block, List<String> options, int site) throws IOException {
      this("", block, options, site);
    }

    Front(String http, String block, List<String> options, int site) throws IOException {
      var all = new ArrayList<>(List.of("--data", data.toString()));
      all.addAll(List.of("--admin-key", Site.KEY));
      all.addAll(options);
      naru = ServerProcess.start(Site.JAR, List.of("-Xmx256m"), all);
      nginx =
          NginxServer.start(
              NGINX.path(),
              http,
              block
                  .replace("127.0.0.1:8080", "127.0.0.1:" + naru.port())
                  .replace("127.0.0.1:8090", "127.0.0.1:" + site));
      try (var operator = new Site(naru)) {
        operator.activate("\"maxCapacity\":100");
      }
    }

    Person person(String... headers) {
      return Person.at(nginx.port(), headers);
    }

    @Override
    public void close() {
      nginx.close();
      naru.close();
    }
  }

  private static String manual(int block) throws IOException {
    var blocks =
        BLOCK
            .matcher(Files.readString(Path.of("../docs/operations.md")))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(blocks).as("nginx blocks of the manual").hasSize(3);
    return blocks.get(block);
  }

  /** Whoever entered saying they were customer-42 has a place; saying so does not open it. */
  private static void nobodyBecomesTheCustomer(Front front)
      throws IOException, InterruptedException {
    try (var customer = front.person("User-Id", "customer-42");
        var thief = front.person("User-Id", "customer-42")) {
      assertThat(enter(customer).status()).isEqualTo(201);
      await().until(() -> status(customer).json().containsKey("pass"));

      assertThat(status(thief).status()).as(status(thief).body()).isEqualTo(404);
      assertThat(thief.ask("POST", Site.PATH + "/leave").status()).isEqualTo(404);
      assertThat(enter(thief).status()).as("a place of their own").isEqualTo(201);
      assertThat(status(customer).field("status")).isEqualTo("ENTERED");
    }
  }

  /** However many look at the board, the server hears of one a second, or of the next as well. */
  @Test
  void cacheOfTheManual_carriesTheBoard() throws Exception {
    String manual = Files.readString(Path.of("../docs/reach.md"));
    String block = BLOCK.matcher(manual).results().findFirst().orElseThrow().group(1);
    String[] parts = block.split("server \\{", 2);
    String http = parts[0].replace("/var/cache/nginx/naru", "cache");
    try (var front = new Front(http, parts[1].strip().replaceAll("}$", ""), List.of(), 1)) {
      Map<String, Integer> answers = new ConcurrentHashMap<>();
      long start = System.nanoTime();
      try (var crowd = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 8; i++) {
          crowd.submit(() -> look(front, answers));
        }
      }
      // However long all of that took: an answer is kept for a second.
      double seconds = (System.nanoTime() - start) / 1e9;
      assertThat((double) answers.size())
          .as("requests that reach the server within %s s", seconds)
          .isLessThan(2 * (seconds + 1));
      assertThat(answers.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(8 * LOOKS);
    }
  }

  /** Each answer of the server has an id of its own; what comes from the cache has one again. */
  private static int look(Front front, Map<String, Integer> answers)
      throws IOException, InterruptedException {
    try (var person = front.person()) {
      for (int i = 0; i < LOOKS; i++) {
        HttpResponse<String> board = person.send("GET", Site.PATH + "/board");
        assertThat(board.statusCode()).isEqualTo(200);
        answers.merge(board.headers().firstValue("X-Request-Id").orElseThrow(), 1, Integer::sum);
      }
    }
    return answers.size();
  }

  @Test
  void webSocketOfTheManual_isLetThrough_andStreamsAsWell() throws Exception {
    String manual = Files.readString(Path.of("../docs/browser.md"));
    String block = BLOCK.matcher(manual).results().findFirst().orElseThrow().group(1);
    String[] parts = block.split("server \\{", 2);
    try (var front = new Front(parts[0], parts[1].strip().replaceAll("}$", ""), List.of(), 1);
        var person = front.person()) {
      String path = Site.PATH + "/subscribe/" + enter(person).field("entryToken");
      try (var socket = EventStream.openSocket(front.nginx.port(), path);
          var stream = EventStream.open(front.nginx.port(), path)) {
        assertThat(socket.next(PATIENCE)).isNotNull();
        assertThat(stream.next(PATIENCE)).isNotNull();
      }
    }
  }

  @Test
  void bareProxyPass_nameFromOutside_isNotBelieved() throws Exception {
    try (var front = new Front(BARE, List.of())) {
      nobodyBecomesTheCustomer(front);
    }
  }

  @Test
  void bareProxyPass_toAServerThatTrustsIt_nameIsStillNotBelieved() throws Exception {
    try (var front = new Front(BARE, TRUSTED)) {
      nobodyBecomesTheCustomer(front);
    }
  }

  @Test
  void linesOfTheManual_withoutOptions_nameIsNotBelieved() throws Exception {
    try (var front = new Front(manual(0), List.of())) {
      nobodyBecomesTheCustomer(front);
    }
  }

  @Test
  void linesOfTheManual_asItSays_nameIsNotBelieved() throws Exception {
    try (var front = new Front(manual(0), TRUSTED)) {
      nobodyBecomesTheCustomer(front);
    }
  }

  @Test
  void headerCleared_nameFromOutside_isNotBelieved() throws Exception {
    try (var front = new Front(manual(2), NAMED)) {
      nobodyBecomesTheCustomer(front);
    }
  }

  @Test
  void headerSet_theSiteSaysWhoSomebodyIs_whateverTheySay() throws Exception {
    var site = site();
    try (var front = new Front(manual(1), NAMED, site.getAddress().getPort());
        var customer = front.person("Cookie", "session=customer-42");
        var onThePhone = front.person("Cookie", "session=customer-42");
        var thief = front.person("Cookie", "session=mallory", "User-Id", "customer-42");
        var stranger = front.person("User-Id", "customer-42")) {
      assertThat(enter(customer).status()).isEqualTo(201);

      assertThat(enter(onThePhone).status()).as("the same place").isEqualTo(409);
      assertThat(status(thief).status()).isEqualTo(404);
      assertThat(status(stranger).status()).isEqualTo(404);
      assertThat(enter(stranger).status()).as("by cookie").isEqualTo(201);
    } finally {
      site.stop(0);
    }
  }

  /** Says who has signed in by what their session is called. */
  private static HttpServer site() throws IOException {
    var site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    site.createContext(
        "/session",
        exchange -> {
          for (String cookie : exchange.getRequestHeaders().getOrDefault("Cookie", List.of())) {
            if (cookie.startsWith("session=")) {
              exchange.getResponseHeaders().add("X-Account", cookie.substring(8));
            }
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    site.start();
    return site;
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.2", "10.0.0.0/8"})
  void headerOn_proxyNotListed_isRefused(String listed) throws Exception {
    var options = List.of("--trusted-proxies", listed, "--user-header", "User-Id");
    try (var front = new Front(manual(0), options);
        var thief = front.person("User-Id", "customer-42")) {
      assertThat(enter(thief).status()).isEqualTo(401);
      assertThat(status(thief).status()).isEqualTo(401);
    }
  }
}
