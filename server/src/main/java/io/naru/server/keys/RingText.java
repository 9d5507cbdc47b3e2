package io.naru.server.keys;

import io.naru.pass.PassKey;
import io.naru.queue.Secret;
import io.naru.server.keys.RingKey.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A ring as it is kept. An operator can read which key is in which state since when; the keys
 * themselves are encrypted under the servers' secret (AES-GCM), each bound to its line.
 *
 * <pre>
 * key   id  state  created  since  base64url( nonce 12 bytes | encrypted JWK )
 * pass  id  revoked
 * </pre>
 */
final class RingText {

  private final Sealing sealing;

  /**
   * @param secret of this use alone
   */
  RingText(Secret secret) {
    sealing = new Sealing(secret, "the signing keys");
  }

  String write(KeyRing ring) {
    var text = new StringBuilder();
    for (RingKey each : ring.keys()) {
      String line = "key %s %s".formatted(each.id(), times(each));
      text.append(line).append(' ').append(sealing.seal(line, each.key().toJwk())).append('\n');
    }
    ring.revokedPasses()
        .forEach(
            (id, at) -> text.append("pass %s %s".formatted(id, at.getEpochSecond())).append('\n'));
    return text.toString();
  }

  private static String times(RingKey key) {
    return "%s %s %s"
        .formatted(key.state(), key.createdAt().getEpochSecond(), key.since().getEpochSecond());
  }

  /**
   * @throws IllegalArgumentException if it was written with another secret, or changed since
   */
  KeyRing read(String text) {
    List<RingKey> keys = new ArrayList<>();
    Map<String, Instant> passes = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      String[] fields = line.split(" ", -1);
      switch (fields[0]) {
        case "key" -> keys.add(readKey(line, fields));
        case "pass" -> passes.put(fields[1], instant(fields[2]));
        default -> throw new IllegalArgumentException("not a ring: " + fields[0]);
      }
    }
    return new KeyRing(keys, passes);
  }

  private RingKey readKey(String line, String[] fields) {
    PassKey unsealed =
        PassKey.parse(sealing.open(line.substring(0, line.lastIndexOf(' ')), fields[5]));
    return new RingKey(unsealed, State.valueOf(fields[2]), instant(fields[3]), instant(fields[4]));
  }

  private static Instant instant(String seconds) {
    return Instant.ofEpochSecond(Long.parseLong(seconds));
  }
}
