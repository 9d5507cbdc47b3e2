package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class SecretTest {

  private static final byte[] TEXT = "naru".getBytes(StandardCharsets.US_ASCII);

  @Test
  void new_tooShort_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Secret(new byte[31]))
        .withMessageContaining("32")
        .withMessageContaining("31");
  }

  @Test
  void mac_knownCase_isHmacSha256() {
    // RFC 4231, case 6: a key longer than a block.
    byte[] key = new byte[131];
    Arrays.fill(key, (byte) 0xaa);
    byte[] data =
        "Test Using Larger Than Block-Size Key - Hash Key First"
            .getBytes(StandardCharsets.US_ASCII);

    assertThat(HexFormat.of().formatHex(new Secret(key).mac(data, data.length)))
        .isEqualTo("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  }

  @Test
  void mac_length_countsOnlyThose() {
    var secret = new Secret(new byte[32]);

    assertThat(secret.mac("naru!".getBytes(StandardCharsets.US_ASCII), TEXT.length))
        .isEqualTo(secret.mac(TEXT, TEXT.length))
        .isNotEqualTo(secret.mac(TEXT, TEXT.length - 1));
  }

  @Test
  void mac_keyChangedAfterwards_isNotAffected() {
    byte[] key = new byte[32];
    var secret = new Secret(key);
    Arrays.fill(key, (byte) 1);

    assertThat(secret.mac(TEXT, 4)).isEqualTo(new Secret(new byte[32]).mac(TEXT, 4));
  }

  @Test
  void derive_otherUse_isAnotherKeyAndTheSameOnEveryServer() {
    var secret = new Secret(new byte[32]);

    assertThat(secret.derive("a").mac(TEXT, 4))
        .isEqualTo(new Secret(new byte[32]).derive("a").mac(TEXT, 4))
        .isNotEqualTo(secret.derive("b").mac(TEXT, 4))
        .isNotEqualTo(secret.mac(TEXT, 4));
  }
}
