package io.naru.bench.servers;

import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where servers keep their queues. Servers come and go; it stays until it is closed. */
public final class Store implements AutoCloseable {

  private final Optional<RedisServer> ownRedis;
  private final Optional<URI> redis;
  private final List<String> ledger;
  private final Optional<Path> folder;

  private Store(Optional<RedisServer> ownRedis, Optional<URI> redis, List<String> ledger) {
    this(ownRedis, redis, ledger, Optional.empty());
  }

  private Store(
      Optional<RedisServer> ownRedis,
      Optional<URI> redis,
      List<String> ledger,
      Optional<Path> folder) {
    this.ownRedis = ownRedis;
    this.redis = redis;
    this.ledger = ledger;
    this.folder = folder;
  }

  /** Redis alone, without a ledger: one that already runs, or one of its own. */
  public static Store redis(Optional<URI> lent) {
    var none = List.of("--ledger", "none");
    return lent.isPresent() ? new Store(Optional.empty(), lent, none) : withRedis(none);
  }

  /** What one gets without options: SQLite in the server's data directory, the line in memory. */
  public static Store sqlite() {
    return new Store(Optional.empty(), Optional.empty(), List.of());
  }

  /** The same in a folder of the store's own, so that the next server finds what was there. */
  public static Store sqliteThatStays() {
    try {
      var dir = Files.createTempDirectory("naru-bench-ledger-");
      var ledger = List.of("--ledger", "jdbc:sqlite:" + dir.resolve("ledger.db"));
      return new Store(Optional.empty(), Optional.empty(), ledger, Optional.of(dir));
    } catch (IOException e) {
      throw new UncheckedIOException("no folder for the ledger", e);
    }
  }

  /**
   * An empty database, and a Redis of its own: the copy may be thrown away there, and a Redis
   * remembers its ledger, so one that was lent would refuse the next.
   */
  public static Store postgres(PostgresServer postgres) {
    return postgres(postgres, postgres.fresh());
  }

  /**
   * The same in this database.
   *
   * @param url an empty one, which others may look into
   */
  public static Store postgres(PostgresServer postgres, String url) {
    return withRedis(ledger(postgres, url));
  }

  /** The same without Redis: each server has the line in its own memory. */
  public static Store postgresAlone(PostgresServer postgres) {
    return postgresAlone(postgres, postgres.fresh());
  }

  /** The same in this database. */
  public static Store postgresAlone(PostgresServer postgres, String url) {
    var ledger = ledger(postgres, url);
    return new Store(Optional.empty(), Optional.empty(), ledger);
  }

  private static List<String> ledger(PostgresServer postgres, String url) {
    var ledger = new ArrayList<>(List.of("--ledger", url));
    ledger.addAll(List.of("--ledger-user", postgres.user()));
    ledger.addAll(List.of("--ledger-password", postgres.password()));
    return ledger;
  }

  private static Store withRedis(List<String> ledger) {
    var redis = RedisServer.start(RedisBinary.preferInstalled());
    return new Store(Optional.of(redis), Optional.of(URI.create(redis.uri())), ledger);
  }

  /** The same for servers with more options; one of both is closed. */
  public Store with(String... options) {
    var all = new ArrayList<>(ledger);
    all.addAll(List.of(options));
    return new Store(ownRedis, redis, all, folder);
  }

  /** The options that make a server use it. */
  List<String> args() {
    var args = new ArrayList<String>();
    redis.ifPresent(uri -> args.addAll(List.of("--redis", uri.toString())));
    args.addAll(ledger);
    return args;
  }

  public InetSocketAddress redisAddress() {
    var uri = redis.orElseThrow(() -> new IllegalStateException("no Redis in this store"));
    return new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? 6379 : uri.getPort());
  }

  /** The process of its own Redis. */
  public Vitals redis() {
    return new Vitals(own().pid());
  }

  /** The name of its database. */
  public String database() {
    var url = ledger.get(ledger.indexOf("--ledger") + 1);
    return url.substring(url.lastIndexOf('/') + 1);
  }

  /** Ends its own Redis at once; what is asked of this store afterwards is asked without it. */
  public void stopRedis() {
    own().kill();
  }

  /** Ends its own Redis at once and starts one that has nothing, at the same address. */
  public void restartRedis() {
    own().restart();
  }

  /** Stops its own Redis in its tracks. */
  public void freezeRedis() {
    own().freeze();
  }

  public void thawRedis() {
    own().thaw();
  }

  private RedisServer own() {
    return ownRedis.orElseThrow(() -> new IllegalStateException("no Redis of its own"));
  }

  boolean hasRedis() {
    return redis.isPresent();
  }

  /** Whether others use its Redis before or after us. */
  boolean isLent() {
    return redis.isPresent() && ownRedis.isEmpty();
  }

  @Override
  public void close() {
    ownRedis.ifPresent(RedisServer::close);
    folder.ifPresent(Naru::clear);
  }
}
