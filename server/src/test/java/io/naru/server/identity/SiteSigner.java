package io.naru.server.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A site that signs tokens for its visitors, in the right way and in wrong ones. */
public final class SiteSigner {

  public static final String ISSUER = "https://shop.example";
  public static final String AUDIENCE = "naru";
  public static final String SECRET = "a-secret-of-the-shop-of-32-bytes!";

  private static final byte[] PRIVATE = HexFormat.of().parseHex("302e020100300506032b657004220420");

  private final Map<String, @Nullable Object> header = new LinkedHashMap<>();
  private final Map<String, @Nullable Object> claims = new LinkedHashMap<>();

  private SiteSigner(Instant now) {
    header.put("typ", "JWT");
    claims.put("iss", ISSUER);
    claims.put("aud", AUDIENCE);
    claims.put("sub", "ann");
    claims.put("exp", now.getEpochSecond() + 300);
  }

  /** A token of Ann, good for five minutes. */
  public static SiteSigner ann(Instant now) {
    return new SiteSigner(now);
  }

  /** Null takes it out. */
  public SiteSigner claim(String name, @Nullable Object value) {
    claims.put(name, value);
    claims.values().removeIf(each -> each == null);
    return this;
  }

  public SiteSigner header(String name, @Nullable Object value) {
    header.put(name, value);
    header.values().removeIf(each -> each == null);
    return this;
  }

  public String shared(String secret) {
    header.putIfAbsent("alg", "HS256");
    return signed(
        input -> new MACSigner(secret.getBytes(UTF_8)).sign(JWSHeader.parse(encoded()), input));
  }

  public String by(JWK key, JWSAlgorithm algorithm) {
    header.putIfAbsent("alg", algorithm.getName());
    if (key.getKeyID() != null) {
      header.putIfAbsent("kid", key.getKeyID());
    }
    var plain = new JWSHeader(algorithm);
    return signed(
        input ->
            switch (key) {
              case RSAKey rsa -> new RSASSASigner(rsa).sign(plain, input);
              case ECKey ec -> new ECDSASigner(ec).sign(plain, input);
              default -> edDsa(key, input);
            });
  }

  public String unsigned(String algorithm) {
    header.put("alg", algorithm);
    return signed(_ -> new Base64URL(""));
  }

  private static Base64URL edDsa(JWK key, byte[] input) throws GeneralSecurityException {
    byte[] bytes = key.toOctetKeyPair().getDecodedD();
    byte[] encoded = new byte[PRIVATE.length + bytes.length];
    System.arraycopy(PRIVATE, 0, encoded, 0, PRIVATE.length);
    System.arraycopy(bytes, 0, encoded, PRIVATE.length, bytes.length);
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(
        KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded)));
    signature.update(input);
    return Base64URL.encode(signature.sign());
  }

  private interface Signing {
    Base64URL sign(byte[] input) throws Exception;
  }

  private Base64URL encoded() {
    return Base64URL.encode(JSONObjectUtils.toJSONString(new LinkedHashMap<>(header)));
  }

  private String signed(Signing signing) {
    String input =
        encoded()
            + "."
            + Base64URL.encode(JSONObjectUtils.toJSONString(new LinkedHashMap<>(claims)));
    try {
      return input + "." + signing.sign(input.getBytes(UTF_8));
    } catch (JOSEException e) {
      throw new AssertionError("cannot sign", e);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
