package io.naru.fair;

import io.naru.queue.Fairness;
import java.util.Arrays;
import java.util.BitSet;
import javax.crypto.Mac;

/**
 * Whether those who came within a jitter or a window were put in order by the seed whose hash had
 * been published. The seed is known when all is over, so what happened is noted until then.
 *
 * <pre>
 * j      = HMAC(seed, joined as decimal text), the first 8 bytes, unsigned
 * jitter: due = joined + j mod (jitter + 1 µs); in the order of due, then j
 * window: due = its end; in the order of j. It begins with whoever comes when there is none, and
 *         ends its time later, or with the 10,000th
 * </pre>
 */
final class WindowCheck {

  private static final int MOST = 10_000;
  private static final long MILLI = 1_000;

  private final Findings findings;
  private final People people;

  private long jitter;
  private long window;

  /** When the window ends in which whoever comes now is, and how many are in it. */
  private long windowEnd = Long.MIN_VALUE;

  private int inWindow;
  private int windowFrom;

  // Of those who came, by number: when they are due at the latest, and the jitter they came under.
  private long[] due = new long[64];
  private long[] jitters = new long[64];
  private final BitSet isOurs = new BitSet();

  // What was settled, in order.
  private int[] settled = new int[64];
  private long[] settledAt = new long[64];
  private long[] settledIn = new long[64];
  private long[] settledChange = new long[64];
  private int count;

  WindowCheck(Findings findings, People people) {
    this.findings = findings;
    this.people = people;
  }

  void rules(Fairness fairness) {
    long nextJitter = fairness.jitterMillis() * MILLI;
    long nextWindow = fairness.fairWindowMillis() * MILLI;
    if (nextJitter != jitter || nextWindow != window) {
      // Whoever came under another rule is due by neither.
      int[] waiting =
          isOurs.stream().filter(person -> people.state(person) == People.UNSETTLED).toArray();
      for (int person : waiting) {
        isOurs.clear(person);
      }
      begin();
    }
    jitter = nextJitter;
    window = nextWindow;
  }

  /** Whoever comes next begins a window. */
  void begin() {
    windowEnd = Long.MIN_VALUE;
  }

  boolean isOn() {
    return jitter > 0 || window > 0;
  }

  /** Somebody came who has no place yet. */
  void join(int person, long joined) {
    if (!isOn()) {
      return;
    }
    if (person >= due.length) {
      int room = Math.max(person + 1, 2 * due.length);
      due = Arrays.copyOf(due, room);
      jitters = Arrays.copyOf(jitters, room);
    }
    isOurs.set(person);
    jitters[person] = jitter;
    if (window > 0) {
      if (joined >= windowEnd || inWindow >= MOST) {
        windowEnd = joined + window;
        inWindow = 0;
        windowFrom = person;
      }
      inWindow++;
      due[person] = windowEnd;
      if (inWindow == MOST) {
        endWindow(person, joined);
      }
    } else {
      due[person] = joined;
    }
  }

  private void endWindow(int last, long joined) {
    for (int i = windowFrom; i <= last; i++) {
      due[i] = joined;
    }
    windowEnd = joined;
  }

  /** Their place is decided by other rules. */
  void except(int person) {
    isOurs.clear(person);
  }

  boolean isOurs(int person) {
    return isOurs.get(person);
  }

  void settle(int person, int band, long at, long change) {
    if (count == settled.length) {
      settled = Arrays.copyOf(settled, 2 * count);
      settledAt = Arrays.copyOf(settledAt, 2 * count);
      settledIn = Arrays.copyOf(settledIn, 2 * count);
      settledChange = Arrays.copyOf(settledChange, 2 * count);
    }
    settled[count] = person;
    settledAt[count] = at;
    settledChange[count] = change;
    // The record comes along, for whoever reads a finding.
    settledIn[count++] = findings.record << 8 | (band & 0xff);
  }

  /** The seed is known: all that was noted is compared with it. */
  void reveal(byte[] seed) {
    Mac mac = Hashes.hmac(seed);
    long[] lastDue = new long[256];
    long[] lastJ = new long[256];
    long[] lastChange = new long[256];
    Arrays.fill(lastDue, Long.MIN_VALUE);
    for (int i = 0; i < count; i++) {
      int person = settled[i];
      int lane = (int) (settledIn[i] & 0xff);
      long record = settledIn[i] >> 8;
      String joined = Long.toString(people.joined(person));
      long j = Bytes.getLong(mac.doFinal(Hashes.utf8(joined)), 0);
      long jittered = jitters[person];
      long when =
          jittered > 0 ? due[person] + Long.remainderUnsigned(j, jittered + 1) : due[person];
      if (settledAt[i] < when) {
        findings.addAt(
            record, "settled-out-of-order", "who joined at " + joined + " has a place too early");
      } else if (when < lastDue[lane]
          // Two moments that are the same, of which one came when the other was over.
          || (when == lastDue[lane]
              && (jittered == 0 || settledChange[i] == lastChange[lane])
              && Long.compareUnsigned(j, lastJ[lane]) < 0)) {
        findings.addAt(
            record,
            "settled-out-of-order",
            "who joined at " + joined + " comes before the one in front, by the seed");
      }
      lastDue[lane] = when;
      lastJ[lane] = j;
      lastChange[lane] = settledChange[i];
    }
    count = 0;
  }

  /** How many wait for a seed. */
  int unchecked() {
    return count;
  }
}
