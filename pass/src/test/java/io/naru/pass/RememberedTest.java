package io.naru.pass;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.pass.PassVerifier.Signed;
import org.junit.jupiter.api.Test;

class RememberedTest {

  private static final Signed SIGNED = new Signed("key", Forge.PASS);

  @Test
  void put_anyNumber_keepsTheBound() {
    var remembered = new Remembered(100);
    for (int i = 0; i < 10_000; i++) {
      remembered.put("token-" + i, SIGNED);
      assertThat(remembered.size()).isLessThanOrEqualTo(100);
    }
    assertThat(remembered.get("token-9999")).isSameAs(SIGNED);
    assertThat(remembered.get("token-1")).isNull();
  }

  @Test
  void get_tokenInUse_isNotPushedOut() {
    var remembered = new Remembered(100);
    remembered.put("busy", SIGNED);
    for (int i = 0; i < 10_000; i++) {
      remembered.put("token-" + i, SIGNED);
      assertThat(remembered.get("busy")).as("after %d", i).isSameAs(SIGNED);
    }
  }

  @Test
  void zero_remembersNothing() {
    var remembered = new Remembered(0);
    remembered.put("token", SIGNED);
    assertThat(remembered.get("token")).isNull();
  }
}
