package io.naru.pass;

import static io.naru.pass.Forge.HERE;
import static io.naru.pass.Forge.NOW;
import static io.naru.pass.Forge.PASS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.JWK;
import io.naru.pass.Verification.Refused;
import io.naru.pass.Verification.Verified;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way we know to get in without a pass, for both algorithms. */
@ParameterizedClass
@EnumSource(Algorithm.class)
class PassVerifierTest {

  private final PassKey key;
  private final Forge.Keys keys;
  private final PassVerifier verifier;
  private Instant now = NOW;

  PassVerifierTest(Algorithm algorithm) {
    key = PassKey.generate(algorithm);
    keys = new Forge.Keys(key);
    verifier = new PassVerifier(keys, () -> now);
  }

  @Test
  void verify_signedPass_givesItsClaims() {
    String token = new PassSigner(key).sign(PASS);

    assertThat(verifier.verify(token, HERE)).isEqualTo(new Verified(PASS));
    assertThat(verifier.verify(token, HERE)).as("again").isEqualTo(new Verified(PASS));
    assertThat(verifier.verify(new Forge(key).signed(), HERE))
        .as("the forge of these tests makes good ones if it changes nothing")
        .isEqualTo(new Verified(PASS));
  }

  @Test
  void sign_fractionsOfSeconds_areFloored() {
    Pass exact = new Pass("i", "a", "q", "u", "p", NOW.plusMillis(1_999), NOW.plusMillis(5_999));

    assertThat(exact.admittedAt()).isEqualTo(NOW.plusSeconds(1));
    assertThat(exact.expiresAt()).isEqualTo(NOW.plusSeconds(5));
  }

  @Test
  void sign_whatNoVerifierTakes_isNotSigned() {
    var signer = new PassSigner(key);
    Pass tooLong =
        new Pass("i", "a", "q", "u", "p", NOW, NOW.plusSeconds(Pass.MAX_LIFE_SECONDS + 1));
    Pass tooBig = new Pass("i", "a", "q", "u".repeat(4_000), "p", NOW, NOW.plusSeconds(5));

    assertThatThrownBy(() -> signer.sign(tooLong)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> signer.sign(tooBig)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PassSigner(key.publicHalf()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // --- attack 5: the signature

  @ParameterizedTest
  @ValueSource(strings = {"none", "None", "NONE", "", "HS256", "RS256", "ES384", "ES256K", "es256"})
  void verify_otherAlgorithm_isRefusedBeforeAnyKeyIsLookedFor(String algorithm) {
    Forge forge = new Forge(key).header("alg", algorithm);

    assertRefused(forge.signed(), Reason.ALGORITHM);
    assertRefused(forge.signed(new byte[0]), Reason.ALGORITHM);
    assertThat(keys.lookedFor).isZero();
  }

  @Test
  void verify_publicKeyAsSecret_isRefused() throws GeneralSecurityException {
    Forge forge = new Forge(key).header("alg", "HS256");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key.publicHalf().toJwk().getBytes(UTF_8), "HmacSHA256"));

    assertRefused(forge.signed(mac.doFinal(forge.input().getBytes(UTF_8))), Reason.ALGORITHM);
  }

  @Test
  void verify_theOtherKindOfKeysAlgorithm_isRefused() {
    Algorithm other = key.algorithm() == Algorithm.ES256 ? Algorithm.EdDSA : Algorithm.ES256;

    assertRefused(new Forge(key).header("alg", other.name()).signed(), Reason.ALGORITHM);
  }

  @Test
  void verify_headerThatBringsItsOwnKey_isRefused() throws ParseException {
    PassKey attackers = PassKey.generate(key.algorithm());
    Map<String, Object> jwk = JWK.parse(attackers.publicHalf().toJwk()).toJSONObject();
    Map<String, Object> hostile =
        Map.of(
            "jwk", jwk,
            "jku", "http://127.0.0.1:1/jwks.json",
            "x5u", "http://127.0.0.1:1/cert",
            "x5c", List.of("MIIB"),
            "x5t", "abc",
            "crit", List.of("exp"),
            "b64", false,
            "zip", "DEF",
            "cty", "JWT");

    hostile.forEach(
        (name, value) -> {
          assertRefused(new Forge(key).header(name, value).signed(), Reason.HEADER);
          assertRefused(
              new Forge(attackers).header("kid", key.id()).header(name, value).signed(),
              Reason.HEADER);
        });
  }

  @Test
  void verify_unknownOrHostileKid_isRefused() {
    PassKey stranger = PassKey.generate(key.algorithm());
    assertRefused(new Forge(stranger).signed(), Reason.UNKNOWN_KEY);
    assertRefused(new Forge(stranger).header("kid", key.id()).signed(), Reason.SIGNATURE);
    for (Object kid :
        List.of("", "../../etc/passwd", "' OR 1=1 --", "a\r\nb", "\0", "k".repeat(1_000))) {
      assertRefused(new Forge(key).header("kid", kid).signed(), Reason.UNKNOWN_KEY);
    }
    assertThat(keys.lookedFor).as("only what may be a key's id is looked for").isEqualTo(2);
    for (Object kid : List.of(1, true, List.of(key.id()), Map.of("a", key.id()))) {
      assertRefused(new Forge(key).header("kid", kid).signed(), Reason.HEADER);
    }
    assertRefused(new Forge(key).header("kid", null).signed(), Reason.HEADER);
    assertRefused(new Forge(key).header("alg", null).signed(), Reason.HEADER);
  }

  @Test
  void verify_emptySignatures_areRefused() {
    Forge forge = new Forge(key);
    BigInteger order =
        new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
    byte[] n = Arrays.copyOfRange(order.toByteArray(), 1, 33);
    byte[] rIsN = Arrays.copyOf(n, 64);
    byte[] sIsN = new byte[64];
    sIsN[31] = 1;
    System.arraycopy(n, 0, sIsN, 32, 32);
    byte[] ones = new byte[64];
    Arrays.fill(ones, (byte) 0xff);

    for (byte[] signature : List.of(new byte[64], rIsN, sIsN, ones)) {
      assertRefused(forge.signed(signature), Reason.SIGNATURE);
    }
  }

  @Test
  void legal_es256Numbers_areBetweenZeroAndTheOrder() {
    byte[] small = new byte[64];
    small[31] = 1;
    assertThat(Algorithm.ES256.legal(small)).as("s = 0").isFalse();
    small[63] = 1;
    assertThat(Algorithm.ES256.legal(small)).as("r = s = 1").isTrue();
    small[31] = 0;
    assertThat(Algorithm.ES256.legal(small)).as("r = 0").isFalse();
  }

  @Test
  void verify_wrongLengths_areRefused() {
    Forge forge = new Forge(key);
    byte[] good = key.sign(forge.input().getBytes(UTF_8));

    for (int length : new int[] {0, 1, 32, 63, 65, 96, 128, 132}) {
      assertRefused(forge.signed(Arrays.copyOf(good, length)), Reason.SIGNATURE);
    }
  }

  @Test
  void verify_everyChangedBitOfTheSignature_isRefused() {
    Forge forge = new Forge(key);
    byte[] good = key.sign(forge.input().getBytes(UTF_8));
    for (int i = 0; i < good.length; i++) {
      byte[] changed = good.clone();
      changed[i] ^= 1;
      assertRefused(forge.signed(changed), Reason.SIGNATURE);
    }
  }

  @Test
  void verify_derSignature_isRefused() throws GeneralSecurityException, ParseException {
    if (key.algorithm() != Algorithm.ES256) {
      return;
    }
    Forge forge = new Forge(key);
    Signature der = Signature.getInstance("SHA256withECDSA");
    try {
      der.initSign(JWK.parse(key.toJwk()).toECKey().toECPrivateKey());
    } catch (com.nimbusds.jose.JOSEException e) {
      throw new IllegalStateException(e);
    }
    der.update(forge.input().getBytes(UTF_8));

    assertRefused(forge.signed(der.sign()), Reason.SIGNATURE);
  }

  @Test
  void verify_anotherSpellingOfTheSameToken_isRefused() {
    String token = new Forge(key).signed();
    byte[] signature = Base64.getUrlDecoder().decode(token.substring(token.lastIndexOf('.') + 1));
    String input = token.substring(0, token.lastIndexOf('.') + 1);
    char last = token.charAt(token.length() - 1);
    String strayBits = token.substring(0, token.length() - 1) + (char) (last + 1);

    for (String other :
        List.of(
            token + "==",
            token + "=",
            token + " ",
            " " + token,
            token + "\n",
            token + ".",
            "." + token,
            token.replaceFirst("\\.", ".."),
            strayBits,
            input + Base64.getMimeEncoder().encodeToString(signature),
            input + Base64.getEncoder().encodeToString(signature),
            input,
            token.substring(0, token.lastIndexOf('.')))) {
      assertThat(verifier.verify(other, HERE)).as(other).isInstanceOf(Refused.class);
    }
  }

  @Test
  void verify_changedClaims_areRefused() {
    String good = new Forge(key).signed();
    String otherClaims = new Forge(key).claim("sub", "somebody-else").signed();
    String spliced =
        otherClaims.substring(0, otherClaims.lastIndexOf('.'))
            + good.substring(good.lastIndexOf('.'));

    assertRefused(spliced, Reason.SIGNATURE);
  }

  // --- attack 6: keys

  @Test
  void verify_withoutKeys_isRefused() {
    String token = new Forge(key).signed();
    assertThat(verifier.verify(token, HERE)).isInstanceOf(Verified.class);

    keys.ready = false;
    assertRefused(token, Reason.NO_KEYS);
    assertRefused(new Forge(key).claim("jti", "new").signed(), Reason.NO_KEYS);
  }

  @Test
  void verify_anyExceptionOfTheKeySource_refuses() {
    KeySource broken =
        new KeySource() {
          @Override
          public @Nullable PassKey find(String keyId) {
            throw new IllegalStateException("broken");
          }

          @Override
          public boolean keyRevoked(String keyId) {
            return false;
          }

          @Override
          public boolean passRevoked(String passId) {
            return false;
          }
        };

    assertThat(new PassVerifier(broken, () -> now).verify(new Forge(key).signed(), HERE))
        .isEqualTo(new Refused(Reason.ERROR, null));
  }

  @Test
  void verify_junk_isRefused() {
    String deep = Forge.encode("{\"typ\":" + "[".repeat(2_500));
    var junk = new ArrayList<String>(List.of("", ".", "..", "...", "a.b.c", "\0", "é.é.é"));
    junk.add(deep + "." + deep + "." + "AAAA");
    junk.add(Forge.encode("null") + "." + Forge.encode("null") + ".AAAA");
    junk.add(Forge.encode("[]") + "." + Forge.encode("{}") + ".AAAA");
    junk.add(Forge.encode("{\"typ\":1,\"typ\":2}") + "." + Forge.encode("{}") + ".AAAA");

    for (String token : junk) {
      assertThat(verifier.verify(token, HERE)).as(token).isInstanceOf(Refused.class);
    }
    assertRefused("a".repeat(Pass.MAX_LENGTH + 1), Reason.TOO_LONG);
  }

  @Test
  void verify_keyNoLongerPublished_refusesRememberedTokensToo() {
    String token = new Forge(key).signed();
    assertThat(verifier.verify(token, HERE)).isInstanceOf(Verified.class);

    keys.known.clear();

    assertRefused(token, Reason.UNKNOWN_KEY);
  }

  // --- attack 7: the claims

  @Test
  void verify_time_isJudgedWithASmallSkew() {
    String token = new Forge(key).signed();

    now = PASS.expiresAt().plusSeconds(5).minusMillis(1);
    assertThat(verifier.verify(token, HERE)).isInstanceOf(Verified.class);
    now = PASS.expiresAt().plusSeconds(5);
    assertRefused(token, Reason.EXPIRED);
    now = PASS.admittedAt().minusSeconds(5);
    assertThat(verifier.verify(token, HERE)).isInstanceOf(Verified.class);
    now = PASS.admittedAt().minusSeconds(5).minusMillis(1);
    assertRefused(token, Reason.NOT_YET_VALID);
  }

  @Test
  void verify_claimMissingOrOfAnotherType_isRefused() {
    for (String name : PASS.claims().keySet()) {
      assertRefused(new Forge(key).claim(name, null).signed(), Reason.CLAIMS);
      assertRefused(new Forge(key).claim(name, List.of(HERE.audience())).signed(), Reason.CLAIMS);
      assertRefused(new Forge(key).claim(name, true).signed(), Reason.CLAIMS);
      assertRefused(new Forge(key).claim(name, "").signed(), Reason.CLAIMS);
    }
    for (String time : List.of("iat", "nbf", "exp")) {
      for (Object value :
          List.of("" + PASS.expiresAt().getEpochSecond(), 1.5, 1e300, -1, Long.MAX_VALUE)) {
        assertRefused(new Forge(key).claim(time, value).signed(), Reason.CLAIMS);
      }
    }
    assertRefused(
        new Forge(key).claim("nbf", NOW.minusSeconds(10).getEpochSecond()).signed(), Reason.CLAIMS);
  }

  @Test
  void verify_longerLifeThanAnyPass_isRefused() {
    long admitted = PASS.admittedAt().getEpochSecond();
    long in2100 = Instant.parse("2100-01-01T00:00:00Z").getEpochSecond();

    assertRefused(new Forge(key).claim("exp", in2100).signed(), Reason.LIFE);
    assertRefused(
        new Forge(key)
            .claim("exp", in2100)
            .claim("iat", in2100 - 60)
            .claim("nbf", in2100 - 60)
            .signed(),
        Reason.NOT_YET_VALID);
    assertRefused(new Forge(key).claim("exp", admitted + 86_406).signed(), Reason.LIFE);
    assertThat(verifier.verify(new Forge(key).claim("exp", admitted + 86_405).signed(), HERE))
        .isInstanceOf(Verified.class);
  }

  @Test
  void verify_foreignIssuerSiteOrQueue_isRefused() {
    assertRefused(new Forge(key).claim("iss", "https://other").signed(), Reason.ISSUER);
    assertRefused(new Forge(key).claim("iss", HERE.issuer() + "/").signed(), Reason.ISSUER);
    assertRefused(new Forge(key).claim("aud", "other-shop").signed(), Reason.AUDIENCE);
    assertRefused(new Forge(key).claim("queue", "TIMEDEAL/124").signed(), Reason.QUEUE);
    String token = new Forge(key).signed();
    assertThat(verifier.verify(token, HERE)).isInstanceOf(Verified.class);
    assertThat(verifier.verify(token, new Expected(HERE.issuer(), HERE.audience(), "TIMEDEAL/9")))
        .as("remembered, but not for that queue")
        .isEqualTo(new Refused(Reason.QUEUE, PASS.id()));
  }

  @Test
  void verify_otherThingsWeSign_areNoPass() {
    String list =
        new Revocations(HERE.issuer(), NOW, "key-2", java.util.Set.of(), java.util.Set.of())
            .sign(key);
    assertRefused(list, Reason.TYPE);
    for (String type : List.of("JWT", "naru-pass", "NARU-PASS+JWT", "application/naru-pass+jwt")) {
      assertRefused(new Forge(key).header("typ", type).signed(), Reason.TYPE);
    }
    assertRefused(new Forge(key).header("typ", null).signed(), Reason.TYPE);
    assertThat(verifier.verify("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", HERE))
        .as("an entry token")
        .isEqualTo(new Refused(Reason.MALFORMED, null));
  }

  // --- attacks 8 and 10: revocation

  @Test
  void verify_revokedPassOrKey_isRefusedAlsoWhenRemembered() {
    String token = new Forge(key).signed();
    assertThat(verifier.verify(token, HERE)).isInstanceOf(Verified.class);

    keys.revokedPasses.add(PASS.id());
    assertThat(verifier.verify(token, HERE)).isEqualTo(new Refused(Reason.REVOKED_PASS, PASS.id()));
    keys.revokedPasses.clear();
    assertThat(verifier.verify(token, HERE)).isInstanceOf(Verified.class);

    keys.revokedKeys.add(key.id());
    assertRefused(token, Reason.REVOKED_KEY);
    assertRefused(new Forge(key).claim("jti", "new").signed(), Reason.REVOKED_KEY);
  }

  @Test
  void refused_saysThePassOnlyIfItsSignatureWasGood() {
    now = PASS.expiresAt().plusSeconds(60);
    String token = new Forge(key).signed();

    assertThat(verifier.verify(token, HERE)).isEqualTo(new Refused(Reason.EXPIRED, PASS.id()));
    assertThat(verifier.verify(token + "x", HERE))
        .isInstanceOfSatisfying(Refused.class, refused -> assertThat(refused.passId()).isNull());
  }

  @Test
  void skew_outOfBounds_isRefused() {
    for (Duration skew : List.of(Duration.ofSeconds(-1), Duration.ofMinutes(6))) {
      assertThatThrownBy(() -> new PassVerifier(keys, () -> now, skew, 10))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private void assertRefused(String token, Reason reason) {
    assertThat(verifier.verify(token, HERE))
        .as(token)
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.reason()).isEqualTo(reason));
  }
}
