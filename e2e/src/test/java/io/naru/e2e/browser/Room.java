package io.naru.e2e.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A real server, started as a process on a data directory, and its operator. */
final class Room implements AutoCloseable {

  private static final Path JAR = Path.of("..", "server", "target", "naru.jar");

  /** These servers live for seconds and serve a handful of people: compiling well would not pay. */
  private static final List<String> QUICK_START =
      List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  static final String KEY = "the-key-of-the-tests";

  private final List<String> options;
  private ServerProcess server;

  Room(Path data, String... more) {
    options = new ArrayList<>(ServerProcess.NAMED_VISITORS);
    options.addAll(List.of("--data", data.toString(), "--admin-key", KEY));
    options.addAll(List.of(more));
    server = start(options);
    // After a crash it is found again where it was.
    options.addAll(List.of("--port", "" + server.port()));
  }

  private static ServerProcess start(List<String> options) {
    assertThat(JAR).as("the server, built by ./naru test or ./mvnw verify").exists();
    return ServerProcess.start(JAR, QUICK_START, options);
  }

  int port() {
    return server.port();
  }

  void kill() {
    server.kill();
  }

  /** Runs a command of the jar to its end. */
  void run(String... command) throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-jar"));
    all.add(JAR.toString());
    all.addAll(List.of(command));
    Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  void startAgain() {
    server = start(options);
  }

  /** A queue where nobody goes in but by hand, unless the settings say otherwise. */
  Queue queue(String id, String... settings) {
    var queue = new Queue(this, id);
    queue.activate(settings);
    return queue;
  }

  Reply admin(String method, String path, String body) {
    return send(method, path, body, "Authorization: Bearer " + KEY);
  }

  Reply send(String method, String path, String body, String... headers) {
    try (var connection = new HttpConnection(port())) {
      return connection.send(method, path, body, headers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    server.close();
  }

  /** One line of people, most of whom do not have a browser. */
  record Queue(Room room, String id) {

    private static final String TYPE = "SHOW";

    private String name() {
      return "\"eventType\":\"" + TYPE + "\",\"eventId\":\"" + id + "\"";
    }

    private void activate(String... settings) {
      String paced = "\"entryBatchSize\":1,\"entryIntervalSeconds\":3600";
      String body = "{" + String.join(",", name(), paced, String.join(",", settings));
      Reply reply = room.admin("POST", "/admin/queue/activate", body.replaceFirst(",$", "") + "}");
      assertThat(reply.status()).as(reply.body()).isEqualTo(201);
      // The first one of the hour goes in at once; from then on places stay until a test moves
      // them.
      enter("early-bird");
      await().until(() -> figure("inside") == 1);
    }

    /**
     * @param act as {@code pause}, with what it takes
     */
    void act(String act, String... more) {
      String body = "{" + String.join(",", name(), String.join(",", more));
      Reply reply = room.admin("POST", "/admin/queue/" + act, body.replaceFirst(",$", "") + "}");
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    }

    /** A code for a lane. */
    String code(String lane) {
      String body = "{" + name() + ",\"lane\":\"" + lane + "\",\"count\":1}";
      Reply reply = room.admin("POST", "/admin/queue/codes", body);
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
      return reply.body().replaceAll(".*\\[\"|\"\\].*", "");
    }

    void delete() {
      String name = TYPE + "/" + id;
      Reply reply = room.admin("DELETE", "/admin/queues/" + name + "?confirm=" + name, "");
      assertThat(reply.status()).as(reply.body()).isEqualTo(204);
    }

    void set(String settings) {
      Reply reply = room.admin("PUT", "/admin/queues/" + TYPE + "/" + id, "{" + settings + "}");
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    }

    long figure(String name) {
      return room.admin("GET", "/admin/queues/" + TYPE + "/" + id, "").number(name);
    }

    private void enter(String user) {
      Reply reply = room.send("POST", path() + "/enter", "", "User-Id: " + user);
      assertThat(reply.status()).as(reply.body()).isEqualTo(201);
    }

    /** Enters so many others, one after the other. */
    void enterCrowd(int people) {
      try (var connection = new HttpConnection(room.port())) {
        for (int i = 0; i < people; i++) {
          Reply reply = connection.send("POST", path() + "/enter", "", "User-Id: crowd-" + i);
          assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void admit(int people) {
      String body = "{" + name() + ",\"count\":" + people + "}";
      Reply reply = room.admin("POST", "/admin/queue/process", body);
      assertThat(reply.number("admitted")).as(reply.body()).isEqualTo(people);
    }

    /**
     * From now on people go in as fast as there is room, and there is none until it is made: the
     * estimate is short, so what waits by it comes soon.
     */
    void fillHouse() {
      set("\"entryBatchSize\":1000,\"entryIntervalSeconds\":1,\"maxCapacity\":" + figure("inside"));
    }

    void makeRoom(int people) {
      set("\"maxCapacity\":" + (figure("inside") + people));
    }

    String path() {
      return "/queue/" + TYPE + "/" + id;
    }

    String page() {
      return page(room.port());
    }

    /** The page as reached through another port. */
    String page(int port) {
      return "http://127.0.0.1:" + port + "/wait/" + TYPE + "/" + id;
    }
  }
}
