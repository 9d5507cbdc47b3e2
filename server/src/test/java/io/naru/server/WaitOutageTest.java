package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store is away: the page is there, says so, and looks as it did. */
@Tag("process")
class WaitOutageTest {

  @Test
  void storeAway_pageStaysAsItWas_andPlacesSayThatTheyAreKept(@TempDir Path data) {
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var server = TestServer.start(TestServer.config(data, redis.uri()))) {
      server.activate("SALE/1", "\"title\":\"Autumn Sale\",\"maxCapacity\":1").is(201);
      server.activate("SALE/2", "\"title\":\"Never seen here\"").is(201);
      Answer before = server.client().get("/wait/SALE/1");
      assertThat(before.body()).contains("<title>Autumn Sale</title>");

      redis.kill();

      await().until(() -> server.status("SALE/1", "ann").status() == 503);
      Answer after = server.client().get("/wait/SALE/1");
      assertThat(after.status()).isEqualTo(200);
      assertThat(after.body()).isEqualTo(before.body());
      assertThat(after.header("cache-control")).isEqualTo(before.header("cache-control"));

      // Who could be inside by now is shown the page too, which keeps the way back.
      Answer sentHere = server.client().get("/wait/SALE/1?return=%2Fa", "User-Id", "ann");
      assertThat(sentHere.status()).isEqualTo(200);
      assertThat(sentHere.body()).isEqualTo(before.body());

      Answer plain = server.client().get("/wait/SALE/2");
      assertThat(plain.status()).isEqualTo(503);
      assertThat(plain.header("cache-control")).isEqualTo("no-store");
      assertThat(plain.body()).contains("data-type=\"SALE\" data-id=\"2\"", "/wait.js\"");

      Answer place = server.client().get("/wait/SALE/1/place", "User-Id", "ann");
      assertThat(place.status()).isEqualTo(503);
      assertThat(place.header("refresh")).isEqualTo("5");
      assertThat(place.body()).contains("Autumn Sale", "Places are kept").doesNotContain("<form");

      Answer enter = server.client().post("/wait/SALE/1?return=%2Fa", "User-Id", "ann");
      assertThat(enter.status()).isEqualTo(503);
      assertThat(enter.body())
          .contains("you are not in line yet", "action=\"/wait/SALE/1?return=%2Fa\"");
    }
  }
}
