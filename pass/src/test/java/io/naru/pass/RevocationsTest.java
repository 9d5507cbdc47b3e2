package io.naru.pass;

import static io.naru.pass.Forge.HERE;
import static io.naru.pass.Forge.NOW;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.pass.Revocations.Checked;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RevocationsTest {

  private final PassKey key = PassKey.generate(Algorithm.ES256);
  private final Forge.Keys keys = new Forge.Keys(key);
  private final Revocations list =
      new Revocations(HERE.issuer(), NOW, "key-2", Set.of("key-1"), Set.of("pass-1", "pass-2"));

  @Test
  void verify_signedList_givesIt() {
    assertThat(Revocations.verify(list.sign(key), keys, HERE.issuer(), NOW))
        .isEqualTo(new Checked.Valid(list));
  }

  @Test
  void verify_oldFutureForeignOrForged_isRefused() {
    String token = list.sign(key);

    assertThat(Revocations.verify(token, keys, HERE.issuer(), NOW.plusSeconds(65)))
        .isEqualTo(new Checked.Refused(Reason.EXPIRED));
    assertThat(Revocations.verify(token, keys, HERE.issuer(), NOW.minusSeconds(6)))
        .isEqualTo(new Checked.Refused(Reason.NOT_YET_VALID));
    assertThat(Revocations.verify(token, keys, "https://other", NOW))
        .isEqualTo(new Checked.Refused(Reason.ISSUER));
    assertThat(
            Revocations.verify(
                list.sign(PassKey.generate(Algorithm.ES256)), keys, HERE.issuer(), NOW))
        .isEqualTo(new Checked.Refused(Reason.UNKNOWN_KEY));
    assertThat(Revocations.verify(new Forge(key).signed(), keys, HERE.issuer(), NOW))
        .as("a pass")
        .isEqualTo(new Checked.Refused(Reason.TYPE));
    assertThat(Revocations.verify("junk", keys, HERE.issuer(), NOW))
        .isEqualTo(new Checked.Refused(Reason.MALFORMED));
  }

  @Test
  void verify_listOfAnythingButTexts_isRefused() {
    for (Object wrong : new Object[] {1, "pass-1", java.util.List.of(1)}) {
      String token =
          new Forge(key)
              .header("typ", Revocations.TYPE)
              .claim("kids", java.util.List.of())
              .claim("jtis", wrong)
              .signed();
      assertThat(Revocations.verify(token, keys, HERE.issuer(), NOW))
          .isEqualTo(new Checked.Refused(Reason.CLAIMS));
    }
  }

  @Test
  void verify_listSignedWithARevokedKey_isRefused() {
    keys.revokedKeys.add(key.id());

    assertThat(Revocations.verify(list.sign(key), keys, HERE.issuer(), NOW))
        .isEqualTo(new Checked.Refused(Reason.REVOKED_KEY));
  }

  @Test
  void fullList_fits() {
    Set<String> keyIds =
        IntStream.range(0, Revocations.MAX_KEY_IDS).mapToObj("%043d"::formatted).collect(toSet());
    Set<String> passIds =
        IntStream.range(0, Revocations.MAX_PASS_IDS).mapToObj("%032d"::formatted).collect(toSet());
    var full = new Revocations(HERE.issuer(), NOW, "key-2", keyIds, passIds);

    assertThat(Revocations.verify(full.sign(key), keys, HERE.issuer(), NOW))
        .isEqualTo(new Checked.Valid(full));
    Set<String> oneMore =
        IntStream.rangeClosed(0, Revocations.MAX_PASS_IDS)
            .mapToObj("%d"::formatted)
            .collect(toSet());
    assertThatThrownBy(() -> new Revocations(HERE.issuer(), NOW, "key-2", keyIds, oneMore))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1000");
  }
}
