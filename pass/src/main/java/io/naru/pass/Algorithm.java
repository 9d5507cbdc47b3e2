package io.naru.pass;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;

/** The two ways to sign a pass. A key belongs to one of them, and the token has no say in it. */
public enum Algorithm {
  ES256("SHA256withECDSAinP1363Format") {
    @Override
    boolean legal(byte[] signature) {
      // r = s = 0 verified under every key in JDKs before 17.0.3; this does not depend on the JDK.
      return inOrder(new BigInteger(1, signature, 0, 32))
          && inOrder(new BigInteger(1, signature, 32, 32));
    }
  },
  EdDSA("Ed25519") {
    @Override
    boolean legal(byte[] signature) {
      return true;
    }
  };

  private static final int SIGNATURE_BYTES = 64;
  private static final BigInteger P256_ORDER =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);

  private final String jcaName;

  Algorithm(String jcaName) {
    this.jcaName = jcaName;
  }

  String jcaName() {
    return jcaName;
  }

  static boolean isKnown(String name) {
    return name.equals(ES256.name()) || name.equals(EdDSA.name());
  }

  abstract boolean legal(byte[] signature);

  byte[] sign(PrivateKey key, byte[] input) {
    try {
      Signature signature = Signatures.of(jcaName);
      signature.initSign(key);
      signature.update(input);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot sign with " + this, e);
    }
  }

  boolean verify(PublicKey key, byte[] input, byte[] signed) {
    if (signed.length != SIGNATURE_BYTES || !legal(signed)) {
      return false;
    }
    try {
      Signature signature = Signatures.of(jcaName);
      signature.initVerify(key);
      signature.update(input);
      return signature.verify(signed);
    } catch (SignatureException | InvalidKeyException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no " + jcaName, e);
    }
  }

  private static boolean inOrder(BigInteger number) {
    return number.signum() > 0 && number.compareTo(P256_ORDER) < 0;
  }
}
