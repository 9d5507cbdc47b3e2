package io.naru.e2e.crash;

import io.naru.queue.Json;
import io.naru.queue.Micros;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How servers look who is there, as the ledger has it.
 *
 * @param servers how many do
 * @param isJudging whether whoever they do not see is taken for absent
 */
record Looking(int servers, boolean isJudging) {

  /** So long they must have looked, without a gap. */
  private static final long LOOKED = Duration.ofSeconds(12).toNanos() / 1_000;

  static Looking read(Connection connection, QueueName queue) throws SQLException {
    Map<String, @Nullable Object> all = Json.readObject(LedgerReader.presence(connection, queue));
    long now = Micros.now(InstantSource.system());
    int servers = all.get("servers") instanceof Map<?, ?> names ? names.size() : 0;
    boolean isGood = number(all.get("good"), 0) > now;
    boolean hasLooked = now - Math.max(number(all.get("since"), now), firstLook(all, now)) > LOOKED;
    return new Looking(servers, hasLooked && !isGood);
  }

  private static long firstLook(Map<String, @Nullable Object> all, long now) {
    return all.get("looks") instanceof List<?> looks
            && !looks.isEmpty()
            && looks.getFirst() instanceof List<?> look
        ? number(look.getFirst(), now)
        : now;
  }

  private static long number(@Nullable Object value, long otherwise) {
    return value instanceof Number number ? number.longValue() : otherwise;
  }
}
