package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server tells of times goes by the clock that decides, however wrong its own is. */
@Tag("process")
class WrongClockTest {

  private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

  @TempDir private Path data;

  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void board_clockOfTheServerIsOff_saysWhatIsDecided(int hours) {
    PostgresServer postgres = PostgresServer.shared();
    var ledger = new Ledger.Config(postgres.fresh(), postgres.user(), postgres.password(), false);
    try (var server =
        TestServer.start(
            TestServer.config(data, null, ledger),
            () -> Instant.now().plus(Duration.ofHours(hours)))) {
      Instant soon = Instant.now().plus(HALF_AN_HOUR);
      server.activate("CONCERT/toEnd", "\"endsAt\":\"" + soon + "\"").is(201);
      server.activate("CONCERT/toOpen", "\"opensAt\":\"" + soon + "\"").is(201);
      server
          .activate("CONCERT/ended", "\"endsAt\":\"" + Instant.now().plusMillis(500) + "\"")
          .is(201);
      server.activate("CONCERT/stock", "\"stock\":{\"whenStale\":\"PAUSE\"}").is(201);
      String pushed = "\"version\":1,\"pools\":[{\"name\":\"A\",\"remaining\":9}]";
      server.admin("POST", "/admin/queue/stock", TestServer.named("CONCERT/stock", pushed)).is(200);

      assertThat(board(server, "stock").get("stock"))
          .isEqualTo(Map.of("remaining", 9, "held", 0, "state", "on"));
      assertThat(board(server, "toEnd")).containsEntry("state", "OPEN");
      assertThat(Instant.parse("" + board(server, "toEnd").get("at"))).isBefore(soon);
      assertThat(board(server, "toOpen"))
          .containsEntry("entryOpen", false)
          .containsEntry("pausedBy", "schedule");
      server.enter("CONCERT/toEnd", "ann").is(201);
      await().until(() -> server.status("CONCERT/toEnd", "ann").text("status").equals("ENTERED"));
      assertThat(dateOf(server.status("CONCERT/toEnd", "ann")))
          .isBetween(Instant.now().minus(HALF_AN_HOUR), soon);
      await().until(() -> "ENDED".equals(board(server, "ended").get("state")));
    }
  }

  private static Map<String, @Nullable Object> board(TestServer server, String id) {
    return server.client().get("/queue/CONCERT/" + id + "/board").is(200).json();
  }

  private static Instant dateOf(Answer answer) {
    String date = requireNonNull(answer.header("date"));
    return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
  }
}
