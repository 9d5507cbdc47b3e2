package io.naru.fair;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Recomputes all that a log says: the roots, each draw, every admission. It reads a log once, from
 * its beginning, and needs about 130 bytes per person and 32 per record.
 *
 * <p>What it cannot know by itself visitors' receipts tell: a log that was changed as a whole, and
 * signed anew, is true to itself and to nobody who holds a receipt of the other one.
 */
public final class Verifier {

  private final Drand chain;

  /** With draws by the coin that all servers use. */
  public Verifier() {
    this(Drand.QUICKNET);
  }

  public Verifier(Drand chain) {
    this.chain = chain;
  }

  public Report verify(LogSource source) throws IOException {
    return verify(source, List.of());
  }

  /**
   * @param receipts of visitors, as files; they are checked against the log
   * @throws RefusedLog if there is no log that could be checked
   */
  public Report verify(LogSource source, List<String> receipts) throws IOException {
    var log = new LogCheck(chain);
    source.read(log);
    Note.Verifier key;
    try {
      key = Note.Verifier.of(source.header().key());
    } catch (IllegalArgumentException e) {
      throw new RefusedLog("the key of the log: " + e.getMessage(), e);
    }
    Findings findings = log.findings;
    checkOwn(log, source.header(), key);
    List<Checkpoint> seen = new ArrayList<>();
    for (int i = 0; i < receipts.size(); i++) {
      Checkpoint checkpoint = checkReceipt(log, i + 1, receipts.get(i), key);
      if (checkpoint != null) {
        seen.add(checkpoint);
      }
    }
    log.draws.forEach(draw -> draw.judge(seen, log.opening()));
    log.remark();
    List<Finding> found = new ArrayList<>(findings.kept());
    found.sort(Comparator.comparingLong(Finding::record));
    return new Report(
        log.tree.size(),
        log.people.count(),
        log.admitted(),
        found,
        findings.counts(),
        findings.remarks());
  }

  /** What the log itself was signed as. */
  private static void checkOwn(LogCheck log, LogSource.Header header, Note.Verifier key) {
    Findings findings = log.findings;
    long last = -1;
    for (String note : log.checkpoints) {
      Checkpoint checkpoint;
      try {
        checkpoint = Checkpoint.open(note, key);
      } catch (IllegalArgumentException e) {
        findings.add("checkpoint-forged", String.valueOf(e.getMessage()));
        continue;
      }
      if (!checkpoint.origin().equals(header.origin())) {
        findings.add("checkpoint-forged", "a checkpoint of " + checkpoint.origin());
      }
      last = Math.max(last, checkpoint.size());
      compare(log, checkpoint, "a checkpoint", false);
    }
    long size = log.tree.size();
    if (last < 0) {
      findings.add("checkpoint-missing", "nothing is signed");
    } else if (size > last) {
      findings.add("inserted", size - last + " more records than the last checkpoint has");
    }
  }

  /** Whether the log was what somebody signed. */
  private static void compare(
      LogCheck log, Checkpoint checkpoint, String what, boolean isVisitors) {
    long size = checkpoint.size();
    if (size > log.tree.size()) {
      log.findings.add(
          "removed", what + " has " + size + " records, the log has " + log.tree.size());
    } else if (!MessageDigest.isEqual(log.tree.root(size), checkpoint.root())) {
      log.findings.add(
          isVisitors ? "forked-checkpoint" : "changed",
          what + " of " + size + " records has another root than these records");
    }
  }

  private static @Nullable Checkpoint checkReceipt(
      LogCheck log, int number, String text, Note.Verifier key) {
    String what = "receipt " + number;
    Receipt receipt;
    Checkpoint checkpoint;
    try {
      receipt = Receipt.read(text);
      checkpoint = receipt.verify(key);
    } catch (IllegalArgumentException e) {
      log.findings.add("receipt-false", what + ": " + e.getMessage());
      return null;
    }
    compare(log, checkpoint, what, true);
    byte[] hash = Merkle.leafHash(Hashes.utf8(receipt.record()));
    boolean isThere =
        receipt.index() < log.tree.size()
            && MessageDigest.isEqual(log.tree.leafHash(receipt.index()), hash);
    if (!isThere) {
      boolean isElsewhere = log.people.find(receipt.joined()) >= 0;
      log.findings.add(
          isElsewhere ? "swapped" : "removed",
          what + ": its record is not record " + receipt.index() + " of the log");
    }
    return checkpoint;
  }
}
