package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.naru.queue.QueueId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTest {

  @TempDir Path folder;

  /** With a draw, and enough people for a sum in between. */
  private static Told told() {
    var told = new Told();
    Map<String, Object> settings =
        Map.of(
            "lobbyOpensAt", "2026-01-01T00:00:10Z",
            "opensAt", "2026-01-01T00:20:00Z",
            "entryBatchSize", 1_000);
    var truth = new Truth(settings, told::add, told.lists::add);
    truth.openLobby();
    for (int i = 0; i < 5_000; i++) {
      truth.tick(10);
      truth.join("u:" + i);
    }
    truth.now = 1_200 * Truth.SECOND;
    truth.close();
    truth.seal();
    truth.settleAll(truth.draw(0), 2_000);
    truth.tick(Truth.SECOND);
    truth.admit();
    return told.sign();
  }

  private static List<String> lines(Path file) throws IOException {
    try (var in = new GZIPInputStream(Files.newInputStream(file))) {
      return new ArrayList<>(
          List.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)));
    }
  }

  private Path written(List<String> lines) throws IOException {
    Path file = Files.createTempFile(folder, "edited", ".gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }
    return file;
  }

  private static void assertRefused(Path file, String why) {
    assertThatExceptionOfType(RefusedLog.class)
        .isThrownBy(() -> Export.check(Export.open(file)))
        .withMessageContaining(why);
  }

  @Test
  void verify_whatWasExported_isClean() throws IOException {
    Told told = told();
    Path file = told.export(folder.resolve("export.gz"));
    LogSource source = Export.open(file, Truth.QUEUE);

    Report report = new Verifier(Truth.CHAIN.drand()).verify(source);

    assertThat(report.findings()).isEmpty();
    assertThat(report.people()).isEqualTo(5_000);
    assertThat(report.records()).isEqualTo(told.records.size());
    assertThat(source.header().origin()).isEqualTo(Truth.ORIGIN);
    assertThat(lines(file).stream().filter(line -> line.startsWith("{\"sum\""))).hasSize(6);
  }

  @Test
  void cutOff_anywhere_isRefusedWithTheLine() throws IOException {
    Path file = told().export(folder.resolve("export.gz"));
    byte[] bytes = Files.readAllBytes(file);
    for (int length : new int[] {0, 5, 20, 1_000, bytes.length / 2, bytes.length - 1}) {
      Path cut = folder.resolve("cut.gz");
      Files.write(cut, Arrays.copyOf(bytes, length));
      assertThatExceptionOfType(RefusedLog.class)
          .as("%d", length)
          .isThrownBy(() -> Export.check(Export.open(cut)));
    }
    List<String> lines = lines(file);
    assertRefused(written(lines.subList(0, 100)), "line 100: the file is cut off");
    assertRefused(written(lines.subList(0, lines.size() - 2)), "the file is cut off");
    List<String> noEnd = new ArrayList<>(lines.subList(0, lines.size() - 2));
    noEnd.add("");
    assertRefused(written(noEnd), "line " + (lines.size() - 1) + ": the file is cut off");
  }

  @Test
  void edited_anyLine_isRefusedWithThePlace() throws IOException {
    Path file = told().export(folder.resolve("export.gz"));
    List<String> lines = lines(file);
    for (int at : new int[] {1, 2, 500, 1_002, 4_321, lines.size() - 3}) {
      List<String> edited = new ArrayList<>(lines);
      edited.set(at, edited.get(at).replaceFirst("(\\d)(?=\\D*$)", "9$1"));
      assertThat(edited).isNotEqualTo(lines);
      assertRefused(written(edited), "somebody has edited what is before it");
    }
    List<String> edited = new ArrayList<>(lines);
    edited.set(1_500, edited.get(1_500).replace("join", "joim"));
    // The second sum is in line 2,002, the first in line 1,001.
    assertRefused(
        written(edited), "line 2002: somebody has edited what is before it, behind line 1001");
    edited = new ArrayList<>(lines);
    edited.remove(70);
    assertRefused(written(edited), "line 1000");
    edited = new ArrayList<>(lines);
    edited.add(70, "{\"nonsense\":1}");
    assertRefused(written(edited), "line 71: nothing that an export has");
    edited = new ArrayList<>(lines);
    edited.add(70, "{nonsense");
    assertRefused(written(edited), "line 71: no JSON");
    edited = new ArrayList<>(lines);
    edited.add(70, "");
    assertRefused(written(edited), "line 71: empty");
    edited = new ArrayList<>(lines);
    edited.add("more\n");
    assertRefused(written(edited), "something behind the end");
  }

  @Test
  void edited_withItsSums_isFoundByTheCheckpoint() throws IOException {
    Told told = told();
    told.records.remove(told.records.size() - 1);
    Path file = told.export(folder.resolve("export.gz"));

    Report report = new Verifier(Truth.CHAIN.drand()).verify(Export.open(file));

    assertThat(report.counts()).containsOnlyKeys("removed");
  }

  @Test
  void fromANewerVersion_orAnotherQueue_isRefusedByName() throws IOException {
    Path file = told().export(folder.resolve("export.gz"));
    List<String> lines = lines(file);
    List<String> newer = new ArrayList<>(lines);
    newer.set(0, newer.get(0).replace("\"naruExport\":1", "\"naruExport\":2"));

    assertRefused(
        written(newer),
        "line 1: written by a newer Naru (0.1.0-test, format 2); this one reads format 1");
    assertThatExceptionOfType(RefusedLog.class)
        .isThrownBy(() -> Export.open(file, QueueId.parse("CONCERT/2027")))
        .withMessage("line 1: this is an export of CONCERT/2026, not of CONCERT/2027");
    assertRefused(written(List.of("{\"x\":1}", "")), "line 1: not an export of Naru");
    Path plain = folder.resolve("plain");
    Files.writeString(plain, String.join("\n", lines));
    assertRefused(plain, "not gzip");
  }

  @Test
  void queueAndEntries_comeBackForAnImportOnly() throws IOException {
    Path file = folder.resolve("export.gz");
    var header =
        new LogSource.Header(Truth.ORIGIN, Truth.QUEUE, Truth.SIGNER.verifier().toString());
    try (var writer = new Export.Writer(Files.newOutputStream(file), header, "0.1.0")) {
      writer.record("[\"delete\",1,2]");
      writer.checkpoint("note");
      writer.queue(Map.of("version", 3));
      for (int i = 0; i < 2_500; i++) {
        writer.entry(Map.of("user", "u:" + i));
      }
      writer.finish();
    }
    List<String> users = new ArrayList<>();
    List<Object> queues = new ArrayList<>();

    Export.open(file)
        .read(
            new Export.ImportReader() {
              @Override
              public void queue(Map<String, @Nullable Object> queue) {
                queues.add(queue);
              }

              @Override
              public void entry(Map<String, @Nullable Object> entry) {
                users.add(String.valueOf(entry.get("user")));
              }

              @Override
              public void record(byte[] bytes, int offset, int length) {}

              @Override
              public void leaves(long number, byte[] part) {}

              @Override
              public void checkpoint(String note) {}
            });

    assertThat(users).hasSize(2_500).endsWith("u:2499");
    assertThat(queues).containsExactly(Map.of("version", 3));
    Export.check(Export.open(file));
  }

  @Test
  void writer_thatDidNotFinish_leftNoExport() throws IOException {
    Path file = folder.resolve("export.gz");
    var header =
        new LogSource.Header(Truth.ORIGIN, Truth.QUEUE, Truth.SIGNER.verifier().toString());
    try (var writer = new Export.Writer(Files.newOutputStream(file), header, "0.1.0")) {
      writer.record("[\"delete\",1,2]");
    }

    assertRefused(file, "line 3: the file is cut off");
  }

  @Test
  void lineWithoutEnd_isRefused() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(
          lines(told().export(folder.resolve("a.gz"))).getFirst().getBytes(StandardCharsets.UTF_8));
      out.write('\n');
      out.write('[');
      byte[] much = new byte[1 << 16];
      for (int i = 0; i < 64; i++) {
        out.write(much);
      }
    }
    Path file = folder.resolve("long.gz");
    Files.copy(new ByteArrayInputStream(bytes.toByteArray()), file);

    assertRefused(file, "line 2: longer than 1048576 bytes");
  }
}
