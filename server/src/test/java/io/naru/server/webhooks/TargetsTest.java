package io.naru.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.net.Networks;
import io.naru.queue.InvalidValue;
import io.naru.server.webhooks.Targets.Names;
import io.naru.server.webhooks.Targets.Refused;
import io.naru.server.webhooks.Targets.Target;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever makes a webhook makes us call: nobody gets at what is behind us. */
class TargetsTest {

  private static final Networks TEN = Networks.parse("", "10.0.0.0/8,fd00::/8");

  private static Names names(String... literals) {
    return _ -> Stream.of(literals).map(InetAddress::ofLiteral).toList();
  }

  private static Target resolve(String url, String... literals) throws Refused {
    return new Targets(null, names(literals)).resolve(url);
  }

  @Test
  void resolve_public_isThatVeryAddress() throws Refused {
    assertThat(resolve("https://Shop.example/a/b?c=d", "93.184.215.14"))
        .isEqualTo(new Target(true, "shop.example", "93.184.215.14", 443, "/a/b?c=d"));
    assertThat(resolve("https://shop.example:8443", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"))
        .isEqualTo(
            new Target(true, "shop.example", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", 8443, "/"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.8.9.10",
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "192.0.0.1",
        "198.18.0.1",
        "203.0.113.7",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "fe80::1",
        "fec0::1",
        "fd00::1",
        "ff02::1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1"
      })
  void resolve_notPublic_isRefused(String literal) {
    assertThatThrownBy(() -> resolve("https://shop.example/", literal))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("not a public address")
        .hasMessageContaining("--webhook-allow");
  }

  @Test
  void resolve_several_takesTheFirstThatMayBeCalled() throws Refused {
    assertThat(resolve("https://shop.example/", "10.0.0.1", "93.184.215.14").address())
        .isEqualTo("93.184.215.14");
  }

  /** What is looked at is what is called: nobody looks the name up a second time. */
  @Test
  void resolve_looksUpOnce() throws Refused {
    Deque<String> answers = new ArrayDeque<>(List.of("93.184.215.14", "127.0.0.1"));
    var targets = new Targets(null, _ -> List.of(InetAddress.ofLiteral(answers.removeFirst())));

    assertThat(targets.resolve("https://rebind.example/").address()).isEqualTo("93.184.215.14");

    assertThat(answers).hasSize(1);
    assertThatThrownBy(() -> targets.resolve("https://rebind.example/"))
        .isInstanceOf(Refused.class);
  }

  @Test
  void resolve_unknown_isRefused() {
    var targets =
        new Targets(
            null,
            host -> {
              throw new UnknownHostException(host);
            });

    assertThatThrownBy(() -> targets.resolve("https://shop.example/"))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("not known");
  }

  @Test
  void resolve_allowed_alsoWithoutTls() throws Refused {
    var targets = new Targets(TEN, names("10.2.3.4"));

    assertThat(targets.resolve("http://inside.example/x"))
        .isEqualTo(new Target(false, "inside.example", "10.2.3.4", 80, "/x"));
    assertThat(targets.resolve("https://inside.example/").port()).isEqualTo(443);
    assertThatThrownBy(
            () -> new Targets(TEN, names("93.184.215.14")).resolve("http://shop.example/"))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("without TLS");
    assertThatThrownBy(() -> new Targets(TEN, names("127.0.0.1")).resolve("https://a.example/"))
        .isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://shop.example",
        "https://shop.example:8443/hooks/1?a=b%20c",
        "HTTPS://shop.example/",
        "https://93.184.215.14/",
        "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/"
      })
  void check_good(String url) {
    assertThat(new Targets(null, names()).check(url)).isEqualTo(url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "shop.example",
        "http://shop.example/",
        "ftp://shop.example/",
        "file:///etc/passwd",
        "https:///hooks",
        "https://user@shop.example/",
        "https://shop.example@127.0.0.1/",
        "https://shop.example:pw@127.0.0.1/",
        "https://shop.example/#part",
        "https://shop.example:0/",
        "https://shop.example:65536/",
        "https://shop.example/ x",
        "https://shop.example/\nHost: a",
        "https://쇼핑.example/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://0.0.0.0/"
      })
  void check_bad_namesTheField(String url) {
    assertThatThrownBy(() -> new Targets(null, names()).check(url))
        .isInstanceOfSatisfying(InvalidValue.class, e -> assertThat(e.field()).isEqualTo("url"));
  }

  @Test
  void check_tooLongOrNoText() {
    var targets = new Targets(null, names());

    assertThatThrownBy(() -> targets.check("https://shop.example/" + "x".repeat(2_000)))
        .isInstanceOf(InvalidValue.class);
    assertThatThrownBy(() -> targets.check(null)).isInstanceOf(InvalidValue.class);
    assertThatThrownBy(() -> targets.check(7L)).isInstanceOf(InvalidValue.class);
  }
}
