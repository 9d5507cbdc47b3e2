package io.naru.e2e.concert;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.EventStream;
import io.naru.testkit.HttpConnection.Reply;
import java.time.Duration;
import java.util.Base64;

/** Somebody who wants a seat. */
record Visitor(Evening evening, String user, String queue) {

  /** Takes a place in the line. */
  Reply enter() {
    Reply reply =
        Http.send(evening.naruPort(), "POST", "/queue/" + queue + "/enter", "", "User-Id", user);
    assertThat(reply.status()).as(reply.body()).isEqualTo(201);
    return reply;
  }

  Reply status() {
    return Http.get(evening.naruPort(), "/queue/" + queue + "/status", "User-Id", user);
  }

  /** Watches the place move. */
  EventStream watch() {
    String path = "/queue/%s/subscribe/%s".formatted(queue, status().field("entryToken"));
    return EventStream.open(evening.naruPort(), path);
  }

  void awaitStatus(String status) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> assertThat(status().field("status")).as(user).isEqualTo(status));
  }

  /** Waits for the turn, and for the pass that comes with it. */
  String pass() {
    awaitStatus("ENTERED");
    return status().field("pass");
  }

  /** Takes a place and waits for the turn. */
  String enterAndGetPass() {
    enter();
    return pass();
  }

  void leave() {
    Reply reply =
        Http.send(evening.naruPort(), "POST", "/queue/" + queue + "/leave", "", "User-Id", user);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  /** Says by themselves that they are done. */
  void complete(String pass) {
    Reply reply =
        Http.send(
            evening.naruPort(),
            "POST",
            "/queue/" + queue + "/complete",
            "",
            "Authorization",
            "Bearer " + pass);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  /** Asks the shop for a seat, with this pass. */
  Reply reserve(String pass, String seat) {
    return Http.send(
        evening.shopPort(),
        "POST",
        "/reservations",
        "{\"seat\":\"" + seat + "\"}",
        "Authorization",
        "Bearer " + pass);
  }

  /** The same with a card that no bank accepts. */
  Reply reserveDeclined(String pass, String seat) {
    return Http.send(
        evening.shopPort(),
        "POST",
        "/reservations",
        "{\"seat\":\"" + seat + "\",\"card\":\"declined\"}",
        "Authorization",
        "Bearer " + pass);
  }

  /** Tells the shop that there is no other card. */
  Reply giveUp(String pass) {
    return Http.send(
        evening.shopPort(),
        "POST",
        "/reservations/give-up",
        "{}",
        "Authorization",
        "Bearer " + pass);
  }

  /** Asks the shop for a page or a reservation, with this pass. */
  Reply look(String pass, String path) {
    return Http.get(evening.shopPort(), path, "Authorization", "Bearer " + pass);
  }

  /** The key that a pass was signed with. */
  static String keyOf(String pass) {
    String header = pass.substring(0, pass.indexOf('.'));
    return new Reply(200, new String(Base64.getUrlDecoder().decode(header), UTF_8)).field("kid");
  }
}
