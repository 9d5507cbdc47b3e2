package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.journal.Feed;
import io.naru.server.webhooks.Receiver;
import io.naru.server.webhooks.WebhookRules;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code naru webhooks} against a server that runs, and what it says if that cannot be. */
class WebhooksCommandTest {

  @TempDir private static Path data;
  private static TestServer server;

  private final Receiver receiver = new Receiver();

  private record Run(int exit, String out, String err) {

    String row(String word) {
      return out.lines().filter(line -> line.contains(word)).findFirst().orElse("");
    }
  }

  @BeforeAll
  static void start() {
    Naru.Config c = TestServer.config(data, null);
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
                new Naru.Outside(
                    null, Feed.Bounds.DEFAULT, WebhookRules.of("127.0.0.0/8", 10_000))),
            InstantSource.system());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  private static Run webhooks(String... args) {
    return run(
        Stream.concat(
                Stream.of(args),
                Stream.of(
                    "--url", "http://127.0.0.1:" + server.port(), "--admin-key", TestServer.KEY))
            .toArray(String[]::new));
  }

  private static Run run(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    int exit =
        new CommandLine(new WebhooksCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(exit, out.toString(), err.toString());
  }

  private static String done(String... args) {
    Run run = webhooks(args);
    assertThat(run.exit).as(run.err).isZero();
    return run.out.strip();
  }

  /** Its id. */
  private String add(String name) {
    done("add", receiver.url(), "--name", name);
    return id(name);
  }

  private static String id(String name) {
    String row = webhooks("list").row(" " + name + " ");
    return row.substring(0, row.indexOf(' '));
  }

  @Test
  void webhook_isMadeListedRotatedAndRemoved() {
    Run added =
        webhooks(
            "add",
            receiver.url(),
            "--name",
            "shop",
            "--queues",
            "SALE/1,CONCERT/*",
            "--events",
            "opened,sold-out");

    assertThat(added.exit).as(added.err).isZero();
    String secret = added.out.strip();
    assertThat(secret).startsWith("whsec_");
    String id = id("shop");
    assertThat(added.err).contains("shop", id).doesNotContain(secret);
    assertThat(webhooks("list").row(" shop "))
        .contains(" on ", "CONCERT/* SALE/1", "opened sold-out", receiver.url())
        .doesNotContain(secret);
    assertThat(done("rotate", id, "--overlap", "60")).startsWith("whsec_").isNotEqualTo(secret);
    assertThat(webhooks("list").row(" shop ")).contains("two secrets until 2");

    assertThat(done("remove", id)).isEmpty();

    assertThat(webhooks("list").out).doesNotContain("shop");
    assertFails(webhooks("remove", id), "there is no webhook with this id");
  }

  @Test
  void whatDidNotArrive_isListed_andSentAgain() {
    String id = add("gone");
    receiver.answers(Receiver.answer(410));
    String ping = done("test", id).replaceAll(" .*", "");

    await().atMost(Duration.ofSeconds(60)).until(() -> !webhooks("list").row("ended").isEmpty());
    assertThat(webhooks("list").row(" gone ")).contains("ended", "410");
    assertThat(webhooks("deliveries", id).row(ping)).contains("failed", "ping", "answered 410");
    assertThat(done("deliveries", id, "--state", "done")).doesNotContain(ping);
    assertFails(webhooks("replay", id, ping), "nothing is sent there");
    assertFails(webhooks("test", id), "nothing is sent there");
    receiver.answers(Receiver.answer(204));
    server.admin("PUT", "/admin/webhooks/" + id, "{\"enabled\":true}").is(200);

    assertThat(done("replay", id, ping)).isEqualTo(ping + " is on its way");

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> done("deliveries", id, "--state", "done").contains(ping));
    assertThat(receiver.received()).hasSize(2).allMatch(each -> each.id().equals(ping));
    assertThat(done("replay", id, "--since", "2026-01-01T00:00:00Z")).isEqualTo("0 are sent again");
    done("remove", id);
  }

  @Test
  void deliveries_ofMoreThanAPage_areAllThere() {
    var release = new CountDownLatch(1);
    receiver.answers((_, _) -> release.await());
    String id = add("many");
    for (int i = 0; i < 101; i++) {
      server.admin("POST", "/admin/webhooks/" + id + "/test", "").is(202);
    }

    assertThat(done("deliveries", id, "--state", "pending").lines()).hasSize(1 + 101);

    release.countDown();
    done("remove", id);
  }

  @Test
  void failures_areSaidClearly() {
    String url = "http://127.0.0.1:" + server.port();
    assertFails(run("list", "--url", url, "--admin-key", "wrong"), "--admin-key: ");
    assertFails(run("list", "--url", "http://127.0.0.1:1", "--admin-key", "x"), "--url: ");
    assertFails(webhooks("add", "ftp://shop.example"), "url ");
    assertFails(webhooks("add", "https://10.0.0.1/hook"), "url ");
    assertFails(webhooks("add", receiver.url(), "--events", "nothing"), "events ");
    assertFails(webhooks("rotate", "0123"), "there is no webhook with this id");
    assertFails(webhooks("rotate", "0123", "--overlap", "-1"), "overlapSeconds ");
    assertFails(webhooks("rotate", "../keys"), "ID: ");
    assertFails(webhooks("deliveries", "0123", "--state", "lost"), "state is not a state");
    assertFails(webhooks("deliveries", "0123", "--state", "x&limit=1"), "--state: ");
    assertFails(webhooks("replay", "0123"), "DELIVERY, or --since TIME");
    assertFails(webhooks("replay", "0123", "a/../b"), "DELIVERY: ");
    assertFails(
        webhooks("replay", "0123", "--since", "yesterday"), "since is missing or is not one");
    assertFails(run(), "list, add URL, rotate ID");
  }

  private static void assertFails(Run run, String message) {
    assertThat(run.exit).as(run.err).isEqualTo(2);
    assertThat(run.err).contains(message).doesNotContain("Exception", "\tat ");
  }
}
