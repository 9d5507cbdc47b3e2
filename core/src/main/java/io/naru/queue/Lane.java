package io.naru.queue;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A line of its own within a queue.
 *
 * @param share of those who go in, over the sum of all lanes' shares
 */
public record Lane(String name, int share) {

  /** As JSON has it. */
  Map<String, Object> plain() {
    Map<String, Object> plain = new LinkedHashMap<>();
    plain.put("name", name);
    plain.put("share", share);
    return plain;
  }
}
