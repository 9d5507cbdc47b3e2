package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A link to one's place is good for some minutes, and for nobody who makes one up. */
class HandoffCodesTest {

  private static final EntryKey ENTRY = new EntryKey(new QueueId("SALE", "1"), "ann", 5_000);

  private Instant now = Instant.parse("2027-03-01T10:00:00.500Z");
  private final HandoffCodes codes = new HandoffCodes(new Secret(new byte[32]), () -> now);

  @Test
  void read_untilItIsOver_andNotLater() {
    HandoffCodes.Code code = codes.codeOf(ENTRY);
    assertThat(code.until()).isEqualTo(Instant.parse("2027-03-01T10:05:00Z"));
    assertThat(codes.read(code.text())).contains(ENTRY);

    now = code.until().minusMillis(1);
    assertThat(codes.read(code.text())).contains(ENTRY);

    now = code.until();
    assertThat(codes.read(code.text())).isEmpty();
    now = code.until().plus(Duration.ofDays(1));
    assertThat(codes.read(code.text())).isEmpty();
  }

  @Test
  void read_whatIsNoCode_isNothing() {
    String code = codes.codeOf(ENTRY).text();
    var others = new byte[32];
    others[0] = 1;

    assertThat(new HandoffCodes(new Secret(others), () -> now).read(code)).isEmpty();
    assertThat(codes.read(code.substring(1))).isEmpty();
    assertThat(codes.read("")).isEmpty();
    // A token names the same entry, for ever.
    assertThat(codes.read(new EntryTokens(new Secret(new byte[32])).tokenOf(ENTRY))).isEmpty();
  }
}
