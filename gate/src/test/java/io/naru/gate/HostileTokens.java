package io.naru.gate;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.util.JSONObjectUtils;
import io.naru.pass.Forge;
import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import java.security.GeneralSecurityException;
import java.text.ParseException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What is sent instead of a pass: attacks 2, 5 and 7, each by its name. */
public final class HostileTokens {

  private HostileTokens() {}

  /**
   * @param trap what must not be called, whatever a token says
   */
  public static Map<String, String> against(FakeNaru naru, FakeNaru trap) {
    var tokens = new LinkedHashMap<String, String>();
    forged(tokens, naru, trap);
    signedButNotValid(tokens, naru);
    return tokens;
  }

  private static void forged(Map<String, String> tokens, FakeNaru naru, FakeNaru trap) {
    PassKey key = naru.key;
    String good = naru.token("p1");
    String unsigned = good.substring(0, good.lastIndexOf('.') + 1);
    tokens.put("entry token", "Aa7-".repeat(16));
    tokens.put("nothing", "");
    tokens.put("two parts", unsigned + "..");
    tokens.put("alg none", forge(naru).header("alg", "none").signed(new byte[0]));
    tokens.put("alg None", forge(naru).header("alg", "None").signed(new byte[0]));
    for (String secret : new String[] {key.publicHalf().toJwk(), PassKey.jwks(List.of(key)), ""}) {
      var confused = forge(naru).header("alg", "HS256");
      tokens.put("public key as secret " + secret, confused.signed(hmac(secret, confused.input())));
    }
    for (Map.Entry<String, Object> header :
        Map.of(
                "jku", trap.url() + "/.well-known/jwks.json",
                "x5u", trap.url() + "/cert.pem",
                "jwk", json(trap.key.publicHalf().toJwk()),
                "x5c", List.of("MIIB"),
                "crit", List.of("exp"))
            .entrySet()) {
      tokens.put(
          "header " + header.getKey(),
          new Forge(trap.key, naru.pass("p1")).header(header.getKey(), header.getValue()).signed());
    }
    for (String kid :
        new String[] {trap.url() + "/key", "../../dev/null", "a\r\nX-Evil: 1", "' or 1=1--", ""}) {
      tokens.put("kid " + kid, new Forge(trap.key, naru.pass("p1")).header("kid", kid).signed());
    }
    tokens.put("own key under a foreign name", new Forge(trap.key, naru.pass("p1")).signed());
    tokens.put(
        "foreign key under our name",
        new Forge(trap.key, naru.pass("p1")).header("kid", key.id()).signed());
    for (int length : new int[] {0, 63, 64, 65, 72}) {
      tokens.put("signature of zeros, " + length, forge(naru).signed(new byte[length]));
    }
    char last = good.charAt(good.length() - 1);
    String end = good.endsWith("AA") ? "BA" : "AA";
    tokens.put("changed signature", good.substring(0, good.length() - 2) + end);
    tokens.put("re-encoded signature", good.substring(0, good.length() - 1) + (char) (last + 1));
    tokens.put("padded", good + "=");
    tokens.put(
        "other claims",
        new Forge(key, naru.pass("p2")).input() + good.substring(unsigned.length() - 1));
    tokens.put("too long", "A".repeat(5_000));
  }

  private static void signedButNotValid(Map<String, String> tokens, FakeNaru naru) {
    long now = Instant.now().getEpochSecond();
    tokens.put("expired", at(naru, now - 600).claim("exp", now - 300).signed());
    tokens.put("not yet valid", at(naru, now + 120).claim("exp", now + 300).signed());
    tokens.put("exp as text", forge(naru).claim("exp", String.valueOf(now + 300)).signed());
    tokens.put("exp missing", forge(naru).claim("exp", null).signed());
    tokens.put("exp in 2100", forge(naru).claim("exp", 4_102_444_800L).signed());
    tokens.put("exp as fraction", forge(naru).claim("exp", now + 300.5).signed());
    tokens.put("nbf missing", forge(naru).claim("nbf", null).signed());
    tokens.put("another queue's", forge(naru).claim("queue", "TIMEDEAL/124").signed());
    tokens.put("another site's", forge(naru).claim("aud", "TIMEDEAL/124").signed());
    tokens.put("many sites'", forge(naru).claim("aud", List.of(FakeNaru.QUEUE, "x")).signed());
    tokens.put("another Naru's", forge(naru).claim("iss", "https://naru.example").signed());
    tokens.put("plain JWT", forge(naru).header("typ", "JWT").signed());
    tokens.put("without typ", forge(naru).header("typ", null).signed());
    tokens.put("list of revocations", naru.revocations());
  }

  private static Forge at(FakeNaru naru, long second) {
    return forge(naru).claim("iat", second).claim("nbf", second);
  }

  private static Forge forge(FakeNaru naru) {
    Pass pass = naru.pass("p1");
    return new Forge(naru.key, pass);
  }

  private static byte[] hmac(String secret, String input) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = secret.isEmpty() ? new byte[1] : secret.getBytes(UTF_8);
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(input.getBytes(US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, Object> json(String text) {
    try {
      return JSONObjectUtils.parse(text);
    } catch (ParseException e) {
      throw new AssertionError(e);
    }
  }
}
