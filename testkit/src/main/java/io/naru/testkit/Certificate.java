package io.naru.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A key with a certificate that it has signed itself, made by the JDK's own keytool. */
public final class Certificate {

  private static final char[] PASSWORD = "of-a-test".toCharArray();
  private static final String ALIAS = "site";
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Path folder;
  private final String file;
  private final KeyStore store;

  private Certificate(Path folder, String file, KeyStore store) {
    this.folder = folder;
    this.file = file;
    this.store = store;
  }

  /** For this machine, of a usual kind. */
  public static Certificate make(Path folder) {
    return make(folder, "ip:127.0.0.1,dns:localhost", "EC");
  }

  /**
   * @param folder for its files
   * @param names whose it is, as {@code ip:127.0.0.1} or {@code dns:shop.example}
   * @param algorithm of the key
   */
  public static Certificate make(Path folder, String names, String algorithm) {
    String file = "certificate-" + COUNT.incrementAndGet();
    Path kept = folder.resolve(file + ".p12");
    try {
      var keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  ALIAS,
                  "-keyalg",
                  algorithm,
                  "-dname",
                  "CN=site",
                  "-ext",
                  "san=" + names,
                  "-storetype",
                  "PKCS12",
                  "-storepass",
                  new String(PASSWORD),
                  "-keystore",
                  kept.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      Signal.awaitEnd(keytool);
      var store = KeyStore.getInstance("PKCS12");
      try (var in = Files.newInputStream(kept)) {
        store.load(in, PASSWORD);
      }
      return new Certificate(folder, file, store);
    } catch (IOException e) {
      throw new UncheckedIOException("no certificate", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no certificate", e);
    }
  }

  public X509Certificate x509() {
    try {
      return (X509Certificate) store.getCertificate(ALIAS);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The certificate as PEM. */
  public Path certificate() {
    try {
      return pem(file + ".pem", "CERTIFICATE", x509().getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Its key, as PEM. */
  public Path key() {
    try {
      return pem(file + ".key", "PRIVATE KEY", store.getKey(ALIAS, PASSWORD).getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Both as PEM, in one file. */
  public Path withKey() {
    try {
      return Files.writeString(
          folder.resolve(file + "-both.pem"),
          Files.readString(key()) + Files.readString(certificate()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path pem(String name, String kind, byte[] encoded) {
    String lines = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(encoded);
    try {
      return Files.writeString(
          folder.resolve(name),
          "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** For who shows it. */
  public SSLContext serving() {
    try {
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, PASSWORD);
      var context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** For who trusts it, and nobody else. */
  public SSLContext trusting() {
    try {
      var trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(ALIAS, x509());
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      var context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** TLS over a connection that is there, by somebody who trusts it and looks at its name. */
  public SSLSocket over(Socket plain) throws IOException {
    var socket =
        (SSLSocket)
            trusting().getSocketFactory().createSocket(plain, "127.0.0.1", plain.getPort(), true);
    var parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    return socket;
  }
}
