package io.naru.pass;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.Signature;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Who computes signatures: Amazon's Corretto Crypto Provider where it is on the class path and
 * loads on this machine, since it is ten times as fast as the JDK, and the JDK otherwise. It is
 * asked for signatures and their keys only and not installed: what else an application does with
 * the JCA is its own affair.
 */
public final class Signatures {

  private static final String ACCP =
      "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider";
  private static final @Nullable Provider FAST = findFast();

  private Signatures() {}

  /** The name of who computes them, for the log. */
  public static String provider() {
    return FAST == null ? "the JDK" : FAST.getName() + " " + FAST.getVersionStr();
  }

  static Signature of(String algorithm) throws GeneralSecurityException {
    return FAST == null ? Signature.getInstance(algorithm) : Signature.getInstance(algorithm, FAST);
  }

  /** Makes keys; the JDK would first multiply points for a tenth of a second at every start. */
  static KeyPairGenerator pairs(String algorithm) throws GeneralSecurityException {
    return FAST == null || FAST.getService("KeyPairGenerator", algorithm) == null
        ? KeyPairGenerator.getInstance(algorithm)
        : KeyPairGenerator.getInstance(algorithm, FAST);
  }

  private static @Nullable Provider findFast() {
    try {
      return ServiceLoader.load(Provider.class, Signatures.class.getClassLoader()).stream()
          .filter(found -> found.type().getName().equals(ACCP))
          .map(ServiceLoader.Provider::get)
          .filter(Signatures::offersAll)
          .findFirst()
          .orElse(null);
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      return null;
    }
  }

  /** On a machine that it was not built for it is there and offers nothing. */
  private static boolean offersAll(Provider provider) {
    for (Algorithm algorithm : Algorithm.values()) {
      if (provider.getService("Signature", algorithm.jcaName()) == null) {
        return false;
      }
    }
    return true;
  }
}
