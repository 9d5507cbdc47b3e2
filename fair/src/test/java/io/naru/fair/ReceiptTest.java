package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.naru.fair.LogRecord.Enter;
import io.naru.fair.LogRecord.Handoff;
import io.naru.fair.LogRecord.Join;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ReceiptTest {

  private static final QueueId QUEUE = QueueId.parse("CONCERT/2026");
  private static final String ORIGIN = "wait.example.com/queue/CONCERT/2026";
  private static final Secret SALTS = new Secret(new byte[32]).derive("salt");
  private static final Note.Signer SIGNER = new Note.Signer(ORIGIN, new byte[32]);

  private static String salt(String user) {
    return Leaves.salt(SALTS, QUEUE, user);
  }

  private static String leaf(long joined, String user) {
    return Leaves.text(Leaves.leaf(QUEUE, joined, user, salt(user)));
  }

  private static Receipt receipt(int index, long joined, String user, List<LogRecord> log) {
    var frontier = new Frontier();
    Map<String, byte[]> nodes = new HashMap<>();
    log.forEach(
        event ->
            frontier.append(
                Merkle.leafHash(Hashes.utf8(Records.write(event))),
                (height, number, hash) -> nodes.put(height + "/" + number, hash)));
    var checkpoint = new Checkpoint(ORIGIN, log.size(), frontier.root(), 1_000);
    return new Receipt(
        ORIGIN,
        QUEUE,
        joined,
        user,
        salt(user),
        index,
        Records.write(log.get(index)),
        Merkle.inclusion(
            index,
            log.size(),
            (height, number) -> Objects.requireNonNull(nodes.get(height + "/" + number))),
        checkpoint.sign(SIGNER),
        SIGNER.verifier().toString());
  }

  private static List<LogRecord> log() {
    List<LogRecord> log = new ArrayList<>();
    log.add(new Join(1, 100, 100, leaf(100, "u:mina 나루"), "", 100L, 1));
    log.add(new Join(1, 100, 101, leaf(101, "u:2"), "", 101L, 2));
    log.add(new Enter(2, 200, 100, 300));
    log.add(new Handoff(3, 250, 101, 250, leaf(250, "u:phone")));
    log.add(new Join(4, 300, 300, leaf(300, "u:3"), "vip", null, 0));
    return log;
  }

  @Test
  void verify_whatWasGivenOut() {
    Receipt join = receipt(0, 100, "u:mina 나루", log());
    Receipt taken = receipt(3, 250, "u:phone", log());

    assertThat(join.verify().size()).isEqualTo(5);
    assertThat(taken.verify(SIGNER.verifier()).at()).isEqualTo(1_000);
    assertThat(Receipt.read(join.write()).write()).isEqualTo(join.write());
    assertThat(join.write()).startsWith("{\"naruReceipt\":1,\"origin\":\"" + ORIGIN + "\",");
  }

  @Test
  void verify_anyByteChanged_fails() {
    byte[] bytes = receipt(0, 100, "u:mina 나루", log()).write().getBytes(StandardCharsets.UTF_8);
    assertThatCode(() -> check(bytes)).doesNotThrowAnyException();
    for (int i = 0; i < bytes.length; i++) {
      byte was = bytes[i];
      for (int change = 1; change < 256; change = change < 2 ? 32 : change * 2 + 1) {
        bytes[i] = (byte) (was ^ change);
        assertThatIllegalArgumentException()
            .as("byte %d, %c to %c", i, (char) was, (char) bytes[i])
            .isThrownBy(() -> check(bytes));
      }
      bytes[i] = was;
    }
  }

  private static void check(byte[] bytes) {
    Receipt.read(new String(bytes, StandardCharsets.UTF_8)).verify();
  }

  @Test
  void verify_ofSomebodyElse_fails() {
    Receipt mine = receipt(0, 100, "u:mina 나루", log());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> receipt(1, 100, "u:mina 나루", log()).verify())
        .withMessage("the record is not of this entry");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> receipt(2, 100, "u:mina 나루", log()).verify())
        .withMessage("the record is not of this entry");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> receipt(3, 101, "u:2", log()).verify())
        .withMessage("the record is not of this entry");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> mine.verify(new Note.Signer(ORIGIN, Hashes.utf8("x".repeat(32))).verifier()))
        .withMessage("the receipt has another key than the log");
  }

  @Test
  void verify_ofAnotherQueue_fails() {
    Receipt mine = receipt(0, 100, "u:mina 나루", log());
    var other =
        new Receipt(
            mine.origin(),
            QueueId.parse("CONCERT/2027"),
            mine.joined(),
            mine.user(),
            mine.salt(),
            mine.index(),
            mine.record(),
            mine.proof(),
            mine.checkpoint(),
            mine.key());

    assertThatIllegalArgumentException()
        .isThrownBy(other::verify)
        .withMessage("the log " + ORIGIN + " is not of CONCERT/2027");
  }

  @Test
  void read_whatIsNoReceipt_isRefused() {
    String good = receipt(0, 100, "u:mina 나루", log()).write();
    for (String wrong :
        List.of(
            "",
            "{}",
            "[]",
            good + " ",
            good.replace("\"salt\"", "\"sald\""),
            good.replace("\"joined\":100", "\"joined\":1e2"),
            good.replace("\"joined\":100", "\"joined\":-100"),
            good.replace("\"joined\":100", "\"joined\":\"100\""),
            good.replace("\"proof\":[", "\"proof\":[7,"),
            good.replace("CONCERT", "concert"))) {
      assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> Receipt.read(wrong));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Receipt.read(good.replace("\"naruReceipt\":1", "\"naruReceipt\":2")))
        .withMessage("a receipt of format 2; this version of Naru knows format 1");
  }

  @Test
  void leaf_isTheHashOfTheTextInTheManual() {
    assertThat(salt("u:1")).hasSize(32).isNotEqualTo(salt("u:2"));
    assertThat(Leaves.leaf(QUEUE, 7, "u:1", "00112233445566778899aabbccddeeff"))
        .isEqualTo(
            Hashes.sha256(
                new byte[1],
                Hashes.utf8(
                    "naru-entry/1\nCONCERT/2026\n7\nu:1\n00112233445566778899aabbccddeeff\n")));
  }
}
