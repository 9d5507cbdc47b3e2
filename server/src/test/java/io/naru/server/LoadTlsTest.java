package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code naru load} against a server behind TLS: whose certificate counts, and for which name. */
@Tag("process")
class LoadTlsTest {

  private static final String PASSWORD = "of-a-test";

  @TempDir private static Path folder;
  private static TestServer server;
  private static TlsProxy proxy;

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.onMemory(folder.resolve("data"));
    keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=wait", "-ext", "san=ip:127.0.0.1");
    keytool("-exportcert", "-rfc", "-file", folder.resolve("ca.pem").toString());
    proxy = new TlsProxy(server.port());
  }

  @AfterAll
  static void stop() {
    proxy.close();
    server.close();
  }

  private static void keytool(String... words) throws Exception {
    var command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("-alias", "site", "-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", folder.resolve("keys.p12").toString()));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
  }

  private static String load(int exit, String... words) {
    var out = new StringWriter();
    var args = new ArrayList<>(List.of("load"));
    args.addAll(List.of(words));
    args.addAll(List.of("--visitors", "20", "--over", "0", "--stay", "0", "--paying", "100"));
    args.addAll(List.of("--leaving", "0", "--sleeping", "0", "--threads", "1"));
    args.addAll(List.of("--report", folder.resolve("report.html").toString()));
    int exited =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(out, true))
            .execute(args.toArray(String[]::new));
    assertThat(exited).as("%s", out).isEqualTo(exit);
    return out.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream", "socket", "poll", "board"})
  void crowd_behindTls_doesWhatItDoesWithout(String follow) {
    String queue = "TLS/" + follow;
    server.activate(queue, "\"maxCapacity\":1000,\"entryBatchSize\":10").is(201);

    String ca = folder.resolve("ca.pem").toString();
    String said = load(0, queue, "--url", proxy.url("127.0.0.1"), "--ca", ca, "--follow", follow);

    assertThat(said).contains("got in 20", "completed 20", "0 errors");
  }

  @Test
  void certificate_thatNobodyKnows_isRefused_andTheWayOutIsNamed() {
    assertThat(load(2, "TLS/1", "--url", proxy.url("127.0.0.1")))
        .contains("cannot be trusted", "--ca FILE names who signs its certificate");
  }

  @Test
  void certificate_ofAnotherName_isRefused() {
    String ca = folder.resolve("ca.pem").toString();

    assertThat(load(2, "TLS/1", "--url", proxy.url("localhost"), "--ca", ca))
        .contains("cannot be trusted", "localhost");
  }

  /** As little of a proxy as it takes to be reached over TLS. */
  private static final class TlsProxy implements AutoCloseable {

    private final int port;
    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    TlsProxy(int port) throws Exception {
      this.port = port;
      var store = KeyStore.getInstance("PKCS12");
      try (var in = Files.newInputStream(folder.resolve("keys.p12"))) {
        store.load(in, PASSWORD.toCharArray());
      }
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, PASSWORD.toCharArray());
      var context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      listening =
          context
              .getServerSocketFactory()
              .createServerSocket(0, 100, InetAddress.getLoopbackAddress());
      Thread.startVirtualThread(this::accept);
    }

    String url(String host) {
      return "https://" + host + ":" + listening.getLocalPort();
    }

    private void accept() {
      while (!listening.isClosed()) {
        try {
          Socket visitor = listening.accept();
          var naru = new Socket(InetAddress.getLoopbackAddress(), port);
          sockets.add(visitor);
          sockets.add(naru);
          Thread.startVirtualThread(() -> pass(visitor, naru));
          Thread.startVirtualThread(() -> pass(naru, visitor));
        } catch (IOException e) {
          // It is over, or a visitor did not like the certificate.
        }
      }
    }

    private static void pass(Socket from, Socket to) {
      try (from;
          to) {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException e) {
        // The other one has gone.
      }
    }

    @Override
    public void close() {
      try {
        listening.close();
        for (Socket socket : sockets) {
          socket.close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
