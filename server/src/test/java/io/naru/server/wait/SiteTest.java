package io.naru.server.wait;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.Cookie;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which sites a cookie of Naru's reaches, and by which domain. */
class SiteTest {

  private static Optional<Cookie> cookie(String naru, String site) {
    return Site.of(site).cookie("naru-pass", "x", Site.of(naru));
  }

  @ParameterizedTest
  @CsvSource({
    "https://shop.example, https://shop.example/sale",
    "https://shop.example:8443, https://shop.example/sale",
    "https://SHOP.example, https://shop.EXAMPLE",
    "http://127.0.0.1:8080, http://127.0.0.1:8090/",
    "http://localhost:8080, http://localhost:8090/",
    "http://[::1]:8080, http://[::1]:8090/",
    "http://naru, http://naru/shop",
  })
  void cookie_sameHost_hasNoDomain(String naru, String site) {
    assertThat(cookie(naru, site)).hasValueSatisfying(c -> assertThat(c.getDomain()).isNull());
  }

  @ParameterizedTest
  @CsvSource({
    "https://wait.shop.example, https://shop.example/, shop.example",
    "https://shop.example, https://wait.shop.example/, shop.example",
    "https://wait.shop.example, https://www.shop.example/, shop.example",
    "https://wait.shop.example:8443, https://WWW.Shop.Example:444/, shop.example",
    "https://a.b.shop.example, https://c.b.shop.example, b.shop.example",
    "https://a.b.shop.example, https://b.shop.example, b.shop.example",
    "https://wait.shop.co.kr, https://www.shop.co.kr, shop.co.kr",
    "http://wait.shop.localhost, http://shop.localhost, shop.localhost",
  })
  void cookie_sharedDomain_isTheLongest(String naru, String site, String domain) {
    assertThat(cookie(naru, site))
        .hasValueSatisfying(c -> assertThat(c.getDomain()).isEqualTo(domain));
  }

  @ParameterizedTest
  @CsvSource({
    "https://wait.shop.example, https://other.example",
    "https://wait.example, https://shop.example",
    "https://wait.shop.example, https://shop.test",
    "https://xshop.example, https://shop.example",
    "http://naru, http://shop",
    "http://wait.localhost, http://shop.localhost",
    "http://localhost, http://127.0.0.1",
    "http://10.0.0.1, http://10.1.0.1",
    "http://10.1.0.1, http://20.1.0.1",
    "http://[fd00::1], http://[fd00::2]",
    "https://wait.shop.example., https://shop.example.",
    "https://wait.shop.example., https://shop.example",
    "http://a.0x1, http://b.a.0x1",
  })
  void cookie_nothingShared_cannotBe(String naru, String site) {
    assertThat(cookie(naru, site)).isEmpty();
  }

  @Test
  void cookie_isForTheSiteAlone() {
    Cookie https = cookie("http://shop.example", "https://shop.example").orElseThrow();
    Cookie http = cookie("https://shop.example", "http://shop.example").orElseThrow();

    assertThat(https.encode()).isEqualTo("naru-pass=x; Path=/; Secure; HTTPOnly; SameSite=Lax");
    assertThat(http.encode()).isEqualTo("naru-pass=x; Path=/; HTTPOnly; SameSite=Lax");
  }

  @ParameterizedTest
  @CsvSource({
    "https://shop.example/sale?a=1#b, https://shop.example",
    "https://Shop.Example:8443, https://shop.example:8443",
    "http://[::1]:80/x, http://[::1]:80",
    "http://my_host:8080/, http://my_host:8080",
  })
  void origin_isWhatPathsAreAddedTo(String url, String origin) {
    assertThat(Site.of(url).origin()).isEqualTo(origin);
  }

  @Test
  void source_whatAPolicyCannotName_isLeftOut() {
    assertThat(Origins.source(Site.of("https://shop.example:8443/sale")))
        .isEqualTo(" https://shop.example:8443");
    assertThat(Origins.source(Site.of("http://[::1]:8080/"))).isEmpty();
    assertThat(Origins.source(Site.of("http://my_host:8080/"))).isEmpty();
  }
}
