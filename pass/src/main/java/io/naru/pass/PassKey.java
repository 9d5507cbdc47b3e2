package io.naru.pass;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.text.ParseException;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key that signs passes, or only its public half, which verifies them. Its id is the thumbprint
 * of the public half (RFC 7638), so an id can never mean two keys.
 */
public final class PassKey {

  private final JWK jwk;
  private final String id;
  private final Algorithm algorithm;
  private final PublicKey publicKey;
  private final @Nullable PrivateKey privateKey;

  private PassKey(JWK jwk) throws JOSEException, GeneralSecurityException {
    this.jwk = jwk;
    this.id = jwk.computeThumbprint().toString();
    if (jwk.getKeyID() != null && !jwk.getKeyID().equals(id)) {
      throw new InvalidKeyException("the key's kid is not its thumbprint " + id);
    }
    if (jwk instanceof ECKey ec && Curve.P_256.equals(ec.getCurve())) {
      algorithm = Algorithm.ES256;
      publicKey = ec.toECPublicKey();
      privateKey = ec.isPrivate() ? ec.toECPrivateKey() : null;
    } else if (jwk instanceof OctetKeyPair okp && Curve.Ed25519.equals(okp.getCurve())) {
      algorithm = Algorithm.EdDSA;
      publicKey = Ed25519.publicKey(okp.getDecodedX());
      privateKey = okp.isPrivate() ? Ed25519.privateKey(okp.getDecodedD()) : null;
    } else {
      throw new InvalidKeyException("a pass key is on P-256 or Ed25519, not " + jwk.getKeyType());
    }
    if (jwk.getAlgorithm() != null && !jwk.getAlgorithm().getName().equals(algorithm.name())) {
      throw new InvalidKeyException("the key is for " + jwk.getAlgorithm());
    }
    if (jwk.getKeyUse() != null && !jwk.getKeyUse().equals(KeyUse.SIGNATURE)) {
      throw new InvalidKeyException("the key is not for signatures");
    }
  }

  /** A new key, whose id does not look like an option: people name it on command lines. */
  public static PassKey generate(Algorithm algorithm) {
    PassKey key = any(algorithm);
    while (key.id().startsWith("-")) {
      key = any(algorithm);
    }
    return key;
  }

  private static PassKey any(Algorithm algorithm) {
    try {
      return switch (algorithm) {
        case ES256 -> {
          KeyPairGenerator pairs = Signatures.pairs("EC");
          pairs.initialize(new ECGenParameterSpec("secp256r1"));
          KeyPair pair = pairs.generateKeyPair();
          yield new PassKey(
              new ECKey.Builder(Curve.P_256, (ECPublicKey) pair.getPublic())
                  .privateKey(pair.getPrivate())
                  .keyUse(KeyUse.SIGNATURE)
                  .algorithm(JWSAlgorithm.ES256)
                  .keyIDFromThumbprint()
                  .build());
        }
        case EdDSA -> {
          KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
          yield new PassKey(
              new OctetKeyPair.Builder(
                      Curve.Ed25519, Base64URL.encode(Ed25519.bytesOf(pair.getPublic())))
                  .d(Base64URL.encode(Ed25519.bytesOf(pair.getPrivate())))
                  .keyUse(KeyUse.SIGNATURE)
                  .algorithm(JWSAlgorithm.EdDSA)
                  .keyIDFromThumbprint()
                  .build());
        }
      };
    } catch (JOSEException | GeneralSecurityException e) {
      throw new IllegalStateException("this JDK cannot make a key for " + algorithm, e);
    }
  }

  /**
   * A key from its JWK.
   *
   * @throws IllegalArgumentException if it is none, or none of ours
   */
  public static PassKey parse(String json) {
    try {
      return new PassKey(JWK.parse(json));
    } catch (InvalidKeyException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (ParseException | JOSEException | GeneralSecurityException | RuntimeException e) {
      // The message of a parser could show the key.
      throw new IllegalArgumentException("not a JWK: " + e.getClass().getSimpleName());
    }
  }

  /** The public halves of these keys as a JWKS document. */
  public static String jwks(Collection<PassKey> keys) {
    return new JWKSet(keys.stream().map(key -> key.jwk).toList()).toString(true);
  }

  /**
   * The public keys of a JWKS document by id. Those of other kinds are left out, so that a later
   * Naru may publish more than we know.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Map<String, PassKey> parseJwks(String json) {
    try {
      var keys = new LinkedHashMap<String, PassKey>();
      for (JWK jwk : JWKSet.parse(JSONObjectUtils.parse(json)).getKeys()) {
        PassKey key = ofOurKind(jwk);
        if (key != null) {
          keys.put(key.id(), key.publicHalf());
        }
      }
      return keys;
    } catch (ParseException | RuntimeException e) {
      throw new IllegalArgumentException("not a JWKS document", e);
    }
  }

  private static @Nullable PassKey ofOurKind(JWK jwk) {
    try {
      return new PassKey(jwk);
    } catch (JOSEException | GeneralSecurityException | RuntimeException e) {
      return null;
    }
  }

  /** The {@code kid}. */
  public String id() {
    return id;
  }

  public Algorithm algorithm() {
    return algorithm;
  }

  public boolean canSign() {
    return privateKey != null;
  }

  /** The same key without the half that signs. */
  public PassKey publicHalf() {
    try {
      return canSign() ? new PassKey(jwk.toPublicJWK()) : this;
    } catch (JOSEException | GeneralSecurityException e) {
      throw new IllegalStateException("key " + id, e);
    }
  }

  /** The key as a JWK, <b>with</b> its private half if it has one. */
  public String toJwk() {
    return jwk.toJSONString();
  }

  /** Its public half as PEM, for programs that read no JWK. */
  public String toPem() {
    String text =
        Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(publicKey.getEncoded());
    return "-----BEGIN PUBLIC KEY-----\n" + text + "\n-----END PUBLIC KEY-----\n";
  }

  byte[] sign(byte[] input) {
    if (privateKey == null) {
      throw new IllegalStateException("key " + id + " has only its public half");
    }
    return algorithm.sign(privateKey, input);
  }

  boolean verify(byte[] input, byte[] signature) {
    return algorithm.verify(publicKey, input, signature);
  }

  /** Never the private half: keys end up in messages. */
  @Override
  public String toString() {
    return algorithm + " key " + id;
  }
}
