package io.naru.fair;

import io.naru.fair.Truth.Person;
import io.naru.queue.Micros;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How long it takes to verify a large opening: {@code VerifySpeed FILE PEOPLE} writes the export of
 * one, and verifies it a few times.
 */
final class VerifySpeed {

  private VerifySpeed() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    if (!Files.exists(file)) {
      write(file, Integer.parseInt(args[1]));
    }
    LogSource source = Export.open(file);
    for (int i = 0; i < 3; i++) {
      long start = System.nanoTime();
      Duration before = cpu();
      Report report = new Verifier(Truth.CHAIN.drand()).verify(source);
      System.out.printf(
          "%d people, %d records, %d findings: %.2f s, of that %.2f s of a processor%n",
          report.people(),
          report.records(),
          report.findings().size(),
          (System.nanoTime() - start) / 1e9,
          cpu().minus(before).toMillis() / 1e3);
      report.findings().stream().limit(5).forEach(System.out::println);
    }
  }

  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static void write(Path file, int people) throws IOException {
    long opening = 10_000 * Truth.SECOND;
    Map<String, Object> settings =
        Map.of(
            "lobbyOpensAt",
            Micros.toInstant(Truth.START - 1).toString(),
            "opensAt",
            Micros.toInstant(opening).toString(),
            "draw",
            "COIN",
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
      truth.openLobby();
      for (int i = 0; i < people; i++) {
        truth.tick(1_000);
        truth.join("u:" + i);
      }
      truth.now = Math.max(truth.now, opening);
      truth.close();
      truth.settleAll(truth.draw(truth.seal()), 2_000);
      List<Person> in = new ArrayList<>();
      do {
        truth.tick(Truth.SECOND);
        in.forEach(person -> truth.end(person, "COMPLETED", ""));
        in = truth.admit();
      } while (!in.isEmpty());
      var checkpoint = new Checkpoint(Truth.ORIGIN, tree.size(), tree.root(), truth.now);
      writer.checkpoint(checkpoint.sign(Truth.SIGNER));
      writer.finish();
    }
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
