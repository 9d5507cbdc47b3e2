package io.naru.server.doors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Json;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Does what a browser does that owes some work. */
public final class Solver {

  private Solver() {}

  /**
   * @param challenge as the server gave it
   * @return what it is answered
   */
  public static String payload(String challenge) {
    Map<String, @Nullable Object> given = Json.readObject(challenge);
    Map<String, @Nullable Object> asked = new LinkedHashMap<>();
    asked.put("parameters", given.get("parameters"));
    asked.put("signature", given.get("signature"));
    return payload(asked, solve(map(given, "parameters")));
  }

  static String payload(Map<String, @Nullable Object> challenge, Map<String, Object> solution) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("challenge", challenge);
    payload.put("solution", solution);
    return Base64.getEncoder().encodeToString(Json.write(payload).getBytes(UTF_8));
  }

  static Map<?, ?> map(Map<?, ?> from, String name) {
    return (Map<?, ?>) Objects.requireNonNull(from.get(name), name);
  }

  private static String text(Map<?, ?> from, String name) {
    return String.valueOf(from.get(name));
  }

  /** Tries one number after the other. */
  static Map<String, Object> solve(Map<?, ?> parameters) {
    byte[] nonce = HexFormat.of().parseHex(text(parameters, "nonce"));
    byte[] salt = HexFormat.of().parseHex(text(parameters, "salt"));
    int cost = Integer.parseInt(text(parameters, "cost"));
    String prefix = text(parameters, "keyPrefix");
    int counter = 0;
    String key = HexFormat.of().formatHex(Altcha.key(nonce, salt, counter, cost));
    while (!key.startsWith(prefix)) {
      counter++;
      assertThat(counter).as("tries").isLessThan(10_000);
      key = HexFormat.of().formatHex(Altcha.key(nonce, salt, counter, cost));
    }
    return Map.of("counter", counter, "derivedKey", key);
  }
}
