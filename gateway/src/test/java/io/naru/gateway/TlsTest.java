package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.gate.FakeNaru;
import io.naru.net.Networks;
import io.naru.testkit.Certificate;
import io.naru.testkit.PlainSite;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sites at {@code https://}: whose certificates count, and for which name. */
@Tag("process")
class TlsTest {

  @TempDir private Path folder;
  private final FakeNaru naru = new FakeNaru();

  @AfterEach
  void close() {
    naru.close();
  }

  private static PlainSite site(Certificate certificate) throws IOException {
    return PlainSite.open(
        certificate
            .serving()
            .getServerSocketFactory()
            .createServerSocket(0, 100, InetAddress.getLoopbackAddress()));
  }

  private Gateway before(PlainSite site, List<X509Certificate> trusted)
      throws BadRules, BadCertificate, IOException {
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
            null,
            Networks.parse("proxies", "10.0.0.0/8"),
            Gateway.Limits.DEFAULT,
            Gateway.Watching.NONE),
        Stand.LONG);
  }

  @Test
  void site_whoseCertificateIsTrusted_isServedAsAnyOther() throws Exception {
    var certified = Certificate.make(folder);
    try (var site = site(certified);
        var gateway = before(site, List.of(certified.x509()));
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
    var certified = Certificate.make(folder);
    var misnamed = Certificate.make(folder, "dns:shop.example", "EC");
    try (var site = site(certified);
        var impostor = site(misnamed);
        var careful = before(site, List.of());
        var mistaken = before(site, List.of(misnamed.x509()));
        var named = before(impostor, List.of(misnamed.x509()))) {
      for (Gateway gateway : List.of(careful, mistaken, named)) {
        assertThat(Talk.get(gateway.port(), "/headers").status()).isEqualTo(502);
      }
      assertThat(site.heads()).isEmpty();
      assertThat(impostor.heads()).isEmpty();
    }
  }
}
