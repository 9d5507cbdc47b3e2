package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.support.Seeded;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The quick reader means what the exact one means. */
class RecordScanTest {

  @Test
  void read_everyRecordOfTheseKinds_isTheSame() {
    Seeded.histories(
        5_000,
        random -> {
          LogRecord event = RecordsTest.random(random);
          byte[] text = Hashes.utf8(" " + Records.write(event) + ",");
          var scan = new RecordScan();
          boolean isHot =
              event instanceof LogRecord.Join
                  || event instanceof LogRecord.Settle
                  || event instanceof LogRecord.Enter
                  || event instanceof LogRecord.End
                  || event instanceof LogRecord.Pass
                  || event instanceof LogRecord.Back;
          assertThat(scan.read(text, 1, text.length - 2)).isEqualTo(isHot);
          if (isHot) {
            assertThat(scan.event()).isEqualTo(event);
          }
        });
  }

  @Test
  void read_whatSomebodyBroke_isTakenOnlyIfTheExactOneTakesIt() {
    var scan = new RecordScan();
    Seeded.histories(
        20_000,
        random -> {
          byte[] text = Hashes.utf8(Records.write(RecordsTest.random(random)));
          int length = text.length;
          for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(length);
            switch (random.nextInt(4)) {
              case 0 -> text[at] = text[random.nextInt(length)];
              case 1 -> text[at] = (byte) "0-,\"[]n e\\".charAt(random.nextInt(10));
              case 2 -> length = Math.max(1, at);
              default -> text[at] ^= (byte) (1 << random.nextInt(7));
            }
          }
          if (scan.read(text, 0, length)) {
            String broken = new String(text, 0, length, StandardCharsets.UTF_8);
            assertThat(Records.read(broken)).as(broken).isEqualTo(scan.event());
          }
        });
  }

  @Test
  void read_whatIsAlmostSo_isNot() {
    var scan = new RecordScan();
    for (String wrong :
        List.of(
            "",
            "[\"enter\"",
            "[\"enter\",1,2,3,4",
            "[\"enter\",1,2,3,4]]",
            "[\"enter\",01,2,3,4]",
            "[\"enter\",-0,2,3,4]",
            "[\"enter\",1,2,3,]",
            "[\"enter\",1,2,3,1234567890123456789]",
            "[\"end\",1,2,3,\"LEFT\"]",
            "[\"end\",1,2,3,\"GONE\",\"\"]",
            "[\"settle\",1,2,3,\"\",null,1]",
            "[\"join\",1,2,3,\"" + "AB".repeat(32) + "\",\"\",null,1]",
            "[\"join\",1,2,3,\"" + "ab".repeat(31) + "\",\"\",null,1]",
            "[\"join\",1,2,3,\"" + "ab".repeat(32) + "\",\"\",nil,1]")) {
      byte[] text = Hashes.utf8(wrong);
      assertThat(scan.read(text, 0, text.length)).as(wrong).isFalse();
    }
  }
}
