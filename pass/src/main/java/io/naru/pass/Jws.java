package io.naru.pass;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.text.ParseException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The compact form of what we sign: three parts, header with {@code typ}, {@code alg} and {@code
 * kid} and nothing else. Reading it decides by our key and our type; the header is only compared
 * with them, so there is nothing in it that could lead anywhere.
 */
final class Jws {

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Pattern THUMBPRINT = Pattern.compile("[A-Za-z0-9_-]{43}");

  /** What was signed, and by which key. */
  record Opened(String keyId, Map<String, Object> claims) {}

  private Jws() {}

  static String sign(PassKey key, String type, Map<String, Object> claims) {
    var header = new LinkedHashMap<String, Object>();
    header.put("typ", type);
    header.put("alg", key.algorithm().name());
    header.put("kid", key.id());
    String input = encode(header) + '.' + encode(claims);
    return input + '.' + ENCODER.encodeToString(key.sign(input.getBytes(US_ASCII)));
  }

  static Opened open(String text, int maxLength, String type, KeySource keys) throws Refusal {
    if (text.length() > maxLength) {
      throw new Refusal(Reason.TOO_LONG);
    }
    int first = text.indexOf('.');
    int second = text.indexOf('.', first + 1);
    if (first < 0 || second < 0 || text.indexOf('.', second + 1) >= 0) {
      throw new Refusal(Reason.MALFORMED);
    }
    byte[] header = decode(text.substring(0, first));
    byte[] claims = decode(text.substring(first + 1, second));
    byte[] signature = decode(text.substring(second + 1));

    PassKey key = keyOf(parse(header), type, keys);
    if (!key.verify(text.substring(0, second).getBytes(US_ASCII), signature)) {
      throw new Refusal(Reason.SIGNATURE);
    }
    return new Opened(key.id(), parse(claims));
  }

  private static PassKey keyOf(Map<String, Object> header, String type, KeySource keys)
      throws Refusal {
    if (!type.equals(header.get("typ"))) {
      throw new Refusal(Reason.TYPE);
    }
    // Whoever sends jwk, jku, x5u, x5c, crit or b64 wants something else to be believed.
    if (header.size() != 3
        || !(header.get("alg") instanceof String algorithm)
        || !(header.get("kid") instanceof String keyId)) {
      throw new Refusal(Reason.HEADER);
    }
    // Judged before the key is looked for: what cannot be ours must not make anybody fetch keys.
    if (!Algorithm.isKnown(algorithm)) {
      throw new Refusal(Reason.ALGORITHM);
    }
    if (!keys.ready()) {
      throw new Refusal(Reason.NO_KEYS);
    }
    PassKey key = THUMBPRINT.matcher(keyId).matches() ? keys.find(keyId) : null;
    if (keys.keyRevoked(keyId)) {
      throw new Refusal(Reason.REVOKED_KEY);
    }
    if (key == null) {
      throw new Refusal(Reason.UNKNOWN_KEY);
    }
    if (!key.algorithm().name().equals(algorithm)) {
      throw new Refusal(Reason.ALGORITHM);
    }
    return key;
  }

  private static byte[] decode(String part) throws Refusal {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(part);
    } catch (IllegalArgumentException e) {
      throw new Refusal(Reason.MALFORMED);
    }
    // The decoder takes padding and stray last bits: a second spelling of the same token.
    if (!ENCODER.encodeToString(bytes).equals(part)) {
      throw new Refusal(Reason.MALFORMED);
    }
    return bytes;
  }

  private static Map<String, Object> parse(byte[] json) throws Refusal {
    try {
      return JSONObjectUtils.parse(new String(json, UTF_8));
    } catch (ParseException e) {
      throw new Refusal(Reason.MALFORMED);
    }
  }

  private static String encode(Map<String, Object> json) {
    return ENCODER.encodeToString(JSONObjectUtils.toJSONString(json).getBytes(UTF_8));
  }
}
