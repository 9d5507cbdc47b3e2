package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.fair.Checkpoint;
import io.naru.fair.Leaves;
import io.naru.fair.LogRecord;
import io.naru.fair.Merkle;
import io.naru.fair.Note;
import io.naru.fair.Receipt;
import io.naru.fair.Records;
import io.naru.fair.Tiles;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The public log of a queue, as an outsider reads it, and a visitor's receipt. */
class LogApiTest {

  private static final String QUEUE = "LOGGED/1";
  private static final int PEOPLE = 300;

  @TempDir private static Path data;
  private static TestServer server;
  private static HttpClient http;
  private static String token;

  @BeforeAll
  static void start() throws Exception {
    server =
        TestServer.start(
            TestServer.named(TestServer.onSqlite(data), "https://wait.example.com/shop"));
    http = HttpClient.newHttpClient();
    server
        .activate(
            QUEUE,
            "\"log\":true,\"maxCapacity\":1,\"newPlacesPerMinute\":0,\"entryIntervalSeconds\":3600")
        .is(201);
    server.activate("PLAIN/1", "\"maxCapacity\":1").is(201);
    token = server.enter(QUEUE, "ann").is(201).text("entryToken");
    for (int i = 0; i < PEOPLE; i++) {
      server.enter(QUEUE, "user" + i).is(201);
    }
    await().until(() -> size() > PEOPLE);
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static HttpResponse<byte[]> get(String path) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .header("Origin", "https://auditor.example")
            .build();
    return http.send(request, BodyHandlers.ofByteArray());
  }

  private static HttpResponse<byte[]> log(String path) throws Exception {
    return get("/queue/" + QUEUE + "/log/" + path);
  }

  private static String text(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(200);
    return new String(answer.body(), UTF_8);
  }

  private static Checkpoint checkpoint() throws Exception {
    var key = Note.Verifier.of(text(log("key")).strip());
    return Checkpoint.open(text(log("checkpoint")), key);
  }

  private static long size() throws Exception {
    return log("checkpoint").statusCode() == 200 ? checkpoint().size() : 0;
  }

  private static List<String> records(byte[] bundle) {
    List<String> records = new ArrayList<>();
    for (int at = 0; at < bundle.length; ) {
      int length = (bundle[at] & 0xff) << 8 | (bundle[at + 1] & 0xff);
      records.add(new String(bundle, at + 2, length, UTF_8));
      at += 2 + length;
    }
    return records;
  }

  @Test
  void log_readByAnybody_isTheTreeOfItsRecords() throws Exception {
    Checkpoint signed = checkpoint();
    assertThat(signed.origin()).startsWith("wait.example.com/shop/queue/LOGGED/1#");
    List<String> records = new ArrayList<>(records(log("tile/entries/000").body()));
    int rest = (int) signed.size() - Tiles.WIDTH;
    records.addAll(records(log("tile/" + Tiles.entriesPath(1, rest)).body()));
    assertThat(records).hasSize((int) signed.size());

    assertThat(
            Merkle.root(
                signed.size(),
                Tiles.nodes(
                    signed.size(),
                    (level, number, width) -> {
                      try {
                        return log("tile/" + Tiles.path(level, number, width)).body();
                      } catch (Exception e) {
                        throw new AssertionError(e);
                      }
                    })))
        .isEqualTo(signed.root());

    assertThat(Records.read(records.getFirst())).isInstanceOf(LogRecord.Rules.class);
    assertThat(records).allSatisfy(record -> assertThat(Records.read(record)).isNotNull());
    assertThat(records).noneMatch(record -> record.contains("user"));
  }

  @Test
  void log_whatNeverChanges_mayBeKeptAndReadByAnyPage() throws Exception {
    HttpResponse<byte[]> tile = log("tile/0/000");
    assertThat(tile.body()).hasSize(Tiles.WIDTH * 32);
    assertThat(tile.headers().firstValue("Cache-Control"))
        .hasValue("public, max-age=31536000, immutable");
    assertThat(tile.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
    assertThat(tile.headers().firstValue("Content-Type")).hasValue("application/octet-stream");
    assertThat(log("tile/0/000.p/7").body()).hasSize(7 * 32);

    HttpResponse<byte[]> checkpoint = log("checkpoint");
    assertThat(checkpoint.headers().firstValue("Cache-Control")).hasValue("public, max-age=1");
    assertThat(checkpoint.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
  }

  @Test
  void log_noSuchTile_isSaid() {
    for (String path :
        List.of(
            "0/001",
            "0/000.p/0",
            "0/000.p/256",
            "0/0",
            "0/0000",
            "x/000",
            "0/x000/000",
            "60/000",
            "entries/009",
            "0/x001/x234/067.p/7",
            "0/x001/234.p/7",
            "-1/000",
            "0/000.p/x")) {
      server.client().get("/queue/" + QUEUE + "/log/tile/" + path).isProblem(404, "no-tile");
    }
  }

  @Test
  void log_queueWithoutOne_isSaid() {
    for (String path : List.of("checkpoint", "key", "tile/0/000")) {
      server.client().get("/queue/PLAIN/1/log/" + path).isProblem(404, "no-log");
      server.client().get("/queue/NONE/1/log/" + path).isProblem(404, "S801");
    }
    String plain = server.enter("PLAIN/1", "ann").is(201).text("entryToken");
    server.client().get("/queue/token/" + plain + "/receipt").isProblem(404, "no-log");
    server.client().get("/queue/token/nonsense/receipt").isProblem(404, "S803");
    assertThat(server.status("PLAIN/1", "ann").json()).doesNotContainKey("salt");
  }

  @Test
  void receipt_ofEverybody_isTrueAndTheirOwn() throws Exception {
    for (String user : List.of("user0", "user150", "user" + (PEOPLE - 1))) {
      String entry = server.status(QUEUE, user).is(200).text("entryToken");
      String salt = server.status(QUEUE, user).is(200).text("salt");
      Receipt receipt = Receipt.read(text(get("/queue/token/" + entry + "/receipt")));

      Checkpoint signed = receipt.verify(Note.Verifier.of(text(log("key")).strip()));

      assertThat(signed.size()).isGreaterThan(receipt.index());
      assertThat(receipt.user()).isEqualTo(user);
      assertThat(receipt.salt()).isEqualTo(salt);
      assertThat(Leaves.isSalt(salt)).isTrue();
    }
  }

  @Test
  void receipt_ofSomebodyWhoIsIn_isThereAsSoonAsItIsLogged() throws Exception {
    await()
        .untilAsserted(
            () -> {
              Receipt receipt = Receipt.read(text(get("/queue/token/" + token + "/receipt")));
              assertThat(receipt.verify().size()).isPositive();
            });
    String entry = server.enter(QUEUE, "late").is(201).text("entryToken");
    await().until(() -> get("/queue/token/" + entry + "/receipt").statusCode() == 200);
    assertThat(server.status(QUEUE, "ann").is(200).text("salt")).hasSize(32);
  }
}
