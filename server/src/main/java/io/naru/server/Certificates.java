package io.naru.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Whose signature counts under certificates, instead of those whom Java trusts. */
final class Certificates {

  private Certificates() {}

  /**
   * Those in a PEM file.
   *
   * @param option that named it
   * @throws IllegalArgumentException if there are none
   */
  static List<X509Certificate> in(String option, Path file) {
    try (var in = Files.newInputStream(file)) {
      List<X509Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (!all.isEmpty()) {
        return all;
      }
    } catch (IOException | CertificateException e) {
      // Said below.
    }
    throw new IllegalArgumentException(
        option + ": cannot be read, or has no certificates (PEM): " + file);
  }

  /** Trusts those alone. */
  static SSLContext trusting(List<X509Certificate> signers) {
    try {
      var store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (X509Certificate signer : signers) {
        store.setCertificateEntry("signer-" + store.size(), signer);
      }
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      var context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("no TLS with these certificates", e);
    }
  }
}
