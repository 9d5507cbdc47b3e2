package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers, one lobby: the draw is one, whoever brings it on, and goes on when one is gone. */
@Tag("process")
class DrawOnTwoServersTest {

  /** More than one step. */
  private static final int PEOPLE = 2_500;

  private static final String QUEUE = "DRAW/two";

  @TempDir private Path data;

  @Test
  void draw_whenTheServerThatBeganIsGone_goesOnElsewhereWithTheSameOrder() throws IOException {
    String url = PostgresServer.shared().fresh();
    try (var redis = RedisServer.start(RedisBinary.embedded())) {
      var ledger =
          new Ledger.Config(
              url, PostgresServer.shared().user(), PostgresServer.shared().password(), false);
      TestServer first = start("first", redis, ledger);
      try (TestServer second = start("second", redis, ledger)) {
        Instant opening = Instant.now().plusSeconds(3_600);
        first
            .activate(
                QUEUE,
                "\"lobbyOpensAt\":\"%s\",\"opensAt\":\"%s\",\"notBefore\":\"2090-01-01T00:00:00Z\""
                    .formatted(Instant.now().minusSeconds(5), opening))
            .is(201);
        List<String> tokens = enterAll(first);
        open(first);

        await().atMost(Duration.ofSeconds(60)).until(() -> !phase(second).matches("LOBBY|CLOSED"));
        first.close();

        await().atMost(Duration.ofSeconds(90)).until(() -> phase(second).equals("DONE"));
        var places = new TreeMap<Long, String>();
        for (String token : tokens) {
          places.put(second.statusByToken(token).is(200).number("position"), token);
        }
        assertThat(places.keySet())
            .as("everybody has a place, and nobody the same one")
            .containsExactlyElementsOf(LongStream.rangeClosed(1, PEOPLE).boxed().toList());
      }
    }
  }

  private TestServer start(String name, RedisServer redis, Ledger.Config ledger) {
    return TestServer.start(
        TestServer.config(data.resolve(name), redis.uri(), ledger), InstantSource.system());
  }

  private static void open(TestServer server) {
    server
        .admin(
            "PUT",
            "/admin/queues/" + QUEUE,
            "{\"opensAt\":\"%s\"}".formatted(Instant.now().plusMillis(200)))
        .is(200);
  }

  private static String phase(TestServer server) {
    return server.client().get("/queue/" + QUEUE + "/draw").text("phase");
  }

  private static List<String> enterAll(TestServer server) throws IOException {
    List<String> tokens = new ArrayList<>();
    try (var connection = new HttpConnection(server.port())) {
      for (int i = 0; i < PEOPLE; i++) {
        Reply reply = connection.send("POST", "/queue/" + QUEUE + "/enter", "", "User-Id: u" + i);
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        tokens.add(reply.field("entryToken"));
      }
    }
    return tokens;
  }
}
