package io.naru.fair;

import io.naru.fair.Truth.Person;
import io.naru.queue.Micros;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An opening at which a great many were drawn, went in and were done, as an export: something large
 * to verify. By the seed alone, since the public coin cannot be made.
 */
public final class LargeOpening {

  private static final long OPENING = 10_000 * Truth.SECOND;
  private static final int SETTLED_AT_ONCE = 2_000;

  private LargeOpening() {}

  /** Writes one; says how many records it has. */
  public static long write(Path file, int people) throws IOException {
    Map<String, Object> settings =
        Map.of(
            "lobbyOpensAt",
            Micros.toInstant(Truth.START - 1).toString(),
            "opensAt",
            Micros.toInstant(OPENING).toString(),
            "draw",
            "SEED",
            "maxCapacity",
            5_000,
            "entryBatchSize",
            1_000);
    var header =
        new LogSource.Header(Truth.ORIGIN, Truth.QUEUE, Truth.SIGNER.verifier().toString());
    var tree = new Frontier();
    try (var writer = new Export.Writer(Files.newOutputStream(file), header, "0.1.0-test")) {
      var truth =
          new Truth(
              settings,
              event -> {
                byte[] bytes = Hashes.utf8(Records.write(event));
                tree.append(Merkle.leafHash(bytes));
                write(() -> writer.record(bytes, 0, bytes.length));
              },
              list -> {
                for (int part = 0; part < list.parts(); part++) {
                  byte[] bytes = list.part(part);
                  write(() -> writer.leaves(1, bytes));
                }
              });
      play(truth, people);
      var checkpoint = new Checkpoint(Truth.ORIGIN, tree.size(), tree.root(), truth.now);
      writer.checkpoint(checkpoint.sign(Truth.SIGNER));
      writer.finish();
      return tree.size();
    }
  }

  private static void play(Truth truth, int people) {
    truth.openLobby();
    // All of them before it opens, however many.
    long apart = Math.max(1, (OPENING - Truth.START) / 2 / people);
    for (int i = 0; i < people; i++) {
      truth.tick(apart);
      truth.join("u:" + i);
    }
    truth.now = OPENING;
    truth.close();
    truth.settleAll(truth.draw(truth.seal()), SETTLED_AT_ONCE);
    List<Person> in = new ArrayList<>();
    do {
      truth.tick(Truth.SECOND);
      in.forEach(person -> truth.end(person, "COMPLETED", ""));
      in = truth.admit();
    } while (!in.isEmpty());
  }

  private interface Writing {
    void run() throws IOException;
  }

  private static void write(Writing writing) {
    try {
      writing.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
