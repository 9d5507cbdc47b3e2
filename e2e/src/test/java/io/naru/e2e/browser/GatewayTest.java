package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.AddressProcess;
import io.naru.testkit.Certificate;
import io.naru.testkit.PlainSite;
import java.io.IOException;
import java.net.CookieManager;
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
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sites that know nothing of Naru, each a process of its own, behind a gateway that is one too: a
 * shop, and a folder of files.
 */
class GatewayTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;
  @TempDir private static Path folder;

  private static Room room;
  private static AddressProcess shop;
  private static AddressProcess files;
  private static AddressProcess gateway;

  @BeforeAll
  static void open() throws IOException {
    room = new Room(data);
    Files.createDirectories(folder.resolve("members"));
    Files.writeString(folder.resolve("members/index.html"), "<h1>Members only</h1>");
    shop = PlainSite.start(folder);
    files = AddressProcess.folder(folder);
    Path rules =
        Files.writeString(
            folder.resolve("rules.yaml"),
            """
            origin: %s
            rules:
              - protect: /checkout/**
                queue: SHOW/shop
                complete: /done
              - protect: /members/**
                queue: SHOW/members
                origin: %s
            """
                .formatted(shop.uri(), files.uri()));
    gateway = gateway("--rules", rules.toString());
  }

  private static AddressProcess gateway(String... options) {
    var all = new ArrayList<>(List.of("--url", "http://127.0.0.1:" + room.port()));
    all.addAll(List.of(options));
    return AddressProcess.gateway(
        Path.of("..", "server", "target", "naru.jar"),
        List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        all);
  }

  @AfterAll
  static void close() {
    gateway.close();
    files.close();
    shop.close();
    room.close();
  }

  private static String at(String path) {
    return gateway.uri().resolve(path).toString();
  }

  private static String waitingFor(String queue, String path) {
    return at("/wait/SHOW/" + queue + "?return=" + path.replace("/", "%2F"));
  }

  private static List<String> passes(Visit visit, String name) {
    return visit.context().cookies().stream()
        .filter(cookie -> cookie.name.equals(name))
        .map(cookie -> cookie.value)
        .toList();
  }

  @Test
  void shop_waitGoInBuyGoOut_andNaruStoppedInTheMiddle() {
    Queue queue = room.queue("shop");
    Visit visit = BROWSER.visit();
    Page page = visit.open(at("/"));
    page.getByText("Checkout").click();
    assertThat(page).hasURL(waitingFor("shop", "/checkout"));
    assertThat(page.locator("#place")).hasText("1");

    queue.admit(1);
    assertThat(page).hasURL(at("/checkout"));
    assertThat(page.locator("h1")).hasText("Checkout");
    assertThat(passes(visit, "naru-pass")).hasSize(1);

    page.getByText("Buy").click();
    assertThat(page).hasURL(at("/done"));
    assertThat(page.locator("h1")).hasText("Thank you");
    assertThat(passes(visit, "naru-pass")).as("of no more use").isEmpty();
    await().atMost(PATIENCE).until(() -> queue.figure("inside") == 1);
    page.navigate(at("/checkout"));
    assertThat(page).hasURL(waitingFor("shop", "/checkout"));

    // The next one is inside when Naru goes.
    Page next = BROWSER.visit().open(at("/checkout"));
    assertThat(next.locator("#place")).hasText("1");
    queue.admit(1);
    assertThat(next).hasURL(at("/checkout"));
    room.kill();
    next.reload();
    assertThat(next.locator("h1")).hasText("Checkout");
    Page newcomer = BROWSER.visit().open(at("/checkout"));
    assertThat(newcomer.locator("h1")).hasText("The waiting room is away for a moment");
    next.getByText("Buy").click();
    assertThat(next.locator("h1")).hasText("Thank you");

    room.startAgain();
    // By itself, and to where they wanted.
    assertThat(newcomer).hasURL(waitingFor("shop", "/checkout"));
    assertThat(newcomer.locator("#place")).hasText("1");
    // What was said meanwhile is heard.
    await().atMost(PATIENCE).until(() -> queue.figure("inside") == 1);
    queue.admit(1);
    assertThat(newcomer.locator("h1")).hasText("Checkout");
  }

  @Test
  void shopByTls_waitGoInBuyGoOut_withACookieForThatAlone() {
    Queue queue = room.queue("tls");
    var certificate = Certificate.make(folder);
    try (var secure =
        gateway(
            "--origin",
            shop.uri().toString(),
            "--protect",
            "/checkout/**",
            "--queue",
            "SHOW/tls",
            "--complete",
            "/done",
            "--tls-cert",
            certificate.certificate().toString(),
            "--tls-key",
            certificate.key().toString())) {
      String at = "https://127.0.0.1:" + secure.port();
      Visit visit = BROWSER.visit(profile -> profile.setIgnoreHTTPSErrors(true));
      Page page = visit.open(at + "/checkout");
      assertThat(page).hasURL(at + "/wait/SHOW/tls?return=%2Fcheckout");
      assertThat(page.locator("#place")).hasText("1");

      queue.admit(1);
      assertThat(page).hasURL(at + "/checkout");
      assertThat(passes(visit, "__Host-naru-pass")).hasSize(1);
      assertThat(passes(visit, "naru-pass")).isEmpty();

      page.getByText("Buy").click();
      assertThat(page).hasURL(at + "/done");
      assertThat(passes(visit, "__Host-naru-pass")).as("of no more use").isEmpty();
    }
  }

  @Test
  void folder_behindItsOwnRule_isForThoseWhoWaitedThere() {
    Queue queue = room.queue("members");
    Visit visit = BROWSER.visit();
    Page page = visit.open(at("/members/index.html"));
    assertThat(page).hasURL(waitingFor("members", "/members/index.html"));
    assertThat(page.locator("#place")).hasText("1");
    queue.admit(1);
    assertThat(page.locator("h1")).hasText("Members only");
    page.navigate(at("/checkout"));
    assertThat(page).hasURL(waitingFor("shop", "/checkout"));
  }

  private record Answer(int status, String body) {}

  private static Answer ask(HttpClient http, String method, String path, String... headers)
      throws IOException, InterruptedException {
    return ask(http, method, path, BodyPublishers.noBody(), headers);
  }

  private static Answer ask(
      HttpClient http,
      String method,
      String path,
      HttpRequest.BodyPublisher body,
      String... headers)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(at(path))).method(method, body);
    HttpResponse<String> answer =
        http.send(
            (headers.length == 0 ? request : request.headers(headers)).build(),
            BodyHandlers.ofString());
    return new Answer(answer.statusCode(), answer.body());
  }

  /** Attacks 1, 3, 4 and 11: with whatever they say, visitors are who their cookie says. */
  @Test
  void visitors_whoTryThings_haveOnePlaceAndTheirOwn() throws Exception {
    Queue queue = room.queue("tried");
    queue.enterCrowd(1);
    try (var http = HttpClient.newBuilder().cookieHandler(new CookieManager()).build()) {
      String status = "/queue/SHOW/tried/status";
      for (String header : List.of("User-Id", "User_Id", "USER-ID", "Naru-User")) {
        assertThat(ask(http, "GET", status, header, "crowd-0").status()).isEqualTo(404);
      }
      String enter = "/queue/SHOW/tried/enter";
      assertThat(ask(http, "POST", enter, "User-Id", "crowd-0").status()).isEqualTo(201);
      assertThat(queue.figure("waiting")).isEqualTo(2);

      var same =
          IntStream.range(0, 200)
              .parallel()
              .mapToObj(
                  i -> {
                    try {
                      return ask(http, "POST", enter, "User-Id", "somebody-" + i).status();
                    } catch (IOException | InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  })
              .distinct()
              .toList();
      assertThat(same).containsExactly(409);
      assertThat(queue.figure("waiting")).isEqualTo(2);

      var favoured = BodyPublishers.ofString("{\"lane\":\"vip\",\"score\":1}");
      Answer refused = ask(http, "POST", enter, favoured, "Content-Type", "application/json");
      assertThat(refused.status()).isEqualTo(400);
    }
    try (var http = HttpClient.newHttpClient()) {
      var statuses =
          IntStream.range(0, 150)
              .mapToObj(
                  i -> {
                    try {
                      return ask(
                              http,
                              "POST",
                              "/queue/SHOW/tried/enter",
                              "X-Forwarded-For",
                              "203.0.113.9")
                          .status();
                    } catch (IOException | InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  })
              .distinct()
              .toList();
      assertThat(statuses).as("new places from one address, by a listed proxy").contains(429);
    }
  }

  @Test
  void notOurs_ofNaru_isNotToBeHadHere() throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      for (String path :
          List.of("/admin/queues", "/console", "/.well-known/jwks.json", "/metrics", "/health")) {
        Answer answer = ask(http, "GET", path, "Authorization", "Bearer " + Room.KEY);
        assertThat(answer.body()).isEqualTo("nothing here");
      }
    }
  }
}
