package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.admission.Scheduler;
import io.naru.server.identity.SiteTokens;
import io.naru.server.identity.UserHeader;
import io.naru.server.keys.SigningKeys;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExposureTest {

  private static List<String> warnings(
      String bind, @Nullable String url, @Nullable String redis, @Nullable UserHeader header) {
    var visitors =
        new Naru.Visitors(
            TestServer.NAMED.proxies(),
            null,
            header,
            url == null ? null : URI.create(url),
            TestServer.NAMED.origins(),
            TestServer.NAMED.streams(),
            TestServer.NAMED.newcomers());
    return Exposure.warnings(
        new Naru.Config(
            8080,
            bind,
            Path.of("data"),
            redis,
            null,
            TestServer.KEY,
            TestServer.SITE_KEY,
            visitors,
            Naru.Watching.ANY_PORT,
            Scheduler.POLL,
            SigningKeys.Policy.DEFAULT));
  }

  @ParameterizedTest
  @CsvSource({
    "http://10.0.0.7/keys, true",
    "http://shop.example/keys, true",
    "http://127.0.0.1:8090/keys, false",
    "http://localhost/keys, false",
    "https://shop.example/keys, false",
    "/etc/naru/keys.json, false"
  })
  void keysOfTheSite_inTheClear_areWarnedOf(String jwks, boolean isWarned) {
    var site = new SiteTokens.Config("https://shop.example", "naru", jwks, null, null, "sub", null);
    Naru.Config c = TestServer.config(Path.of("data"), null);
    Naru.Visitors all = c.visitors();
    var visitors =
        new Naru.Visitors(
            all.proxies(),
            site,
            all.userHeader(),
            all.publicUrl(),
            all.origins(),
            all.streams(),
            all.newcomers());
    var config =
        new Naru.Config(
            c.port(),
            c.bind(),
            c.data(),
            c.redis(),
            c.ledger(),
            c.adminKey(),
            c.siteKey(),
            visitors,
            c.watching(),
            c.poll(),
            c.keys());
    assertThat(Exposure.warnings(config).toString().contains("--site-jwks https"))
        .isEqualTo(isWarned);
  }

  @Test
  void managementToOthers_saysThatNobodyIsAsked() {
    Naru.Config c = TestServer.config(Path.of("data"), null);
    for (String bind : List.of("127.0.0.1", "::1", "localhost", "0.0.0.0", "10.0.0.7", "::")) {
      var open =
          new Naru.Config(
              c.port(),
              c.bind(),
              c.data(),
              c.redis(),
              c.ledger(),
              c.adminKey(),
              c.siteKey(),
              c.visitors(),
              new Naru.Watching(bind, 0, 1),
              c.poll(),
              c.keys());
      boolean isOurs = List.of("127.0.0.1", "::1", "localhost").contains(bind);
      assertThat(Exposure.warnings(open)).hasSize(isOurs ? 0 : 1);
      assertThat(Exposure.warnings(open)).allMatch(w -> w.contains("--management-bind"));
    }
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1,", "::1,", "localhost,", "127.0.0.1, https://wait.example"})
  void onLoopback_nothingToSay(String bind, @Nullable String url) {
    assertThat(warnings(bind, url, "redis://127.0.0.1:6379", new UserHeader("User-Id"))).isEmpty();
  }

  @Test
  void toOthers_withoutAPublicUrl_saysWhatPassesWillName() {
    assertThat(warnings("192.0.2.7", null, null, null))
        .satisfiesExactly(
            url -> assertThat(url).contains("192.0.2.7", "--public-url"),
            clear -> assertThat(clear).contains("in the clear"));
  }

  @Test
  void toOthers_plainHttp_saysSo() {
    assertThat(warnings("0.0.0.0", "http://wait.example", null, null))
        .singleElement()
        .asString()
        .contains("in the clear", "https://");
    assertThat(warnings("0.0.0.0", "https://wait.example", null, null)).isEmpty();
  }

  @Test
  void toOthers_withAUserHeader_saysWhatItMeans() {
    assertThat(warnings("0.0.0.0", "https://wait.example", null, new UserHeader("X-Account")))
        .singleElement()
        .asString()
        .contains("X-Account", "is that visitor", "set or clear");
  }

  @ParameterizedTest
  @CsvSource({
    "redis://10.0.0.9:6379, true",
    "redis://redis.internal, true",
    "rediss://redis.internal/0, true",
    "'redis-sentinel://127.0.0.1,10.0.0.9/0#main', true",
    "'redis-cluster://10.0.0.9:1,10.0.0.8:2', true",
    "redis://:secret@10.0.0.9:6379, false",
    "redis://naru:secret@redis.internal, false",
    "redis://127.0.0.1:6379, false",
    "'redis-cluster://127.0.0.1:1,localhost:2', false",
    "redis://[::1]:6379/0, false"
  })
  void redisElsewhereWithoutAPassword_saysSo(String redis, boolean warns) {
    assertThat(warnings("127.0.0.1", null, redis, null)).hasSize(warns ? 1 : 0);
  }
}
