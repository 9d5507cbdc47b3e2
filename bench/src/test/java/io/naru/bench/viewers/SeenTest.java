package io.naru.bench.viewers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SeenTest {

  private static final List<Admission> TWO_ADMISSIONS =
      List.of(new Admission(ms(1_000), 20), new Admission(ms(2_000), 20));

  private final Seen seen = new Seen();
  private final Histogram histogram = Seen.histogram();

  @Test
  void addMoved_eachStepShown_countsFromItsAdmission() {
    shown(0, 100, 500);
    shown(0, 80, 1_003);
    shown(0, 60, 2_005);
    assertThat(seen.addMoved(TWO_ADMISSIONS, _ -> histogram)).isZero();
    assertMillis(3, 5);
  }

  @Test
  void addMoved_stepLeftOut_countsFromTheEarlierAdmissionToo() {
    shown(0, 100, 500);
    shown(0, 60, 2_005);
    assertThat(seen.addMoved(TWO_ADMISSIONS, _ -> histogram)).isZero();
    assertMillis(5, 1_005);
  }

  @Test
  void addMoved_stepNeverShown_isMissed() {
    shown(0, 100, 500);
    shown(1, 200, 500);
    shown(0, 80, 1_003);
    assertThat(seen.addMoved(TWO_ADMISSIONS, _ -> histogram)).isEqualTo(3);
    assertMillis(3);
  }

  @Test
  void addMoved_admittedWithTheSecond_owesOnlyTheFirst() {
    shown(0, 30, 500);
    shown(0, 10, 1_002);
    assertThat(seen.addMoved(TWO_ADMISSIONS, _ -> histogram)).isZero();
    assertMillis(2);
  }

  @Test
  void addMoved_letInBeforeTheStepWasShown_countsUntilThen() {
    shown(0, 30, 500);
    seen.entered(0, ms(2_006));
    assertThat(seen.addMoved(TWO_ADMISSIONS, _ -> histogram)).isZero();
    assertMillis(1_006);
  }

  @Test
  void addEntered_countsFromTheAdmissionThatReachedThem() {
    for (int viewer = 0; viewer < 4; viewer++) {
      shown(viewer, 20 * viewer + 20, 500);
    }
    seen.entered(0, ms(1_004));
    seen.entered(1, ms(2_006));
    assertThat(seen.addEntered(TWO_ADMISSIONS, histogram)).isZero();
    assertMillis(4, 6);
  }

  @Test
  void addEntered_neverTold_isMissed() {
    shown(0, 21, 500);
    assertThat(seen.addEntered(TWO_ADMISSIONS, histogram)).isEqualTo(1);
  }

  @Test
  void shown_placeGoesUpOrIsOlder_isNoticed() {
    seen.asked(0, 0);
    seen.shown(0, 10, 5, ms(1));
    seen.shown(0, 9, 6, ms(2));
    assertThat(seen.backwards()).isZero();
    seen.shown(0, 10, 7, ms(3));
    assertThat(seen.backwards()).isEqualTo(1);
    seen.shown(0, 9, 6, ms(4));
    assertThat(seen.backwards()).isEqualTo(2);
  }

  @Test
  void writeTo_readFrom_givesTheSameFigures() throws IOException {
    shown(0, 100, 500);
    shown(1, 30, 500);
    shown(0, 80, 1_003);
    seen.entered(1, ms(2_007));
    seen.failed("the first");
    seen.failed("another");
    var bytes = new ByteArrayOutputStream();
    seen.writeTo(new DataOutputStream(bytes));
    var same = Seen.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));

    assertThat(same.addMoved(TWO_ADMISSIONS, _ -> histogram))
        .isEqualTo(seen.addMoved(TWO_ADMISSIONS, _ -> Seen.histogram()));
    assertThat(same.addEntered(TWO_ADMISSIONS, histogram)).isZero();
    assertMillis(3, 7, 1_007);
    assertThat(same.watching()).isEqualTo(2);
    assertThat(same.events()).isEqualTo(4);
    assertThat(same.failures()).isEqualTo(2);
    assertThat(same.firstFailure()).isEqualTo("the first");
    assertThat(same.whenEntered()).containsExactly(0, ms(2_007));
  }

  private void shown(int viewer, int position, long millis) {
    seen.asked(viewer, 1);
    seen.shown(viewer, position, millis, ms(millis));
  }

  private static long ms(long millis) {
    return millis * 1_000_000;
  }

  private void assertMillis(long... millis) {
    assertThat(histogram.getTotalCount()).isEqualTo(millis.length);
    var values = new long[millis.length];
    int n = 0;
    for (var recorded : histogram.recordedValues()) {
      values[n++] = Math.round(recorded.getValueIteratedTo() / 1e3);
    }
    assertThat(values).containsExactly(millis);
  }
}
