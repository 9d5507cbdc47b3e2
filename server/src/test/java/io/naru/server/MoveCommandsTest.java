package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.naru.fair.Checkpoint;
import io.naru.fair.Export;
import io.naru.fair.LogSource;
import io.naru.fair.Merkle;
import io.naru.fair.Note;
import io.naru.files.OwnerOnly;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code naru export}, {@code import} and {@code verify}, from one server to another. */
class MoveCommandsTest {

  private static final String LANES =
      "\"lanes\":[{\"name\":\"vip\",\"share\":70},{\"name\":\"normal\",\"share\":30}]";

  @TempDir private Path folder;
  private Path key;
  private Path file;

  private record Run(int exit, String out) {}

  @BeforeEach
  void writeKey() throws IOException {
    key = Files.writeString(folder.resolve("key"), TestServer.KEY);
    file = folder.resolve("queue.naru");
  }

  private static Run run(Object command, String... args) {
    var out = new StringWriter();
    int exit =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute(args);
    return new Run(exit, out.toString());
  }

  private Run on(TestServer server, Object command, String... args) {
    return run(
        command,
        Stream.concat(
                Stream.of(args),
                Stream.of(
                    "--url", "http://127.0.0.1:" + server.port(), "--admin-key-file", "" + key))
            .toArray(String[]::new));
  }

  private Run export(TestServer server, String queue) {
    return on(server, new ExportCommand(), queue, "--out", "" + file);
  }

  private Run restore(TestServer server, String... args) {
    List<String> all = new ArrayList<>(List.of("" + file));
    all.addAll(List.of(args));
    return on(server, new ImportCommand(), all.toArray(String[]::new));
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  /** Twelve people in two lanes, of whom two are inside. */
  private static void people(TestServer server) {
    server
        .activate(
            "SALE/1",
            "\"maxCapacity\":2,\"entryIntervalSeconds\":3600,\"passTtlSeconds\":86400," + LANES)
        .is(201);
    for (int i = 0; i < 12; i++) {
      server.enter("SALE/1", "user" + i).is(201);
    }
    await().until(() -> server.figures("SALE/1").get("inside"), Integer.valueOf(2)::equals);
    server.admin("POST", "/admin/queue/move", moving("user3")).is(200);
    server.admin("POST", "/admin/queue/move", moving("user7")).is(200);
    server.deactivate("SALE/1").is(200);
  }

  private static String moving(String user) {
    return TestServer.named("SALE/1", "\"user\":\"" + user + "\",\"lane\":\"vip\"");
  }

  @Test
  void export_thenImportIntoAnotherStore_goesOnInTheSameOrder() throws IOException {
    try (var from = TestServer.onMemory(folder("from"));
        var to = TestServer.start(TestServer.onSqlite(folder("to")))) {
      people(from);

      Run exported = export(from, "SALE/1");
      assertThat(exported.exit).as(exported.out).isZero();
      assertThat(exported.out).contains("SALE/1", "names");
      assertThat(from.admin("GET", "/admin/queues/SALE/1/audit", "").is(200).body())
          .contains("export");
      Run verified = run(new VerifyCommand(), "" + file);
      assertThat(verified.exit).isEqualTo(2);
      assertThat(verified.out).contains("nothing to check");

      Run imported = restore(to);
      assertThat(imported.exit).as(imported.out).isZero();
      assertThat(imported.out).contains(" waiting", "closed and paused", "tokens");

      assertThat(to.queue("SALE/1").is(200).body()).contains("\"state\":\"INACTIVE\"");
      for (int i = 0; i < 12; i++) {
        Answer here = from.status("SALE/1", "user" + i);
        Answer there = to.status("SALE/1", "user" + i);
        assertThat(there.status()).isEqualTo(here.status());
        for (String field : List.of("status", "position", "ticket", "lane", "joinedAt")) {
          assertThat(there.field(field)).as(field).isEqualTo(here.field(field));
        }
      }
      for (TestServer each : List.of(from, to)) {
        each.activate("SALE/1", "\"maxCapacity\":7").is(200);
        await().until(() -> each.figures("SALE/1").get("inside"), Integer.valueOf(7)::equals);
      }
      for (int i = 0; i < 12; i++) {
        assertThat(to.status("SALE/1", "user" + i).field("status"))
            .isEqualTo(from.status("SALE/1", "user" + i).field("status"));
      }
      Run again = restore(to);
      assertThat(again.exit).isEqualTo(2);
      assertThat(again.out).contains("there is a queue of this name");
      Run other = restore(to, "--as", "SALE/2");
      assertThat(other.exit).as(other.out).isZero();
      assertThat(to.queue("SALE/2").is(200).body()).contains("\"state\":\"INACTIVE\"");
    }
  }

  @Test
  void import_whereThePassesWereMade_theirOwnersGetThroughTheGates() throws IOException {
    try (var server = TestServer.start(TestServer.onSqlite(folder("data")))) {
      server
          .activate(
              "SALE/1", "\"maxCapacity\":2,\"entryIntervalSeconds\":3600,\"passTtlSeconds\":900")
          .is(201);
      for (String user : List.of("ann", "ben", "cho")) {
        server.enter("SALE/1", user).is(201);
      }
      await().until(() -> server.figures("SALE/1").get("inside"), Integer.valueOf(2)::equals);
      String ann = server.pass("SALE/1", "ann");
      String ben = server.pass("SALE/1", "ben");
      assertThat(check(server, ann)).isEqualTo(204);
      server.complete("SALE/1", ben).is(200);
      server.deactivate("SALE/1").is(200);
      assertThat(export(server, "SALE/1").exit).isZero();
      server.admin("DELETE", "/admin/queues/SALE/1?confirm=SALE/1", "");
      await().until(() -> check(server, ann), Integer.valueOf(401)::equals);

      assertThat(restore(server).exit).isZero();
      server.activate("SALE/1", "").is(200);
      server.process("SALE/1", 1).is(200);

      String cho = server.pass("SALE/1", "cho");
      await().untilAsserted(() -> assertThat(check(server, ann)).isEqualTo(204));
      assertThat(check(server, cho)).isEqualTo(204);
      assertThat(check(server, ben)).isEqualTo(401);
    }
  }

  private static int check(TestServer server, String pass) {
    return server
        .client()
        .get("/gate/check?queue=SALE/1", "Authorization", "Bearer " + pass)
        .status();
  }

  @Test
  void import_whatIsNotWhole_isRefusedWithItsPlace() throws IOException {
    try (var server = TestServer.onMemory(folder("data"))) {
      people(server);
      export(server, "SALE/1");
      byte[] whole = Files.readAllBytes(file);

      edit(text -> text.replace("\"user\":\"user5\"", "\"user\":\"mine5\""));
      refused(server, "line 15", "edited");
      Files.write(file, whole);
      edit(text -> text.substring(0, text.lastIndexOf("{\"end\"")));
      refused(server, "line 15", "cut off");
      Files.write(file, Arrays.copyOf(whole, whole.length / 2));
      refused(server, "cut off");
      Files.write(file, whole);
      edit(text -> text.replace("\"naruExport\":1", "\"naruExport\":2"));
      refused(server, "line 1", "newer");
      Files.writeString(file, "nothing");
      refused(server, "not an export");
      Files.write(file, whole);
      assertThat(restore(server, "--as", "sale").out).contains("--as");
      assertThat(server.queue("SALE/9").status()).isEqualTo(404);
    }
  }

  @Test
  void import_theServerGoesAway_doesNotBlameTheFile() throws IOException {
    try (var server = TestServer.onMemory(folder("data"))) {
      people(server);
      export(server, "SALE/1");
    }

    Run stopped = restoreInto(503, "the line cannot be reached right now");

    assertThat(stopped.exit).isEqualTo(2);
    assertThat(stopped.out)
        .contains("cannot be reached", "0 entries are there", "import the same file again")
        .doesNotContain("refused");
  }

  @Test
  void import_theServerRefusesEntries_doesNotAskToTryAgain() throws IOException {
    try (var server = TestServer.onMemory(folder("data"))) {
      people(server);
      export(server, "SALE/1");
    }

    Run refused = restoreInto(400, "user: user5 has another place");

    assertThat(refused.exit).isEqualTo(2);
    assertThat(refused.out)
        .contains("is refused", "nothing more was changed", "user5 has another place")
        .doesNotContain("again");
  }

  /** Into a server that answers so once the import has begun. */
  private Run restoreInto(int status, String detail) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> beginOnly(exchange, status, detail));
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      return run(new ImportCommand(), "" + file, "--url", url, "--admin-key-file", "" + key);
    } finally {
      server.stop(0);
    }
  }

  private static void beginOnly(HttpExchange exchange, int status, String detail)
      throws IOException {
    boolean isBegin = new String(exchange.getRequestBody().readAllBytes(), UTF_8).contains("queue");
    String body = isBegin ? "{\"taken\":0}" : "{\"code\":\"any\",\"detail\":\"" + detail + "\"}";
    exchange.sendResponseHeaders(isBegin ? 200 : status, body.length());
    try (var out = exchange.getResponseBody()) {
      out.write(body.getBytes(UTF_8));
    }
  }

  private void refused(TestServer server, String... words) {
    Run refused = restore(server, "--as", "SALE/9");
    assertThat(refused.exit).as(refused.out).isEqualTo(2);
    assertThat(refused.out).contains("is refused").contains(words);
    Run verified = run(new VerifyCommand(), "" + file);
    assertThat(verified.exit).as(verified.out).isEqualTo(2);
    assertThat(verified.out).contains(words);
  }

  private void edit(UnaryOperator<String> edited) throws IOException {
    String text;
    try (var in = new GZIPInputStream(Files.newInputStream(file))) {
      text = new String(in.readAllBytes(), UTF_8);
    }
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(edited.apply(text).getBytes(UTF_8));
    }
  }

  /** Also where one that was killed has left something. */
  @Test
  void export_withPeople_isItsOwnersAlone_andAPublicOneIsNot() throws IOException {
    try (var server = TestServer.onMemory(folder("data"))) {
      server.activate("SALE/1", "\"log\":true").is(201);
      server.enter("SALE/1", "ann").is(201);
      Path left = Files.writeString(folder.resolve("queue.naru.part"), "half");
      Files.setPosixFilePermissions(left, PosixFilePermissions.fromString("rw-r--r--"));
      Files.writeString(file, "before");

      Run exported = export(server, "SALE/1");

      assertThat(exported.exit).as(exported.out).isZero();
      assertThat(OwnerOnly.isOpen(file)).isFalse();
      assertThat(left).doesNotExist();
      Path known = Files.writeString(folder.resolve("usual"), "");
      await()
          .until(
              () ->
                  on(server, new ExportCommand(), "SALE/1", "--public", "--out", "" + file).exit
                      == 0);
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(Files.getPosixFilePermissions(known));
    }
  }

  @Test
  void export_whatCannotBe_saysWhy() throws IOException {
    try (var server = TestServer.onMemory(folder("data"))) {
      assertThat(export(server, "SALE/none").out).contains("there is no such queue");
      assertThat(export(server, "SALE").out).contains("TYPE/id");
      server.activate("SALE/1", "").is(201);
      assertThat(on(server, new ExportCommand(), "SALE/1", "--public", "--out", "" + file).out)
          .contains("has no log");
      assertThat(file).doesNotExist();
    }
  }

  @Test
  void import_aPublicExport_isRefused_andAnUneditedLogIsClean() throws IOException {
    writeLog(false);

    Run clean = run(new VerifyCommand(), "" + file);
    assertThat(clean.out).contains("Log of SALE/1", "1 records", "Nothing is wrong");
    assertThat(clean.exit).isZero();
    assertThat(run(new VerifyCommand(), "" + file, "--json").out)
        .contains("\"clean\":true", "\"findings\":[]");
    try (var server = TestServer.onMemory(folder("data"))) {
      assertThat(restore(server).out).contains("--public");
    }
  }

  @Test
  void verify_anotherRoot_isFoundByName() throws IOException {
    writeLog(true);

    Run found = run(new VerifyCommand(), "" + file);

    assertThat(found.out).contains("FOUND changed at record", "Something is wrong: changed");
    assertThat(found.exit).isEqualTo(1);
    assertThat(run(new VerifyCommand(), "" + folder.resolve("none")).exit).isEqualTo(2);
    assertThat(run(new VerifyCommand(), "http://127.0.0.1:1/wait/SALE/1").exit).isEqualTo(2);
  }

  /** A log of one record, whose signed root is perhaps another one's. */
  private void writeLog(boolean isFalse) throws IOException {
    var signer = new Note.Signer("wait.example/queue/SALE/1", new byte[32]);
    String record =
        "[\"rules\",1,1000000,1," + Settings.DEFAULT.text() + ",\"INACTIVE\",false,true,0]";
    byte[] hash = Merkle.leafHash((isFalse ? "other" : record).getBytes(UTF_8));
    var header =
        new LogSource.Header(
            "wait.example/queue/SALE/1", new QueueId("SALE", "1"), signer.verifier().toString());
    var bytes = new ByteArrayOutputStream();
    try (var export = new Export.Writer(bytes, header, "0.1.0")) {
      export.record(record);
      export.checkpoint(new Checkpoint(header.origin(), 1, hash, 1_000_000).sign(signer));
      export.finish();
    }
    Files.write(file, bytes.toByteArray());
  }
}
