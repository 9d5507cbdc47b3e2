package io.naru.fair;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The same log at an address, served as a running Naru serves it. */
class LiveLogTest {

  private final Map<String, byte[]> files = new HashMap<>();
  private final Set<String> gone = new HashSet<>();
  private HttpServer server;
  private URI address;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = files.get(exchange.getRequestURI().getPath());
          if (gone.contains(exchange.getRequestURI().getPath())) {
            exchange.sendResponseHeaders(404, -1);
          } else if (body == null) {
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            exchange.sendResponseHeaders(302, -1);
          } else {
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
          }
          exchange.close();
        });
    server.start();
    address =
        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/queue/CONCERT/2026");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void put(String path, byte[] body) {
    files.put("/queue/CONCERT/2026" + path, body);
  }

  private Told publish() {
    var told = new Told();
    var truth =
        new Truth(
            Map.of(
                "lobbyOpensAt", "2026-01-01T00:00:10Z",
                "opensAt", "2026-01-01T00:20:00Z",
                "draw", "COIN"),
            told::add,
            told.lists::add);
    truth.openLobby();
    for (int i = 0; i < 5_000; i++) {
      truth.tick(10);
      truth.join("u:" + i);
    }
    truth.now = 1_200 * Truth.SECOND;
    truth.close();
    truth.settleAll(truth.draw(truth.seal()), 2_000);
    truth.tick(Truth.SECOND);
    truth.admit();
    told.sign();
    put("/log/key", Hashes.utf8(Truth.SIGNER.verifier() + "\n"));
    put("/log/checkpoint", Hashes.utf8(told.checkpoints.getFirst()));
    for (int from = 0; from < told.records.size(); from += 256) {
      var bundle = new ByteArrayOutputStream();
      int to = Math.min(told.records.size(), from + 256);
      for (String text : told.records.subList(from, to)) {
        byte[] bytes = Hashes.utf8(text);
        bundle.write(bytes.length >> 8);
        bundle.write(bytes.length);
        bundle.writeBytes(bytes);
      }
      put("/log/tile/" + Tiles.entriesPath(from / 256, to - from), bundle.toByteArray());
    }
    for (int part = 0; part < told.lists.getFirst().parts(); part++) {
      put("/draw/leaves/" + part, told.lists.getFirst().part(part));
    }
    return told;
  }

  private Report verify() throws IOException {
    return new Verifier(Truth.CHAIN.drand()).verify(LiveLog.open(address));
  }

  @Test
  void verify_whatIsPublished_isClean() throws IOException {
    Told told = publish();

    Report report = verify();

    assertThat(report.findings()).isEmpty();
    assertThat(report.records()).isEqualTo(told.records.size());
    assertThat(report.admitted()).isEqualTo(100);
    assertThat(LiveLog.open(URI.create(address + "/")).header().queue()).isEqualTo(Truth.QUEUE);
  }

  @Test
  void verify_aRecordChanged_isFound() throws IOException {
    publish();
    byte[] bundle = Objects.requireNonNull(files.get("/queue/CONCERT/2026/log/tile/entries/003"));
    // A digit of a leaf.
    int digit = new String(bundle, ISO_8859_1).indexOf("\",\"\"") - 1;
    bundle[digit] = (byte) (bundle[digit] == 'a' ? 'b' : 'a');

    assertThat(verify().counts()).containsKey("changed");
  }

  @Test
  void read_whatIsMissingOrElsewhere_isRefused() throws IOException {
    assertThatExceptionOfType(RefusedLog.class)
        .isThrownBy(() -> LiveLog.open(address))
        .withMessageContaining("/log/key answers 302");
    publish();
    files.remove("/queue/CONCERT/2026/log/tile/entries/007");
    assertThatExceptionOfType(RefusedLog.class)
        .isThrownBy(this::verify)
        .withMessageContaining("entries/007 answers 302");
  }

  @Test
  void verify_listOfAnEarlierDraw_isSaidToBeMissing() throws IOException {
    publish();
    gone.addAll(List.of("/queue/CONCERT/2026/draw/leaves/0", "/queue/CONCERT/2026/draw/leaves/1"));

    assertThat(verify().counts()).containsKey("leaves-missing");
    gone.add("/queue/CONCERT/2026/log/key");
    assertThatExceptionOfType(RefusedLog.NotThere.class).isThrownBy(() -> LiveLog.open(address));
  }

  @Test
  void read_bundlesThatAreNone_areRefused() throws IOException {
    publish();
    put("/log/tile/entries/001", new byte[300]);
    assertThatExceptionOfType(RefusedLog.class)
        .isThrownBy(this::verify)
        .withMessageContaining("entries/001 has fewer records than 256");
    put("/log/tile/entries/001", new byte[600]);
    assertThatExceptionOfType(RefusedLog.class)
        .isThrownBy(this::verify)
        .withMessageContaining("entries/001 has more than 256 records");
    put("/log/checkpoint", new byte[100_000]);
    assertThatExceptionOfType(RefusedLog.class)
        .isThrownBy(this::verify)
        .withMessageContaining("checkpoint answers more than 65536 bytes");
  }
}
