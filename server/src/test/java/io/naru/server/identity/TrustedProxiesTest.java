package io.naru.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.InvalidValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.0.0.0, true",
    "10.0.0.0/8, 10.255.255.255, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.0.0.0/8, 9.255.255.255, false",
    "192.168.1.0/24, 192.168.1.255, true",
    "192.168.1.0/24, 192.168.2.0, false",
    "172.16.0.0/12, 172.31.255.255, true",
    "172.16.0.0/12, 172.32.0.0, false",
    "203.0.113.128/25, 203.0.113.128, true",
    "203.0.113.128/25, 203.0.113.127, false",
    "203.0.113.7, 203.0.113.7, true",
    "203.0.113.7, 203.0.113.6, false",
    "203.0.113.7/32, 203.0.113.7, true",
    "203.0.113.6/31, 203.0.113.7, true",
    "203.0.113.6/31, 203.0.113.8, false",
    "0.0.0.0/0, 198.51.100.1, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "fd00::/8, fd12:3456::1, true",
    "fd00::/8, fc00::1, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::1, false",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "::1, ::1, true",
    "::/0, ::1, true",
    "::/0, 127.0.0.1, false",
    "'10.0.0.0/8, 192.168.0.0/16', 192.168.3.4, true",
    "'10.0.0.0/8,fd00::/8', fd00::1, true",
    "10.0.0.0/8, 127.0.0.1, false",
    "10.0.0.0/8, ::1, false",
    "10.0.0.0/8, ::ffff:10.1.2.3, true",
    "fe80::/10, fe80::1%1, true"
  })
  void include_listed_byNetwork(String cidrs, String peer, boolean expected) {
    assertThat(TrustedProxies.parse(cidrs).include(peer)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1, true", "::1, true", "10.0.0.1, false", "fe80::1%1, false"})
  void include_byDefault_theSameMachine(String peer, boolean expected) {
    assertThat(TrustedProxies.SAME_MACHINE.include(peer)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "10.0.0.0/8,",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "10.0.0.0/x",
        "10.0.0.0/8/8",
        "fd00::/129",
        "localhost",
        "proxy.example",
        "10/8",
        "10.0/8",
        "10.0.0",
        "10.0.0.0.0/8",
        "0x0a.0.0.0/8",
        "10.0.0.256",
        "::1%lo",
        "*"
      })
  void parse_notANetwork_isRefusedAndNamed(String cidrs) {
    assertThatThrownBy(() -> TrustedProxies.parse(cidrs))
        .isInstanceOf(InvalidValue.class)
        .hasMessageContaining("trusted-proxies")
        .hasMessageContaining("10.0.0.0/8");
  }
}
