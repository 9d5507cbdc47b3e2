package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.gate.FakeNaru;
import io.naru.net.Networks;
import io.naru.testkit.PlainSite;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sites at {@code https://}: whose certificates count, and for which name. */
@Tag("process")
class TlsTest {

  private static final char[] PASSWORD = "of-a-test".toCharArray();

  @TempDir private Path folder;
  private final FakeNaru naru = new FakeNaru();

  @AfterEach
  void close() {
    naru.close();
  }

  /** A key with a certificate that it has signed itself. */
  private KeyStore certified(String name) throws Exception {
    Path file = folder.resolve(name.replaceAll("[^a-z0-9]", "-") + ".p12");
    var keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "site",
                "-keyalg",
                "EC",
                "-dname",
                "CN=site",
                "-ext",
                "san=" + name,
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(keytool.waitFor()).isZero();
    var store = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  private static PlainSite site(KeyStore certified) throws Exception {
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(certified, PASSWORD);
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return PlainSite.open(
        context
            .getServerSocketFactory()
            .createServerSocket(0, 100, InetAddress.getLoopbackAddress()));
  }

  private Gateway before(PlainSite site, List<X509Certificate> trusted)
      throws BadRules, IOException {
    var rules = new RuleSet(URI.create("https://127.0.0.1:" + site.port()), List.of(Stand.rule()));
    return new Gateway(
        new Gateway.Settings(
            "127.0.0.1",
            0,
            URI.create(naru.url()),
            null,
            null,
            rules,
            null,
            null,
            null,
            false,
            trusted,
            Networks.parse("proxies", "10.0.0.0/8"),
            Gateway.Limits.DEFAULT),
        Stand.LONG);
  }

  private static List<X509Certificate> of(KeyStore store) throws Exception {
    return List.of((X509Certificate) store.getCertificate("site"));
  }

  @Test
  void site_whoseCertificateIsTrusted_isServedAsAnyOther() throws Exception {
    KeyStore certified = certified("ip:127.0.0.1");
    try (var site = site(certified);
        var gateway = before(site, of(certified));
        var talk = new Talk(gateway.port())) {
      assertThat(talk.ask("GET", "/headers", "").body()).startsWith("GET /headers HTTP/1.1");
      for (String body : List.of("small", "large".repeat(100_000))) {
        assertThat(talk.ask("POST", "/echo", body).body()).isEqualTo(body);
      }
      assertThat(talk.ask("GET", "/large?bytes=3000000", "").body()).hasSize(3_000_000);
    }
  }

  @Test
  void site_whoseCertificateIsNobodysOrAnothers_isNotAsked() throws Exception {
    KeyStore certified = certified("ip:127.0.0.1");
    KeyStore misnamed = certified("dns:shop.example");
    try (var site = site(certified);
        var impostor = site(misnamed);
        var careful = before(site, List.of());
        var mistaken = before(site, of(misnamed));
        var named = before(impostor, of(misnamed))) {
      for (Gateway gateway : List.of(careful, mistaken, named)) {
        assertThat(Talk.get(gateway.port(), "/headers").status()).isEqualTo(502);
      }
      assertThat(site.heads()).isEmpty();
      assertThat(impostor.heads()).isEmpty();
    }
  }
}
