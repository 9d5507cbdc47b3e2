package io.naru.e2e.crash;

import io.naru.testkit.DatabaseServer;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.PostgresPair;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import io.naru.testkit.ServerProcess;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Two servers on one database, which they reach through a network that breaks, and on one Redis, or
 * each with the line in its own memory.
 */
final class Stage implements AutoCloseable {

  static final String ADMIN = "Authorization: Bearer the-key-of-the-tests";

  /** What is tried; {@code -Dnaru.jar=…} for another build of it. */
  static final Path JAR = Path.of(System.getProperty("naru.jar", "../server/target/naru.jar"));

  private static final List<String> JVM =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Database kind;
  private final Supplier<DatabaseServer> server;
  private final FaultProxy database;
  private final Runnable close;
  private final @Nullable Supplier<RedisConnection> redis;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<Node, Links> links = new HashMap<>();

  /** The database on a {@link #linked} stage. */
  private @Nullable Current<DatabaseServer> current;

  /** One server's own ways to its stores; null where there is no such store. */
  record Links(@Nullable FaultProxy redis, FaultProxy toDatabase) {

    FaultProxy toRedis() {
      return Objects.requireNonNull(redis, "there is no Redis");
    }

    void close() {
      toDatabase.close();
      if (redis != null) {
        redis.close();
      }
    }
  }

  /** Starts a server with these options. */
  interface Launcher {
    ServerProcess launch(List<String> options);
  }

  /** The server as it is delivered. */
  static ServerProcess delivered(List<String> options) {
    return ServerProcess.start(JAR, JVM, options);
  }

  /** A main class of these tests in the server's place. */
  static ServerProcess instead(String mainClass, List<String> options) {
    return instead(mainClass, List.of(), options);
  }

  private static ServerProcess instead(
      String mainClass, List<String> jvmArgs, List<String> options) {
    List<Path> classPath = List.of(Path.of("target", "test-classes"), JAR);
    List<String> all = new ArrayList<>(JVM);
    all.addAll(jvmArgs);
    return ServerProcess.start(classPath, mainClass, all, options);
  }

  /**
   * On one database.
   *
   * @param kind of it
   * @param data for what the servers keep
   * @param redisUri what the servers are told
   * @param redis a connection to the Redis that is behind it now
   * @param launcher starts the servers
   */
  Stage(
      Database kind,
      Path data,
      String redisUri,
      Supplier<RedisConnection> redis,
      Launcher launcher) {
    this(kind, data, redisUri, redis, launcher, kind.start());
  }

  private Stage(
      Database kind,
      Path data,
      String redisUri,
      Supplier<RedisConnection> redis,
      Launcher launcher,
      DatabaseServer alone) {
    this(kind, redis, () -> alone, FaultProxy.to(alone.port()), alone::close);
    start(data, launcher, _ -> new Addresses(redisUri, urlBehind(database.port())));
  }

  /** On one database, without Redis. The second server has one more piece of network before it. */
  static Stage withoutRedis(Database kind, Path data) {
    DatabaseServer alone = kind.start();
    var stage = new Stage(kind, null, () -> alone, FaultProxy.to(alone.port()), alone::close);
    var second = new Links(null, FaultProxy.to(stage.database.port()));
    stage.start(
        data,
        Stage::delivered,
        name ->
            new Addresses(
                null,
                stage.urlBehind((name.equals("two") ? second.toDatabase : stage.database).port())));
    stage.links.put(stage.two(), second);
    return stage;
  }

  /**
   * On one database and one Redis, with servers each of which is started from a jar of its own.
   *
   * @param jars by the name of a server, asked whenever one is started
   */
  static Stage ofJars(Database kind, Path data, RedisServer redis, Function<String, Path> jars) {
    DatabaseServer alone = kind.start();
    var stage =
        new Stage(kind, redis::connect, () -> alone, FaultProxy.to(alone.port()), alone::close);
    stage.startEach(
        data,
        name -> options -> ServerProcess.start(jars.apply(name), JVM, options),
        _ -> new Addresses(redis.uri(), stage.urlBehind(stage.database.port())));
    return stage;
  }

  /**
   * On a PostgreSQL with a standby, both of which the servers know, and which its maker closes.
   *
   * @param redis null for none
   */
  Stage(Path data, @Nullable RedisServer redis, PostgresPair pair) {
    this(
        Database.POSTGRES,
        redis == null ? null : redis::connect,
        pair::primary,
        pair.front(),
        () -> {});
    String uri = redis == null ? null : redis.uri();
    start(data, Stage::delivered, _ -> new Addresses(uri, pair.urlOfBoth()));
  }

  /**
   * On one PostgreSQL, with servers each of which goes by what a file of its name says.
   *
   * @param clocks where these files are
   * @param redis null for none
   */
  static Stage withClocks(Path data, Path clocks, @Nullable RedisServer redis) {
    DatabaseServer alone = Database.POSTGRES.start();
    var stage =
        new Stage(
            Database.POSTGRES,
            redis == null ? null : redis::connect,
            () -> alone,
            FaultProxy.to(alone.port()),
            alone::close);
    String uri = redis == null ? null : redis.uri();
    stage.startEach(
        data,
        name ->
            options ->
                instead(
                    "io.naru.server.ClockedServer",
                    List.of("-Dnaru.test.clock=" + clocks.resolve(name)),
                    options),
        _ -> new Addresses(uri, stage.urlBehind(stage.database.port())));
    return stage;
  }

  /**
   * On one database and one Redis, which each server reaches by ways of its own, and in whose place
   * others may come.
   */
  static Stage linked(Database kind, Path data, Current<RedisServer> redis) {
    var alone = new Current<>(kind.start());
    var stage =
        new Stage(
            kind,
            () -> redis.get().connect(),
            alone::get,
            FaultProxy.to(alone.get().port()),
            alone::close);
    stage.current = alone;
    Map<String, Links> byName = new HashMap<>();
    stage.start(
        data,
        Stage::delivered,
        name -> {
          var own =
              new Links(FaultProxy.to(redis.get().port()), FaultProxy.to(stage.database().port()));
          byName.put(name, own);
          return new Addresses(
              "redis://127.0.0.1:" + own.toRedis().port(), stage.urlBehind(own.toDatabase.port()));
        });
    stage.nodes.forEach(
        node -> stage.links.put(node, Objects.requireNonNull(byName.get(node.name()))));
    return stage;
  }

  private Stage(
      Database kind,
      @Nullable Supplier<RedisConnection> redis,
      Supplier<DatabaseServer> server,
      FaultProxy database,
      Runnable close) {
    this.redis = redis;
    this.kind = kind;
    this.server = server;
    this.database = database;
    this.close = close;
  }

  /** What a server is told of its stores. */
  private record Addresses(@Nullable String redis, String ledger) {}

  private String urlBehind(int port) {
    return server().url().replace(":" + server().port() + "/", ":" + port + "/") + kind.options();
  }

  private void start(Path data, Launcher launcher, Function<String, Addresses> addresses) {
    startEach(data, _ -> launcher, addresses);
  }

  private void startEach(
      Path data, Function<String, Launcher> launchers, Function<String, Addresses> addresses) {
    List<String> common =
        List.of(
            "--ledger-user",
            server().user(),
            "--ledger-password",
            server().password(),
            "--admin-key",
            ADMIN.substring(ADMIN.lastIndexOf(' ') + 1),
            "--site-key",
            "site-key-of-the-crash-tests");
    try {
      for (String name : List.of("one", "two")) {
        List<String> own = new ArrayList<>(common);
        own.addAll(ServerProcess.NAMED_VISITORS);
        own.addAll(List.of("--data", data.resolve(name).toString()));
        Addresses stores = addresses.apply(name);
        own.addAll(List.of("--ledger", stores.ledger));
        if (stores.redis != null) {
          own.addAll(List.of("--redis", stores.redis));
        }
        nodes.add(new Node(name, own, launchers.apply(name)));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  Node one() {
    return nodes.get(0);
  }

  Node two() {
    return nodes.get(1);
  }

  /** The ways of a server to its stores, on a {@link #linked} stage. */
  Links links(Node node) {
    return Objects.requireNonNull(links.get(node));
  }

  List<Node> nodes() {
    return nodes;
  }

  /** What has the ledger: of several, the primary. */
  DatabaseServer server() {
    return server.get();
  }

  /** Another one is in the place of the database, on a {@link #linked} stage; that one is gone. */
  void replaceServer(DatabaseServer next) {
    Objects.requireNonNull(current).replace(next);
    database.retarget(next.port());
  }

  /** Another Redis is where all servers look for theirs, on a {@link #linked} stage. */
  void retargetRedis(int port) {
    links.values().forEach(each -> each.toRedis().retarget(port));
  }

  /** Whether somebody has begun a transaction and does not go on with it. */
  boolean isTransactionStuck() throws SQLException, InterruptedException {
    return LedgerReader.isTransactionStuck(server(), kind.inTransaction());
  }

  /** The network between the servers and the database. */
  FaultProxy database() {
    return database;
  }

  /** The network before the second server alone. */
  FaultProxy wayOfTwo() {
    return links(two()).toDatabase;
  }

  boolean hasRedis() {
    return redis != null;
  }

  RedisConnection redis() {
    return Objects.requireNonNull(redis, "there is no Redis").get();
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
    links.values().forEach(Links::close);
    database.close();
    close.run();
  }
}
