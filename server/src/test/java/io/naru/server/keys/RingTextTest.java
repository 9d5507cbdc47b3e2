package io.naru.server.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.pass.Algorithm;
import io.naru.pass.PassKey;
import io.naru.queue.Secret;
import io.naru.testkit.MachineLocale;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A ring is kept in letters and digits that every server reads. */
class RingTextTest {

  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

  @Test
  void write_whereDigitsLookDifferent_isPlainText() {
    KeyRing first = KeyRing.first(() -> PassKey.generate(Algorithm.ES256), NOW);
    var ring = new KeyRing(first.keys(), Map.of("revoked", NOW));
    var texts = new RingText(new Secret("a secret of thirty-two bytes ...".getBytes(UTF_8)));

    String text;
    try (var _ = new MachineLocale("fa-IR")) {
      text = texts.write(ring);
    }

    assertThat(text).isASCII().contains("pass revoked 1800000000\n");
    assertThat(texts.read(text).revokedPasses()).isEqualTo(ring.revokedPasses());
  }
}
