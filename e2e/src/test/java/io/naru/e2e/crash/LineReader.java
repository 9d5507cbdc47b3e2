package io.naru.e2e.crash;

import io.naru.e2e.crash.Evidence.Line;
import io.naru.testkit.RedisConnection;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Reads what the copy in Redis has of a queue, past the servers. */
final class LineReader {

  private LineReader() {}

  static Line read(RedisConnection redis, QueueName queue) throws IOException {
    return new Line(members(redis, queue.key("waiting")), members(redis, queue.key("entered")));
  }

  private static Map<String, Long> members(RedisConnection redis, String key) throws IOException {
    String reply = redis.call("ZRANGE", key, "0", "-1", "WITHSCORES");
    Map<String, Long> members = new HashMap<>();
    if (!reply.isEmpty()) {
      String[] words = reply.split("\n", -1);
      for (int i = 0; i < words.length; i += 2) {
        members.put(words[i], Long.valueOf(words[i + 1]));
      }
    }
    return members;
  }
}
