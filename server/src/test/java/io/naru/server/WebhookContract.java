package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.naru.journal.Feed;
import io.naru.server.webhooks.Receiver;
import io.naru.server.webhooks.Receiver.Received;
import io.naru.server.webhooks.WebhookRules;
import io.naru.testkit.NodeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Webhooks as operators make them and receivers get them. Those tests come last that move the
 * clock, since receivers take nothing that is not of this minute.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class WebhookContract {

  private static final String PATH = "/admin/webhooks";
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final MovableClock clock = new MovableClock();
  private TestServer server;
  private Receiver receiver;
  private String queue;

  abstract Naru.Config store(Path folder);

  @BeforeAll
  void start(@TempDir Path data) {
    Naru.Config c = store(data);
    server =
        TestServer.start(
            new Naru.Config(
                0,
                c.bind(),
                c.data(),
                c.redis(),
                c.ledger(),
                c.adminKey(),
                c.siteKey(),
                c.visitors(),
                c.watching(),
                c.poll(),
                c.keys(),
                c.coins(),
                new Naru.Outside(null, Feed.Bounds.DEFAULT, WebhookRules.of("127.0.0.0/8", 3))),
            clock);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @BeforeEach
  void listen() {
    receiver = new Receiver();
    queue = "SALE/" + NAMES.incrementAndGet();
  }

  /** Nobody is told of what the next test does. */
  @AfterEach
  void forget() {
    listed("/admin/webhooks", "webhooks")
        .forEach(w -> server.admin("DELETE", PATH + "/" + w.get("id"), ""));
    for (Map<?, ?> each : listed("/admin/queues", "queues")) {
      // One with people in it would stay otherwise, and its line be too long for ever.
      String name = each.get("eventType") + "/" + each.get("eventId");
      assertThat(server.admin("DELETE", "/admin/queues/" + name + "?confirm=" + name, "").status())
          .isEqualTo(204);
    }
    receiver.close();
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
  }

  private Answer add(String more) {
    return server.admin("POST", PATH, "{\"url\":\"" + receiver.url() + "\"" + more + "}");
  }

  private static void verify(String secret, Received received) {
    try {
      new Webhook(secret).verify(received.body(), received.lists());
    } catch (WebhookVerificationException | EmptyWebhookSecretException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isGood(String secret, Received received) {
    try {
      new Webhook(secret).verify(received.body(), received.lists());
      return true;
    } catch (WebhookVerificationException | EmptyWebhookSecretException e) {
      return false;
    }
  }

  private List<Map<?, ?>> deliveries(String id, String state) {
    return listed(PATH + "/" + id + "/deliveries?state=" + state, "deliveries");
  }

  private List<Map<?, ?>> listed(String path, String field) {
    Object all = server.admin("GET", path, "").is(200).field(field);
    return ((List<?>) requireNonNull(all)).stream().<Map<?, ?>>map(d -> (Map<?, ?>) d).toList();
  }

  private List<String> types() {
    return receiver.received().stream()
        .map(r -> r.body().replaceAll("^\\{\"type\":\"([^\"]+)\".*", "$1"))
        .toList();
  }

  private String ping(String id) {
    return server.admin("POST", PATH + "/" + id + "/test", "").is(202).text("id");
  }

  // --- making

  @Test
  void add_showsTheSecretOnce_andPingsArriveSigned() {
    Answer made = add(",\"name\":\"shop\",\"queues\":[\"SALE/*\"]").is(201);
    String id = made.text("id");

    assertThat(made.text("secret")).matches("whsec_[A-Za-z0-9+/]{43}=");
    assertThat(made.json())
        .containsEntry("name", "shop")
        .containsEntry("url", receiver.url())
        .containsEntry("queues", List.of("SALE/*"))
        .containsEntry("events", null)
        .containsEntry("enabled", true);
    for (String path : new String[] {PATH, PATH + "/" + id}) {
      assertThat(server.admin("GET", path, "").is(200).body())
          .contains(id, "shop")
          .doesNotContain("whsec_", made.text("secret"));
    }
    String ping = ping(id);
    soon().until(() -> receiver.received().size() == 1);
    Received received = receiver.received().getFirst();
    verify(made.text("secret"), received);
    assertThat(received.id()).isEqualTo(ping);
    assertThat(received.headers())
        .containsEntry("content-type", "application/json")
        .containsKey("webhook-timestamp");
    assertThat(received.body()).startsWith("{\"type\":\"webhook.ping\",\"timestamp\":\"20");
    soon().until(() -> deliveries(id, "done").size() == 1);
  }

  @Test
  @Tag("process")
  void node_verifiesIt(@TempDir Path folder) throws Exception {
    Path library = NodeLibrary.need("standardwebhooks");
    Answer made = add("").is(201);
    ping(made.text("id"));
    soon().until(() -> receiver.received().size() == 1);
    Received received = receiver.received().getFirst();
    Path script = folder.resolve("check.cjs");
    Files.writeString(
        script,
        """
        const { Webhook } = require('%s');
        const headers = { 'webhook-id': '%s', 'webhook-timestamp': '%s', 'webhook-signature': '%s' };
        const body = require('fs').readFileSync(0, 'utf8');
        console.log(new Webhook('%s').verify(body, headers).type);
        try { new Webhook('%s').verify(body + ' ', headers); console.log('taken'); }
        catch (e) { console.log(e.name); }
        """
            .formatted(
                library,
                received.id(),
                received.headers().get("webhook-timestamp"),
                received.headers().get("webhook-signature"),
                made.text("secret"),
                made.text("secret")));
    Process node = new ProcessBuilder("node", script.toString()).redirectErrorStream(true).start();
    try (var in = node.getOutputStream()) {
      in.write(received.body().getBytes(UTF_8));
    }
    String said = new String(node.getInputStream().readAllBytes(), UTF_8);
    assertThat(said.lines()).containsExactly("webhook.ping", "WebhookVerificationError");
  }

  @Test
  void add_bad_namesTheField() {
    for (String body :
        List.of(
            "{}",
            "{\"url\":7}",
            "{\"url\":\"http://93.184.215.14\",\"x\":1}",
            "{\"url\":\"https://10.0.0.1/\"}",
            "{\"url\":\"https://169.254.169.254/latest\"}",
            "{\"url\":\"https://a@shop.example/\"}",
            "{\"url\":\"https://shop.example/\",\"name\":\"\"}",
            "{\"url\":\"https://shop.example/\",\"name\":\"-x\"}",
            "{\"url\":\"https://shop.example/\",\"queues\":[]}",
            "{\"url\":\"https://shop.example/\",\"queues\":\"SALE/1\"}",
            "{\"url\":\"https://shop.example/\",\"events\":[]}",
            "{\"url\":\"https://shop.example/\",\"events\":[\"ping\"]}",
            "{\"url\":\"https://shop.example/\",\"events\":[7]}",
            "{\"url\":\"https://shop.example/\",\"secret\":\"whsec_x\"}")) {
      assertThat(server.admin("POST", PATH, body).isProblem(400, "invalid-value").text("field"))
          .as(body)
          .isNotEmpty();
    }
    assertThat(server.admin("GET", PATH, "").body()).doesNotContain("whsec", "shop.example");
  }

  @Test
  void add_sameName_isTaken() {
    add(",\"name\":\"shop\"").is(201);

    add(",\"name\":\"shop\"").isProblem(409, "name-taken");
  }

  @Test
  void unknown_isNotFound() {
    for (String path : new String[] {"/0123", "/%2e%2e", "/none"}) {
      server.admin("GET", PATH + path, "").isProblem(404, "webhook-not-found");
      server.admin("PUT", PATH + path, "{}").isProblem(404, "webhook-not-found");
      server.admin("DELETE", PATH + path, "").isProblem(404, "webhook-not-found");
      server.admin("POST", PATH + path + "/rotate", "").isProblem(404, "webhook-not-found");
      server.admin("POST", PATH + path + "/test", "").isProblem(404, "webhook-not-found");
      server.admin("GET", PATH + path + "/deliveries", "").isProblem(404, "webhook-not-found");
    }
    String id = add("").is(201).text("id");
    server
        .admin("GET", PATH + "/" + id + "/deliveries/msg_0", "")
        .isProblem(404, "delivery-not-found");
    server
        .admin("POST", PATH + "/" + id + "/deliveries/msg_0/replay", "")
        .isProblem(404, "delivery-not-found");
    server
        .admin("GET", PATH + "/" + id + "/deliveries?state=x", "")
        .isProblem(400, "invalid-value");
    server.admin("POST", PATH + "/" + id + "/replay", "{}").isProblem(400, "invalid-value");
    server
        .admin("POST", PATH + "/" + id + "/rotate", "{\"overlapSeconds\":-1}")
        .isProblem(400, "invalid-value");
  }

  @Test
  void acts_areInTheAudit_withoutSecrets() {
    Answer made = add(",\"name\":\"shop\"").is(201);
    String id = made.text("id");
    server.admin("PUT", PATH + "/" + id, "{\"events\":[\"left\"]}").is(200);
    server.admin("POST", PATH + "/" + id + "/rotate", "").is(200);
    assertThat(server.admin("DELETE", PATH + "/" + id, "").status()).isEqualTo(204);

    assertThat(server.admin("GET", "/admin/audit", "").is(200).body())
        .contains("webhook-add", "webhook-edit", "webhook-rotate", "webhook-delete", "127.0.0.1")
        .doesNotContain("whsec_", "s3cret");
  }

  // --- what is told

  @Test
  void queue_isToldInOrder_once() {
    String secret = add("").is(201).text("secret");

    server.activate(queue, "").is(201);
    server
        .admin("POST", "/admin/queue/pause", TestServer.named(queue, "\"reason\":\"break\""))
        .is(200);
    server.admin("POST", "/admin/queue/resume", TestServer.named(queue, "")).is(200);
    server.admin("POST", "/admin/queue/close", TestServer.named(queue, "")).is(200);
    server.enter(queue, "ann");

    soon().until(() -> types().contains("queue.closed"));
    assertThat(types())
        .containsExactly(
            "queue.opened", "queue.resumed", "queue.paused", "queue.resumed", "queue.closed");
    receiver.received().forEach(received -> verify(secret, received));
    assertThat(receiver.received().stream().map(Received::id).distinct()).hasSize(5);
    assertThat(receiver.received().get(2).body())
        .contains(
            "\"eventType\":\"SALE\"", "\"kind\":\"paused\"", "\"reason\":\"break\"", "\"change\":");
  }

  @Test
  void entries_areToldOnWish_ofTheQueuesMeant() {
    server.activate(queue, "\"maxCapacity\":1").is(201);
    server.activate("OTHER/1", "\"maxCapacity\":1").is(201);
    add(",\"events\":[\"entered\",\"completed\"],\"queues\":[\"" + queue + "\"]").is(201);

    for (String each : new String[] {"OTHER/1", queue}) {
      server.enter(each, "ann").is(201);
      soon().until(() -> server.status(each, "ann").text("status").equals("ENTERED"));
      server.complete(each, server.pass(each, "ann")).is(200);
    }

    soon().until(() -> types().contains("entry.completed"));
    assertThat(types()).containsExactly("entry.entered", "entry.completed");
    assertThat(receiver.received().getFirst().body())
        .contains("\"user\":\"ann\"")
        .doesNotContain("entryToken", "OTHER");
  }

  @Test
  void tooLong_isToldOnce() {
    add("").is(201);
    server.activate(queue, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
    for (int i = 0; i < 6; i++) {
      server.enter(queue, "u" + i).is(201);
    }

    soon().until(() -> types().contains("queue.too-long"));
    Received told =
        receiver.received().stream()
            .filter(r -> r.body().contains("too-long"))
            .findFirst()
            .orElseThrow();
    assertThat(told.body()).contains("\"tooLong\":3", "\"waiting\":");
  }

  @Test
  void edited_isToldWhatItWants_andNothingWhenSwitchedOff() {
    String id = add("").is(201).text("id");
    server.admin("PUT", PATH + "/" + id, "{\"events\":[\"closed\"]}").is(200);
    server.activate(queue, "").is(201);
    server.admin("POST", "/admin/queue/close", TestServer.named(queue, "")).is(200);
    soon().until(() -> types().contains("queue.closed"));
    assertThat(types()).containsExactly("queue.closed");

    Answer off = server.admin("PUT", PATH + "/" + id, "{\"enabled\":false}").is(200);

    assertThat(off.json()).containsEntry("enabled", false);
    assertThat(off.text("because")).contains("switched off by admin");
    server.admin("POST", PATH + "/" + id + "/test", "").isProblem(409, "webhook-disabled");
    Answer on = server.admin("PUT", PATH + "/" + id, "{\"enabled\":true}").is(200);
    assertThat(on.json()).containsEntry("endedAt", null).containsEntry("because", null);
    ping(id);
    soon().until(() -> types().contains("webhook.ping"));
  }

  /** Nobody is in it, and nobody acts: what comes is told by the beat. */
  @Test
  @Order(Integer.MAX_VALUE - 3)
  void times_thatCome_areToldOnce() {
    add("").is(201);
    Instant now = clock.instant();
    server
        .activate(
            queue,
            "\"opensAt\":\"%s\",\"closesAt\":\"%s\",\"endsAt\":\"%s\""
                .formatted(now.plusSeconds(20), now.plusSeconds(40), now.plusSeconds(60)))
        .is(201);
    soon().until(() -> types().contains("queue.resumed"));
    assertThat(types()).containsExactly("queue.resumed");

    for (String kind : new String[] {"queue.opened", "queue.closed", "queue.ended"}) {
      // Not so far that whoever delivers would lose its hold.
      clock.advance(Duration.ofSeconds(20));
      soon().until(() -> types().contains(kind));
    }

    assertThat(types())
        .containsExactly("queue.resumed", "queue.opened", "queue.closed", "queue.ended");
    assertThat(receiver.received().get(1).body())
        .startsWith("{\"type\":\"queue.opened\"")
        .contains("\"kind\":\"opened\"", "\"change\":");
  }

  // --- how it arrives

  /** Under way all the time, and the receiver changes over in the middle of it. */
  @Test
  @Order(Integer.MAX_VALUE - 1)
  void rotate_withoutARefusedDelivery() {
    Answer made = add("").is(201);
    String id = made.text("id");
    var secret = new AtomicReference<>(made.text("secret"));
    var refused = new AtomicInteger();
    receiver.answers(
        (received, out) -> {
          boolean isTaken = isGood(requireNonNull(secret.get()), received);
          refused.addAndGet(isTaken ? 0 : 1);
          Receiver.answer(isTaken ? 204 : 401).to(received, out);
        });
    for (int i = 0; i < 10; i++) {
      ping(id);
    }

    Answer rotated = server.admin("POST", PATH + "/" + id + "/rotate", "").is(200);
    for (int i = 0; i < 10; i++) {
      ping(id);
    }
    soon().until(() -> receiver.received().size() >= 15);
    secret.set(rotated.text("secret"));
    for (int i = 0; i < 5; i++) {
      ping(id);
    }
    soon().until(() -> deliveries(id, "done").size() == 25);

    assertThat(refused).hasValue(0);
    assertThat(rotated.text("rotatingUntil")).isGreaterThan(Instant.now().toString());
    Received last = receiver.received().getLast();
    assertThat(last.headers().get("webhook-signature")).containsPattern("^v1,\\S+ v1,\\S+$");
    clock.advance(Duration.ofHours(25));
    ping(id);
    soon().until(() -> receiver.received().size() == 26);
    assertThat(receiver.received().getLast().headers().get("webhook-signature"))
        .as("the former one is over")
        .containsPattern("^v1,\\S+$");
  }

  @Test
  void rotate_tooOften_hasToWait() {
    String id = add("").is(201).text("id");
    for (int i = 0; i < 4; i++) {
      server.admin("POST", PATH + "/" + id + "/rotate", "").is(200);
    }
    server.admin("POST", PATH + "/" + id + "/rotate", "").isProblem(409, "too-many-secrets");
  }

  @Test
  @Order(Integer.MAX_VALUE - 2)
  void failed_isTriedAgain_withTheSameIdAndBody() {
    String id = add("").is(201).text("id");
    receiver.answers(Receiver.answer(500));
    String ping = ping(id);
    soon().until(() -> !deliveries(id, "pending").isEmpty() && receiver.received().size() == 1);
    soon().until(() -> "answered 500".equals(deliveries(id, "pending").getFirst().get("error")));

    receiver.answers(Receiver.answer(200));
    // Behind the first pause, and not so far that whoever delivers would lose its hold.
    clock.advance(Duration.ofSeconds(10));
    soon().until(() -> deliveries(id, "done").size() == 1);

    Received first = receiver.received().getFirst();
    Received last = receiver.received().getLast();
    assertThat(receiver.received()).hasSizeGreaterThan(1).allMatch(r -> r.id().equals(ping));
    assertThat(last.body()).isEqualTo(first.body());
    assertThat(last.headers().get("webhook-timestamp"))
        .isGreaterThan(first.headers().get("webhook-timestamp"));
  }

  @Test
  @Order(Integer.MAX_VALUE)
  void failedForADay_isListed_andReplayed() {
    String id = add("").is(201).text("id");
    receiver.answers(Receiver.answer(503));
    String since = clock.instant().minusSeconds(60).toString();
    String first = ping(id);
    for (int i = 1; i <= 8; i++) {
      int tries = i;
      soon().until(() -> receiver.received().size() >= tries);
      soon()
          .until(
              () ->
                  deliveries(id, "pending").stream()
                      .noneMatch(d -> Objects.equals(d.get("tries"), tries - 1)));
      // Longer than each pause; all of it shorter than what could not be sent is kept for.
      clock.advance(Duration.ofHours(i <= 3 ? 1 : 11));
    }
    soon().until(() -> deliveries(id, "failed").size() == 1);
    assertThat(deliveries(id, "failed").getFirst())
        .satisfies(
            d -> {
              assertThat(d.get("id")).isEqualTo(first);
              assertThat(d.get("error")).isEqualTo("answered 503");
              assertThat(d.get("status")).isEqualTo(503);
              assertThat(d.get("nextTryAt")).isNull();
            });

    receiver.answers(Receiver.answer(204));
    Answer replayed =
        server.admin("POST", PATH + "/" + id + "/deliveries/" + first + "/replay", "").is(202);
    assertThat(replayed.text("state")).isEqualTo("pending");
    soon().until(() -> deliveries(id, "done").size() == 1);

    assertThat(receiver.received().getLast().id()).isEqualTo(first);
    assertThat(
            server
                .admin("POST", PATH + "/" + id + "/replay", "{\"since\":\"" + since + "\"}")
                .is(202)
                .field("replayed"))
        .isEqualTo(0);
  }

  @Test
  void gone_endsIt() {
    String id = add(",\"name\":\"shop\"").is(201).text("id");
    receiver.answers(Receiver.answer(410));
    ping(id);

    soon()
        .until(
            () ->
                Boolean.FALSE.equals(
                    server.admin("GET", PATH + "/" + id, "").is(200).field("enabled")));

    assertThat(server.admin("GET", PATH + "/" + id, "").text("because")).contains("410");
    assertThat(deliveries(id, "failed")).hasSize(1);
    assertThat(server.admin("GET", "/admin/audit", "").body()).contains("webhook-end", "system");
    server.activate(queue, "").is(201);
    assertThat(receiver.received()).hasSize(1);
  }

  /** What the address before it says is nothing to the next one. */
  @Test
  void gone_saysAnAddressThatIsNoMore_endsNothing() {
    var release = new CountDownLatch(1);
    receiver.answers(
        (request, out) -> {
          release.await();
          Receiver.answer(410).to(request, out);
        });
    String id = add("").is(201).text("id");
    String ping = ping(id);
    soon().until(() -> receiver.received().size() == 1);
    try (var next = new Receiver()) {
      server.admin("PUT", PATH + "/" + id, "{\"url\":\"" + next.url() + "\"}").is(200);

      release.countDown();

      soon().until(() -> next.received().stream().anyMatch(r -> r.id().equals(ping)));
      soon().until(() -> deliveries(id, "done").size() == 1);
      assertThat(server.admin("GET", PATH + "/" + id, "").is(200).field("enabled")).isEqualTo(true);
    } finally {
      release.countDown();
    }
  }

  /** More than are dealt with at once, each with more to come than there is time for. */
  @Test
  void slow_howeverMany_holdUpNobody() {
    var release = new CountDownLatch(1);
    receiver.answers(
        (request, out) -> {
          boolean _ = release.await(2, TimeUnit.SECONDS);
          Receiver.answer(204).to(request, out);
        });
    for (int i = 0; i < 20; i++) {
      add(",\"events\":[\"joined\"]").is(201);
    }
    server.activate(queue, "\"entryIntervalSeconds\":3600,\"events\":[\"joined\"]").is(201);
    for (int i = 0; i < 60; i++) {
      server.enter(queue, "u" + i).is(201);
    }
    soon().until(() -> receiver.received().size() >= 16);
    try (var quick = new Receiver()) {
      String id =
          server.admin("POST", PATH, "{\"url\":\"" + quick.url() + "\"}").is(201).text("id");

      ping(id);

      soon().until(() -> quick.received().size() == 1);
    } finally {
      release.countDown();
    }
  }

  /** One that never answers holds up nobody else. */
  @Test
  void slow_holdsUpNobody() {
    var release = new CountDownLatch(1);
    receiver.answers((_, _) -> release.await());
    String slow = add("").is(201).text("id");
    ping(slow);
    soon().until(() -> receiver.received().size() == 1);
    try (var quick = new Receiver()) {
      String id =
          server.admin("POST", PATH, "{\"url\":\"" + quick.url() + "\"}").is(201).text("id");

      ping(id);

      soon().until(() -> quick.received().size() == 1);
      assertThat(deliveries(slow, "done")).isEmpty();
    } finally {
      release.countDown();
    }
  }

  @Test
  void metrics_countTries() {
    String id = add("").is(201).text("id");
    ping(id);
    soon().until(() -> deliveries(id, "done").size() == 1);

    try (var management = new Client(server.managementPort())) {
      assertThat(management.get("/metrics").body())
          .containsPattern("naru_webhook_tries_total\\{result=\"done\"} [1-9]")
          .contains("naru_webhook_tries_total{result=\"again\"}")
          .contains("naru_webhook_tries_total{result=\"failed\"}")
          .contains("naru_webhook_tries_total{result=\"gone\"}")
          .contains("naru_webhook_pending", "naru_webhook_oldest_seconds")
          .contains("naru_webhook_gaps_total");
    }
  }
}
