package io.naru.pass;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Good passes, and tokens that differ from a good one in one thing. */
public final class Forge {

  static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");
  static final Expected HERE = new Expected("https://naru.example", "shop", "TIMEDEAL/123");
  static final Pass PASS =
      new Pass(
          HERE.issuer(),
          HERE.audience(),
          HERE.queue(),
          "user-7",
          "pass-1",
          NOW.minusSeconds(60),
          NOW.plusSeconds(240));

  private final PassKey key;
  private final Map<String, Object> header = new LinkedHashMap<>();
  private final Map<String, Object> claims;

  public Forge(PassKey key) {
    this(key, PASS);
  }

  public Forge(PassKey key, Pass pass) {
    this.key = key;
    this.claims = new LinkedHashMap<>(pass.claims());
    header.put("typ", Pass.TYPE);
    header.put("alg", key.algorithm().name());
    header.put("kid", key.id());
  }

  public Forge header(String name, @Nullable Object value) {
    set(header, name, value);
    return this;
  }

  public Forge claim(String name, @Nullable Object value) {
    set(claims, name, value);
    return this;
  }

  /** What is signed: the first two parts. */
  public String input() {
    return encode(JSONObjectUtils.toJSONString(header))
        + '.'
        + encode(JSONObjectUtils.toJSONString(claims));
  }

  public String signed() {
    return signed(key.sign(input().getBytes(UTF_8)));
  }

  public String signed(byte[] signature) {
    return input() + '.' + encode(signature);
  }

  public static String encode(String text) {
    return encode(text.getBytes(UTF_8));
  }

  public static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static void set(Map<String, Object> map, String name, @Nullable Object value) {
    if (value == null) {
      map.remove(name);
    } else {
      map.put(name, value);
    }
  }

  /** The keys of a test: counts what is looked for. */
  static final class Keys implements KeySource {
    final Map<String, PassKey> known = new HashMap<>();
    final Set<String> revokedKeys = ConcurrentHashMap.newKeySet();
    final Set<String> revokedPasses = ConcurrentHashMap.newKeySet();
    boolean ready = true;
    int lookedFor;

    Keys(PassKey... keys) {
      for (PassKey key : keys) {
        known.put(key.id(), key.publicHalf());
      }
    }

    @Override
    public boolean ready() {
      return ready;
    }

    @Override
    public @Nullable PassKey find(String keyId) {
      lookedFor++;
      return known.get(keyId);
    }

    @Override
    public boolean keyRevoked(String keyId) {
      return revokedKeys.contains(keyId);
    }

    @Override
    public boolean passRevoked(String passId) {
      return revokedPasses.contains(passId);
    }
  }
}
