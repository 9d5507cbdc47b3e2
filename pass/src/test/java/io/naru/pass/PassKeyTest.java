package io.naru.pass;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.ParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PassKeyTest {

  private static final byte[] TEXT = "text".getBytes(UTF_8);

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void jwk_thereAndBack_isTheSameKey(Algorithm algorithm) {
    PassKey key = PassKey.generate(algorithm);
    PassKey back = PassKey.parse(key.toJwk());

    assertThat(back.id()).isEqualTo(key.id());
    assertThat(back.algorithm()).isEqualTo(algorithm);
    assertThat(back.canSign()).isTrue();
    assertThat(key.verify(TEXT, back.sign(TEXT))).isTrue();
    assertThat(PassKey.generate(algorithm).verify(TEXT, key.sign(TEXT))).isFalse();
  }

  /** One of 64 would be an option of {@code naru keys pem}. */
  @Test
  void id_neverBeginsWithADash() {
    for (int i = 0; i < 500; i++) {
      assertThat(PassKey.generate(Algorithm.EdDSA).id()).doesNotStartWith("-");
    }
  }

  @Test
  void id_isTheThumbprintOfRfc7638() throws ParseException, NoSuchAlgorithmException {
    PassKey key = PassKey.generate(Algorithm.ES256);
    Map<String, Object> jwk = JSONObjectUtils.parse(key.toJwk());
    String canonical =
        "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}"
            .formatted(jwk.get("x"), jwk.get("y"));

    byte[] digest = MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(UTF_8));
    assertThat(key.id()).isEqualTo(Forge.encode(digest)).isEqualTo(jwk.get("kid"));
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void jwks_publishesPublicHalvesOnly(Algorithm algorithm) throws ParseException {
    PassKey key = PassKey.generate(algorithm);
    String jwks = PassKey.jwks(List.of(key));
    Object secret = JSONObjectUtils.parse(key.toJwk()).get("d");

    assertThat(secret).isNotNull();
    assertThat(jwks).doesNotContain("\"d\"", String.valueOf(secret));
    assertThat(key.publicHalf().toJwk()).doesNotContain("\"d\"", String.valueOf(secret));
    assertThat(key.toString()).doesNotContain(String.valueOf(secret));
    PassKey published = Objects.requireNonNull(PassKey.parseJwks(jwks).get(key.id()));
    assertThat(published.canSign()).isFalse();
    assertThat(published.verify(TEXT, key.sign(TEXT))).isTrue();
    assertThatThrownBy(() -> published.sign(TEXT)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void jwks_keysOfOtherKinds_areLeftOut() {
    PassKey key = PassKey.generate(Algorithm.ES256);
    PassKey renamed = PassKey.generate(Algorithm.ES256);
    PassKey notOurs = PassKey.generate(Algorithm.EdDSA);
    String jwks =
        """
        {"keys":[%s,%s,%s,
         {"kty":"oct","k":"c2VjcmV0"},
         {"kty":"quantum","kid":"x"}]}
        """
            .formatted(
                key.publicHalf().toJwk(),
                renamed.publicHalf().toJwk().replace(renamed.id(), key.id()),
                notOurs.publicHalf().toJwk().replace("\"sig\"", "\"enc\""));

    assertThat(PassKey.parseJwks(jwks)).containsOnlyKeys(key.id());
    assertThat(PassKey.parseJwks("{\"keys\":[]}")).isEmpty();
  }

  @Test
  void parse_whatIsNoKey_isRefusedWithoutShowingIt() {
    for (String json : List.of("", "null", "{}", "[1]", "{\"kty\":\"EC\",\"d\":\"secret\"}")) {
      assertThatThrownBy(() -> PassKey.parse(json))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("secret");
    }
    for (String json : List.of("", "null", "{}", "[]", "{\"keys\":1}")) {
      assertThatThrownBy(() -> PassKey.parseJwks(json))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
