package io.naru.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SigningTest {

  /** The vector of the reference libraries. */
  @Test
  void sign_isAsTheStandardHasIt() {
    assertThat(
            Signing.sign(
                List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1614265330,
                "{\"test\": 2432232314}"))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void secret_isNewEachTime_andOfTheLengthThatTheStandardAsksFor() {
    assertThat(Signing.secret()).matches("whsec_[A-Za-z0-9+/]{43}=");
    assertThat(Signing.secret()).isNotEqualTo(Signing.secret());
  }

  @Test
  void sign_withSeveralSecrets_isTakenByWhoKnowsAnyOfThem() throws Exception {
    String first = Signing.secret();
    String second = Signing.secret();
    long now = Instant.now().getEpochSecond();
    String body = "{\"type\":\"queue.opened\",\"한\":\"글\"}";
    Map<String, List<String>> headers =
        Map.of(
            "webhook-id",
            List.of("msg_1"),
            "webhook-timestamp",
            List.of(Long.toString(now)),
            "webhook-signature",
            List.of(Signing.sign(List.of(first, second), "msg_1", now, body)));

    new Webhook(first).verify(body, headers);
    new Webhook(second).verify(body, headers);

    assertThatThrownBy(() -> new Webhook(Signing.secret()).verify(body, headers))
        .isInstanceOf(WebhookVerificationException.class);
    assertThatThrownBy(() -> new Webhook(first).verify(body + " ", headers))
        .isInstanceOf(WebhookVerificationException.class);
  }
}
