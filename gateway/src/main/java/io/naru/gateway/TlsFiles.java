package io.naru.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * What visitors are shown where TLS ends here: a certificate with those that signed it, and its
 * key, as PEM. The files may change at any time, as they do when a certificate is renewed.
 */
public final class TlsFiles {

  private static final int MAX_BYTES = 262_144;

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----([^-]*)-----END \\1-----");

  private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /** Of TLS 1.2 only what keeps its secrets if the key is lost one day, and is not padded. */
  private static final List<String> CIPHERS =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  /** What is read strictly here is HTTP/1.1, so nothing else is spoken. */
  private static final ApplicationProtocolConfig HTTP_1_1 =
      new ApplicationProtocolConfig(
          Protocol.ALPN,
          SelectorFailureBehavior.NO_ADVERTISE,
          SelectedListenerFailureBehavior.ACCEPT,
          "http/1.1");

  static {
    // A handshake costs us more than it costs them; once per connection is enough. Read by the JDK
    // when the first connection with TLS is made.
    String renegotiation = "jdk.tls.rejectClientInitiatedRenegotiation";
    if (System.getProperty(renegotiation) == null) {
      System.setProperty(renegotiation, "true");
    }
  }

  private final Path certificate;
  private final Path key;

  public TlsFiles(Path certificate, Path key) {
    this.certificate = certificate;
    this.key = key;
  }

  /** What is in the files, whatever it is. */
  record Text(String certificate, String key) {}

  /**
   * Ready for connections.
   *
   * @param expires from when on browsers refuse it
   */
  record Ready(SslContext context, Instant expires) {}

  Text text() throws BadCertificate {
    return new Text(text(certificate), text(key));
  }

  private static String text(Path file) throws BadCertificate {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new BadCertificate(file.toString(), "is larger than 256 kB");
      }
      return Files.readString(file, ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new BadCertificate(file.toString(), "there is no such file");
    } catch (IOException e) {
      throw new BadCertificate(file.toString(), "cannot be read (" + e + ")");
    }
  }

  /** Both as they can be used; that they belong together is tried. */
  Ready parse(Text text) throws BadCertificate {
    List<X509Certificate> chain = chain(text.certificate);
    PrivateKey secret = key(text.key);
    X509Certificate own = chain.getFirst();
    if (!fit(secret, own.getPublicKey())) {
      throw new BadCertificate(
          key.toString(),
          "is not the key of the first certificate in %s, which must be that of this site, with"
                  .formatted(certificate)
              + " those that signed it behind");
    }
    try {
      SslContext context =
          SslContextBuilder.forServer(secret, chain)
              .sslProvider(SslProvider.JDK)
              .protocols(PROTOCOLS)
              .ciphers(CIPHERS)
              .applicationProtocolConfig(HTTP_1_1)
              .build();
      return new Ready(context, own.getNotAfter().toInstant());
    } catch (SSLException | IllegalArgumentException e) {
      throw new BadCertificate(certificate.toString(), "cannot be used (" + e.getMessage() + ")");
    }
  }

  private List<X509Certificate> chain(String pem) throws BadCertificate {
    try {
      List<X509Certificate> chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem.getBytes(ISO_8859_1)))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (!chain.isEmpty()) {
        return chain;
      }
    } catch (CertificateException e) {
      throw new BadCertificate(
          certificate.toString(), "is not a certificate as PEM (" + e.getMessage() + ")");
    }
    throw new BadCertificate(
        certificate.toString(), "has no certificate (PEM: -----BEGIN CERTIFICATE-----)");
  }

  private PrivateKey key(String pem) throws BadCertificate {
    Matcher found = KEY.matcher(pem);
    if (!found.find()) {
      throw new BadCertificate(
          key.toString(), "has no private key (PEM: -----BEGIN PRIVATE KEY-----)");
    }
    switch (found.group(1)) {
      case "PRIVATE KEY" -> {}
      case "ENCRYPTED PRIVATE KEY" ->
          throw new BadCertificate(
              key.toString(),
              "needs a passphrase, which nobody types here; take it off, as with openssl pkey");
      default ->
          throw new BadCertificate(
              key.toString(),
              "is an %s, an older form; make it PKCS#8, as with openssl pkey"
                  .formatted(found.group(1)));
    }
    try {
      var encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(found.group(2)));
      for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
        try {
          return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
        } catch (GeneralSecurityException e) {
          // Of another kind, then.
        }
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new BadCertificate(
        key.toString(), "is not a key of a kind that is known: EC, RSA, EdDSA");
  }

  /** Whether what the one signs the other takes. */
  private static boolean fit(PrivateKey secret, PublicKey known) {
    String algorithm =
        switch (secret.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> secret.getAlgorithm();
        };
    try {
      byte[] something = {1, 2, 3};
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(secret);
      signing.update(something);
      Signature checking = Signature.getInstance(algorithm);
      checking.initVerify(known);
      checking.update(something);
      return checking.verify(signing.sign());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return certificate.toString();
  }
}
