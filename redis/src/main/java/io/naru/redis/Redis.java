package io.naru.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.naru.keys.KeyStore;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to Redis: single, Sentinel or Cluster. Commands are pipelined over one connection
 * (one per node of a cluster), answered in time or failed, and never sent twice behind our back.
 */
public final class Redis implements AutoCloseable {

  /** Twice this, and some work of our own, still answers a visitor within 3 seconds. */
  public static final Duration TIMEOUT = Duration.ofSeconds(1);

  /** How long connecting and greeting may take, each. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

  /** How long a connection may leave everything unanswered. */
  private static final Duration SILENCE = Duration.ofSeconds(3);

  private static final int MAX_COMMANDS = 10_000;

  private static final Logger log = LoggerFactory.getLogger(Redis.class);

  private final ClientResources resources;
  private final AbstractRedisClient client;
  private final StatefulConnection<String, String> connection;
  private final RedisClusterAsyncCommands<String, String> commands;

  /** Whether the log was told so. */
  private volatile boolean isDemoted;

  private Redis(
      ClientResources resources,
      AbstractRedisClient client,
      StatefulConnection<String, String> connection,
      RedisClusterAsyncCommands<String, String> commands) {
    this.resources = resources;
    this.client = client;
    this.connection = connection;
    this.commands = commands;
  }

  /**
   * Connects, or fails if that does not work within a few seconds.
   *
   * @param uri {@code redis://}, {@code rediss://}, {@code redis-sentinel://h1,h2/0#name} or {@code
   *     redis-cluster://h1:p,h2:p} ({@code rediss-cluster://} with TLS)
   */
  public static Redis connect(String uri) {
    return connect(uri, MAX_COMMANDS);
  }

  /**
   * @param maxCommands how many may be without an answer; the next one is refused
   */
  public static Redis connect(String uri, int maxCommands) {
    ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    ClientResources resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(
                Delay.exponential(
                    Duration.ofMillis(20), Duration.ofMillis(500), 2, TimeUnit.MILLISECONDS))
            .nettyCustomizer(SilenceGuard.onEveryConnection(SILENCE, open))
            .build();
    try {
      return uri.startsWith("redis-cluster://") || uri.startsWith("rediss-cluster://")
          ? cluster(uri, maxCommands, resources)
          : single(uri, maxCommands, resources).watchRole(open);
    } catch (RuntimeException e) {
      resources.shutdown(0, 1, TimeUnit.SECONDS);
      throw e;
    }
  }

  private static Redis single(String uri, int maxCommands, ClientResources resources) {
    var client = RedisClient.create(resources, impatient(RedisURI.create(uri)));
    client.setOptions(options(ClientOptions.builder(), maxCommands).build());
    try {
      var connection = client.connect();
      return new Redis(resources, client, connection, connection.async());
    } catch (RuntimeException e) {
      client.shutdown();
      throw e;
    }
  }

  private static Redis cluster(String uri, int maxCommands, ClientResources resources) {
    var client = RedisClusterClient.create(resources, clusterNodes(uri));
    var builder =
        ClusterClientOptions.builder()
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(1))
                    .enablePeriodicRefresh(Duration.ofSeconds(30))
                    .build());
    options(builder, maxCommands);
    client.setOptions(builder.build());
    try {
      var connection = client.connect();
      // Lettuce connects to a node on its first command, which we refuse while there is no
      // connection.
      connection.getPartitions().stream()
          .filter(node -> node.is(NodeFlag.UPSTREAM))
          .map(RedisClusterNode::getUri)
          .forEach(nodeUri -> connection.getConnection(nodeUri.getHost(), nodeUri.getPort()));
      return new Redis(resources, client, connection, connection.async());
    } catch (RuntimeException e) {
      client.shutdown();
      throw e;
    }
  }

  /**
   * Asks once a second whether this is the master. After a fail-over a connection may be left to
   * what was one, and refuses every change; nobody would look for the new one as long as it holds.
   * Closed, it is made again, to whichever the Sentinels name by then, or the address leads to.
   */
  private Redis watchRole(ChannelGroup open) {
    resources
        .eventExecutorGroup()
        .scheduleWithFixedDelay(() -> askRole(open), 1, 1, TimeUnit.SECONDS);
    return this;
  }

  private void askRole(ChannelGroup open) {
    if (!connection.isOpen()) {
      return;
    }
    commands
        .role()
        .whenComplete(
            (role, failure) -> {
              // One that may not be asked is taken for the master.
              boolean isMaster =
                  failure != null || role.isEmpty() || "master".equals(role.getFirst());
              if (isMaster) {
                isDemoted = isDemoted && failure != null;
                return;
              }
              if (!isDemoted) {
                log.warn("this Redis is a {} by now: looking for the master", role.getFirst());
              }
              isDemoted = true;
              open.close();
            });
  }

  /** {@code redis-cluster://[user:password@]h1:p,h2:p} as one URI per node. */
  static List<RedisURI> clusterNodes(String uri) {
    String scheme = uri.startsWith("rediss-") ? "rediss://" : "redis://";
    String rest = uri.substring(uri.indexOf("://") + 3);
    int at = rest.lastIndexOf('@') + 1;
    String credentials = rest.substring(0, at);
    return Arrays.stream(rest.substring(at).split(",", -1))
        .map(node -> impatient(RedisURI.create(scheme + credentials + node)))
        .toList();
  }

  /** A Redis that accepts connections and then says nothing must not hold us up for a minute. */
  private static RedisURI impatient(RedisURI uri) {
    uri.setTimeout(CONNECT_TIMEOUT);
    uri.getSentinels().forEach(sentinel -> sentinel.setTimeout(CONNECT_TIMEOUT));
    return uri;
  }

  private static ClientOptions.Builder options(ClientOptions.Builder builder, int maxCommands) {
    return builder
        .timeoutOptions(TimeoutOptions.enabled(TIMEOUT))
        .socketOptions(SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).build())
        .sslOptions(SslOptions.builder().handshakeTimeout(CONNECT_TIMEOUT).build())
        .requestQueueSize(maxCommands)
        // Fail at once while disconnected, and do not send again after a reconnect what was under
        // way before: whoever asked has been answered by then.
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(command -> true);
  }

  public RedisClusterAsyncCommands<String, String> commands() {
    return commands;
  }

  /** Runs a script, loading it where Redis does not know it (yet, or any more after a restart). */
  public CompletionStage<List<Object>> run(Script script, String[] keys, String... args) {
    CompletionStage<List<Object>> reply =
        commands.evalsha(script.sha1(), ScriptOutputType.MULTI, keys, args);
    return reply
        .handle(
            (list, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedStage(list);
              }
              return unwrap(failure) instanceof RedisNoScriptException
                  ? commands.<List<Object>>eval(script.text(), ScriptOutputType.MULTI, keys, args)
                  : CompletableFuture.<List<Object>>failedStage(failure);
            })
        .thenCompose(stage -> stage)
        .exceptionallyCompose(
            failure -> CompletableFuture.failedStage(unavailable(script.name(), failure)));
  }

  /** What a failed command means to whoever needed its answer. */
  public static QueueUnavailable unavailable(String operation, Throwable failure) {
    Throwable cause = unwrap(failure);
    return switch (cause) {
      case RedisCommandTimeoutException e ->
          new QueueUnavailable(
              Kind.TIMEOUT,
              "Redis did not answer " + operation + " within " + TIMEOUT.toMillis() + " ms",
              e);
      case RedisCommandExecutionException e ->
          new QueueUnavailable(
              Kind.REFUSED, "Redis refused " + operation + ": " + e.getMessage(), e);
      case RedisException e when isTooMany(e) ->
          new QueueUnavailable(
              Kind.OVERLOADED, "too many commands wait for Redis to take " + operation, e);
      default ->
          new QueueUnavailable(
              Kind.DISCONNECTED,
              "no connection to Redis for " + operation + ": " + cause.getMessage(),
              cause);
    };
  }

  /** "Request queue size exceeded", "Internal stack size exceeded": Lettuce has no type for it. */
  private static boolean isTooMany(RedisException e) {
    return String.valueOf(e.getMessage()).contains("size exceeded");
  }

  private static Throwable unwrap(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** A value that all servers share: the first one's candidate. Blocks; for the start only. */
  public String shared(String name, String candidate) {
    String key = Keys.secret(name);
    commands.set(key, candidate, SetArgs.Builder.nx()).toCompletableFuture().join();
    String value = commands.get(key).toCompletableFuture().join();
    return value == null ? candidate : value;
  }

  /**
   * Claims this Redis for the copies of one ledger. Blocks; for the start only.
   *
   * @return why it cannot be, or null
   */
  public @Nullable String claimFor(String ledger) {
    try {
      return claim(ledger);
    } catch (CompletionException e) {
      if (e.getCause() instanceof RedisCommandExecutionException refused) {
        return "it does not take what a server writes ("
            + refused.getMessage()
            + "); name one that does, a master and not its replica";
      }
      throw e;
    }
  }

  private @Nullable String claim(String ledger) {
    if (commands.exists(Keys.QUEUES).toCompletableFuture().join() > 0) {
      return "it holds lines that no ledger decides (--ledger none); take another Redis or database"
          + " number, or empty this one";
    }
    commands.set(Keys.LEDGER, ledger, SetArgs.Builder.nx()).toCompletableFuture().join();
    String owner = commands.get(Keys.LEDGER).toCompletableFuture().join();
    return owner == null || owner.equals(ledger)
        ? null
        : "it holds the lines of another ledger ("
            + owner
            + ", this one is "
            + ledger
            + "); servers share one ledger and one Redis";
  }

  /** Names this ledger again if Redis has lost that. */
  public void offerTo(String ledger) {
    commands.set(Keys.LEDGER, ledger, SetArgs.Builder.nx());
  }

  /** The ledger whose copies are here, or null. Blocks; for the start only. */
  public @Nullable String ledger() {
    return commands.get(Keys.LEDGER).toCompletableFuture().join();
  }

  /** Puts a shared value back if Redis has lost it. */
  public void offer(String name, String value) {
    commands.set(Keys.secret(name), value, SetArgs.Builder.nx());
  }

  /** The keys that all servers of this Redis sign with. */
  public KeyStore keys() {
    return new RedisKeys(this);
  }

  /**
   * What an operator should know about this Redis.
   *
   * @param description version and durability, in words
   * @param losesRestarts what a restart of it costs where nothing else keeps the line
   */
  public record Facts(String description, List<String> warnings, Optional<String> losesRestarts) {}

  /** Asks Redis about itself. Blocks; for the start only. */
  public Facts facts() {
    String info = commands.info().toCompletableFuture().join();
    String version = field(info, "redis_version");
    boolean isLogged = "1".equals(field(info, "aof_enabled"));
    String policy = field(info, "maxmemory_policy");
    List<String> warnings = new ArrayList<>();
    String loss =
        "this Redis keeps no append-only file: its restart loses who joined since its last"
            + " snapshot (appendonly yes)";
    if (!policy.isEmpty()
        && !policy.equals("noeviction")
        && !"0".equals(field(info, "maxmemory"))) {
      warnings.add(
          "this Redis may evict people from the line when its memory is full: maxmemory-policy is "
              + policy
              + ", use noeviction");
    }
    return new Facts(
        "Redis " + version + (isLogged ? ", append-only file on" : ", append-only file off"),
        warnings,
        isLogged ? Optional.empty() : Optional.of(loss));
  }

  private static String field(String info, String name) {
    for (String line : info.split("\r?\n", -1)) {
      if (line.startsWith(name + ":")) {
        return line.substring(name.length() + 1);
      }
    }
    return "";
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    resources.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
