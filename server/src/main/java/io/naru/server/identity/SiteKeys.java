package io.naru.server.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import io.naru.pass.Ed25519;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PublicKey;
import java.security.Signature;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys by which a site's tokens are known. Each says itself what it verifies; a token only
 * names it. So nobody can have a public key taken for a secret, or bring a key along.
 */
final class SiteKeys {

  /** Until they were fetched. */
  static final SiteKeys NONE = new SiteKeys(List.of());

  private static final int MAX_KEYS = 64;
  private static final int MIN_RSA_BITS = 2_048;
  private static final int MAX_RSA_BITS = 8_192;

  private final List<Key> keys;

  /**
   * @param id by which tokens name it; null if they need not
   */
  private record Key(@Nullable String id, Set<JWSAlgorithm> algorithms, Check check) {

    boolean isMeant(JWSHeader header) {
      return algorithms.contains(header.getAlgorithm())
          && (header.getKeyID() == null || header.getKeyID().equals(id));
    }
  }

  /** Whether a signature is good. */
  private interface Check {
    boolean isGood(JWSHeader header, byte[] input, Base64URL signature)
        throws JOSEException, GeneralSecurityException;
  }

  private SiteKeys(List<Key> keys) {
    this.keys = List.copyOf(keys);
  }

  /** A secret that the site shares with us. */
  static SiteKeys shared(byte[] secret) {
    try {
      var verifier = new MACVerifier(secret);
      return new SiteKeys(List.of(new Key(null, Set.of(JWSAlgorithm.HS256), verifier::verify)));
    } catch (JOSEException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * The keys of a JWKS document that sign with RS256, PS256, ES256 or EdDSA. Others are left out: a
   * site may have more than we need.
   *
   * @throws IllegalArgumentException if there is none
   */
  static SiteKeys parse(String json) {
    List<JWK> all;
    try {
      all = JWKSet.parse(json).getKeys();
    } catch (ParseException | RuntimeException e) {
      throw new IllegalArgumentException("not a JWKS document", e);
    }
    List<Key> keys = new ArrayList<>();
    for (JWK jwk : all.subList(0, Math.min(all.size(), MAX_KEYS))) {
      Key key = ofOurKind(jwk);
      if (key != null) {
        keys.add(key);
      }
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("no key for RS256, PS256, ES256 or EdDSA in it");
    }
    return new SiteKeys(keys);
  }

  private static @Nullable Key ofOurKind(JWK jwk) {
    boolean isForSignatures = jwk.getKeyUse() == null || jwk.getKeyUse().equals(KeyUse.SIGNATURE);
    try {
      return isForSignatures ? key(jwk) : null;
    } catch (JOSEException | GeneralSecurityException | RuntimeException e) {
      return null;
    }
  }

  private static @Nullable Key key(JWK jwk) throws JOSEException, GeneralSecurityException {
    return switch (jwk) {
      case RSAKey rsa when rsa.size() >= MIN_RSA_BITS && rsa.size() <= MAX_RSA_BITS -> {
        var verifier = new RSASSAVerifier(rsa.toRSAPublicKey());
        yield key(jwk, Set.of(JWSAlgorithm.RS256, JWSAlgorithm.PS256), verifier::verify);
      }
      case ECKey ec when Curve.P_256.equals(ec.getCurve()) -> {
        var verifier = new ECDSAVerifier(ec.toECPublicKey());
        yield key(jwk, Set.of(JWSAlgorithm.ES256), verifier::verify);
      }
      case OctetKeyPair okp when Curve.Ed25519.equals(okp.getCurve()) -> {
        PublicKey key = Ed25519.publicKey(okp.getDecodedX());
        yield key(
            jwk,
            Set.of(JWSAlgorithm.EdDSA),
            (_, input, signature) -> isEdDsa(key, input, signature));
      }
      default -> null;
    };
  }

  /** With no algorithm but the one that the document gives the key, if it does. */
  private static @Nullable Key key(JWK jwk, Set<JWSAlgorithm> able, Check check) {
    if (jwk.getAlgorithm() == null) {
      return new Key(jwk.getKeyID(), able, check);
    }
    var only = new JWSAlgorithm(jwk.getAlgorithm().getName());
    return able.contains(only) ? new Key(jwk.getKeyID(), Set.of(only), check) : null;
  }

  private static boolean isEdDsa(PublicKey key, byte[] input, Base64URL signature)
      throws GeneralSecurityException {
    Signature verifying = Signature.getInstance("Ed25519");
    try {
      verifying.initVerify(key);
    } catch (InvalidKeyException e) {
      return false;
    }
    verifying.update(input);
    return verifying.verify(signature.decode());
  }

  boolean isEmpty() {
    return keys.isEmpty();
  }

  /** Whether any of them may sign so at all, whatever the token names. */
  boolean know(JWSAlgorithm algorithm) {
    return keys.stream().anyMatch(key -> key.algorithms.contains(algorithm));
  }

  /** Whether there is a key that this header can mean. */
  boolean know(JWSHeader header) {
    return keys.stream().anyMatch(key -> key.isMeant(header));
  }

  boolean verify(JWSObject token) {
    for (Key key : keys) {
      if (key.isMeant(token.getHeader()) && isGood(key, token)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isGood(Key key, JWSObject token) {
    try {
      return key.check.isGood(token.getHeader(), token.getSigningInput(), token.getSignature());
    } catch (JOSEException | GeneralSecurityException | RuntimeException e) {
      // Whatever goes wrong refuses.
      return false;
    }
  }
}
