package io.naru.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.naru.batch.BatchObserver;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.redis.plain.RedisQueues;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which Redis is meant, who may use it, and what all servers share there. */
class RedisUriTest {

  private static final QueueId QUEUE = new QueueId("URI", "1");

  private static RedisServer store;

  @BeforeAll
  static void start() throws IOException {
    store = RedisServer.start(RedisBinary.embedded());
    call(store, "ACL", "SETUSER", "naru", "on", ">p@ss,word", "~*", "&*", "+@all");
  }

  @AfterAll
  static void stop() {
    store.close();
  }

  private static void call(RedisServer server, String... words) throws IOException {
    try (RedisConnection redis = server.connect()) {
      redis.call(words);
    }
  }

  private static void assertWorks(Redis redis) {
    var queues = new RedisQueues(redis, BatchObserver.NONE);
    queues.edit(QUEUE, Edit.activate(Map.of())).toCompletableFuture().join();
    assertThat(queues.find(QUEUE).toCompletableFuture().join()).isPresent();
    queues.delete(QUEUE, Actor.SYSTEM).toCompletableFuture().join();
  }

  // Parsing.

  @Test
  void clusterNodes_several_haveCredentialsAndSchemeEach() {
    List<RedisURI> nodes =
        Redis.clusterNodes("rediss-cluster://naru:p%40ss@one.example:7000,two.example:7001");

    assertThat(nodes).extracting(RedisURI::getHost).containsExactly("one.example", "two.example");
    assertThat(nodes).extracting(RedisURI::getPort).containsExactly(7_000, 7_001);
    assertThat(nodes)
        .allSatisfy(
            node -> {
              assertThat(node.isSsl()).isTrue();
              var credentials = node.getCredentialsProvider().resolveCredentials().block();
              assertThat(credentials.getUsername()).isEqualTo("naru");
              assertThat(new String(credentials.getPassword())).isEqualTo("p@ss");
            });
  }

  @Test
  void clusterNodes_plain_haveDefaults() {
    List<RedisURI> nodes = Redis.clusterNodes("redis-cluster://one.example,10.0.0.2:7001");

    assertThat(nodes).extracting(RedisURI::getHost).containsExactly("one.example", "10.0.0.2");
    assertThat(nodes).extracting(RedisURI::getPort).containsExactly(6_379, 7_001);
    assertThat(nodes).noneMatch(RedisURI::isSsl);
    // What Lettuce waits for a greeting; its default is a minute.
    assertThat(nodes).extracting(RedisURI::getTimeout).containsOnly(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "http://127.0.0.1:6379",
        "redis://",
        "redis-cluster://",
        "redis:/x"
      })
  void connect_noSuchAddress_saysSo(String uri) {
    assertThatThrownBy(() -> Redis.connect(uri).close())
        .isInstanceOf(IllegalArgumentException.class);
  }

  // Connecting.

  @Test
  @Timeout(30)
  void connect_nobodyThere_failsAndLeavesNothingRunning() {
    String uri;
    try (var gone = RedisServer.start(RedisBinary.embedded())) {
      uri = gone.uri();
    }
    List<String> before = lettuceThreads();

    assertThatThrownBy(() -> Redis.connect(uri)).hasStackTraceContaining("refused");
    assertThatThrownBy(() -> Redis.connect(uri.replace("redis:", "redis-cluster:")));

    await().atMost(Duration.ofSeconds(20)).until(() -> before.containsAll(lettuceThreads()));
  }

  private static List<String> lettuceThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("lettuce"))
        .toList();
  }

  @Test
  @Timeout(30)
  void connect_tlsWhereThereIsNone_fails() {
    String uri = store.uri().replace("redis:", "rediss:");

    assertThatThrownBy(() -> Redis.connect(uri)).isInstanceOf(RuntimeException.class);
  }

  @Test
  @Timeout(30)
  void connect_redisThatSaysNothing_fails() {
    store.freeze();
    try {
      assertThatThrownBy(() -> Redis.connect(store.uri())).isInstanceOf(RuntimeException.class);
    } finally {
      store.thaw();
    }
  }

  @Test
  void connect_withCredentialsAndDatabase_usesThem() throws IOException {
    String uri = "redis://naru:p%40ss,word@127.0.0.1:" + store.port() + "/3";
    try (var redis = Redis.connect(uri)) {
      assertWorks(redis);
      assertThat(redis.commands().aclWhoami().toCompletableFuture().join()).isEqualTo("naru");
      redis.shared("place", "here");
    }
    try (var plain = store.connect()) {
      plain.call("SELECT", "3");
      assertThat(plain.call("GET", "naru:secret:place")).isEqualTo("here");
    }
    assertThatThrownBy(() -> Redis.connect(uri.replace("word", "wrong")))
        .hasStackTraceContaining("WRONGPASS");
  }

  @Test
  void connect_clusterWithCredentials_usesThem() throws IOException {
    try (var node = RedisServer.start(RedisBinary.embedded(), "--cluster-enabled", "yes")) {
      call(node, "CLUSTER", "ADDSLOTSRANGE", "0", "16383");
      call(node, "CONFIG", "SET", "requirepass", "p@ss,word");
      String uri = "redis-cluster://:p%40ss,word@127.0.0.1:" + node.port();
      await().atMost(Duration.ofSeconds(20)).until(() -> slotsAreServed(node));

      try (var redis = Redis.connect(uri)) {
        assertWorks(redis);
      }
      assertThatThrownBy(() -> Redis.connect(uri.replace("word", "wrong")))
          .isInstanceOf(RuntimeException.class);
    }
  }

  private static boolean slotsAreServed(RedisServer node) throws IOException {
    try (RedisConnection redis = node.connect()) {
      redis.call("AUTH", "p@ss,word");
      return redis.call("CLUSTER", "INFO").contains("cluster_state:ok");
    }
  }

  // Sharing.

  @Test
  void shared_manyServers_haveTheFirstOnesCandidate() throws Exception {
    try (var one = Redis.connect(store.uri());
        var two = Redis.connect(store.uri())) {
      List<CompletableFuture<String>> asked = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String candidate = "candidate" + i;
        Redis server = i % 2 == 0 ? one : two;
        asked.add(CompletableFuture.supplyAsync(() -> server.shared("many", candidate)));
      }
      String first = asked.getFirst().get(5, SECONDS);

      for (var answer : asked) {
        assertThat(answer.get(5, SECONDS)).isEqualTo(first);
      }
      assertThat(first).startsWith("candidate");
      assertThat(two.shared("many", "late")).isEqualTo(first);
      assertThat(two.shared("other", "late")).isEqualTo("late");
    }
  }

  @Test
  void offer_afterRedisWasEmptied_putsItBack() throws IOException {
    try (var redis = Redis.connect(store.uri())) {
      String value = redis.shared("kept", "first");
      redis.offer("kept", "another");
      assertThat(redis.shared("kept", "late")).isEqualTo(value);
      call(store, "FLUSHALL");

      redis.offer("kept", value);

      assertThat(redis.shared("kept", "late")).isEqualTo("first");
    }
  }
}
