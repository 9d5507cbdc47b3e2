package io.naru.bench.servers;

import io.naru.bench.load.Target;
import io.naru.bench.load.Template;
import io.naru.bench.load.Traffic;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Our server, a process of its own, on an empty data directory. */
public final class Naru implements WaitingRoom, AutoCloseable {

  private static final List<String> ANY_ADDRESS = List.of();
  private static final String ADMIN_KEY = "bench-admin-key-0123456789abcdef";

  private final Store store;
  private final boolean ownsStore;
  private final Path data;
  private final ServerProcess server;
  private final Admin admin;
  private final long start;
  private final List<Queue> opened = new ArrayList<>();
  private Duration readyAfter = Duration.ZERO;
  private Duration cpuUntilReady = Duration.ZERO;

  private Naru(Setup setup, Store store, boolean ownsStore, Path data, List<String> address) {
    this.store = store;
    this.ownsStore = ownsStore;
    this.data = data;
    var args = new ArrayList<>(store.args());
    args.addAll(ServerProcess.NAMED_VISITORS);
    args.addAll(address);
    args.addAll(List.of("--admin-key", ADMIN_KEY, "--data", data.toString()));
    this.start = System.nanoTime();
    this.server = ServerProcess.start(setup.jar(), setup.jvmArgs(), args);
    this.admin = new Admin(server.uri(), ADMIN_KEY);
  }

  /** Starts a server on Redis alone and returns once it says it is ready. */
  public static Naru start(Setup setup) {
    var store = Store.redis(setup.redis());
    try {
      return start(setup, store, /* ownsStore= */ true, ANY_ADDRESS);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Starts a server on a store, which may have others, and returns once it says it is ready. */
  public static Naru start(Setup setup, Store store) {
    return start(setup, store, /* ownsStore= */ false, ANY_ADDRESS);
  }

  /** Starts a server at the address of one that has ended. */
  public static Naru startInPlaceOf(Naru ended, Setup setup, Store store) {
    var address = List.of("--port", "" + ended.server.port());
    return start(setup, store, /* ownsStore= */ false, address);
  }

  private static Naru start(Setup setup, Store store, boolean ownsStore, List<String> address) {
    Path data;
    try {
      data = Files.createTempDirectory("naru-bench-");
    } catch (IOException e) {
      throw new UncheckedIOException("no data directory", e);
    }
    try {
      return new Naru(setup, store, ownsStore, data, address).ready();
    } catch (RuntimeException e) {
      clear(data);
      throw e;
    }
  }

  private Naru ready() {
    try {
      admin.awaitReady();
      readyAfter = Duration.ofNanos(System.nanoTime() - start);
      cpuUntilReady = vitals().cpu();
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** From {@code java -jar} to the first 200 of {@code /health/ready}. */
  public Duration readyAfter() {
    return readyAfter;
  }

  /** The processor time it took until then. */
  public Duration cpuUntilReady() {
    return cpuUntilReady;
  }

  /** The figure of one of its metrics that has no labels. */
  public double metric(String name) {
    return admin
        .metrics(server.managementPort())
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  public Admin admin() {
    return admin;
  }

  URI uri() {
    return server.uri();
  }

  @Override
  public Target target() {
    return Target.http(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
  }

  @Override
  public Traffic bare() {
    return Template.http("GET", server.uri().getAuthority(), "/health/live").always();
  }

  @Override
  public Queue openQueue() {
    var queue = new Queue(server.uri().getAuthority(), Queue.newId());
    opened.add(queue);
    admin.openFull(queue);
    return queue;
  }

  /** A queue that was opened by another server on the same store, as it is asked here. */
  public Queue here(Queue queue) {
    return queue.at(server.uri().getAuthority());
  }

  /** Opens a queue whose first ones are drawn. */
  public Lobby openLobby() {
    var queue = new Queue(server.uri().getAuthority(), Queue.newId());
    opened.add(queue);
    return new Lobby(admin, queue);
  }

  /** The same, of which everything is published. */
  public Queue openLoggedQueue() {
    var queue = new Queue(server.uri().getAuthority(), Queue.newId());
    opened.add(queue);
    admin.makeLogged(queue);
    admin.openFull(queue);
    return queue;
  }

  /** Opens a queue that nobody enters. */
  public void openIdleQueue() {
    admin.activate(new Queue(server.uri().getAuthority(), Queue.newId()), 1, 1, 1);
  }

  /** So many operators look at a queue. */
  public Consoles open(int consoles, Queue queue) {
    return new Consoles(admin, queue, consoles);
  }

  /** How many keys there are in Redis. */
  public long redisKeys() {
    try (var connection = new RedisConnection(redisAddress())) {
      return Long.parseLong(connection.call("DBSIZE").replace(":", "").strip());
    } catch (IOException e) {
      throw new UncheckedIOException("Redis does not tell its size", e);
    }
  }

  /** Removes a queue with everybody in it, so that it costs the server nothing any more. */
  public void remove(Queue queue) {
    admin.delete(queue);
    opened.remove(queue);
  }

  public InetSocketAddress redisAddress() {
    return store.redisAddress();
  }

  /** What Redis holds of a queue that a ledger decides. */
  public Copy copy(Queue queue) {
    try {
      return new Copy(new RedisConnection(redisAddress()), queue);
    } catch (IOException e) {
      throw new UncheckedIOException("Redis does not listen", e);
    }
  }

  /** What this process takes from the machine. */
  public Vitals vitals() {
    return new Vitals(server.pid());
  }

  /** How many lines it has logged, of the last 10,000. */
  public long logLines() {
    return server.log().lines().count();
  }

  /** Whether there is a Redis behind it. */
  public boolean hasRedis() {
    return store.hasRedis();
  }

  /** Bytes Redis has allocated for what it holds. */
  public long redisBytes() {
    return redisInfo("memory", "used_memory:");
  }

  /** Commands Redis has carried out since its start, those within scripts too. */
  public long redisCommands() {
    return redisInfo("stats", "total_commands_processed:");
  }

  private long redisInfo(String section, String field) {
    try (var connection = new RedisConnection(redisAddress())) {
      return connection
          .call("INFO", section)
          .lines()
          .filter(line -> line.startsWith(field))
          .mapToLong(line -> Long.parseLong(line.substring(field.length()).strip()))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException("Redis does not tell its " + section, e);
    }
  }

  @Override
  public void close() {
    if (store.isLent() && server.isAlive()) {
      // A Redis that was lent is given back without our crowds.
      opened.forEach(admin::delete);
    }
    server.close();
    if (ownsStore) {
      store.close();
    }
    clear(data);
  }

  static void clear(Path data) {
    if (Files.notExists(data)) {
      return;
    }
    try (var files = Files.walk(data)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot clear " + data, e);
    }
  }
}
