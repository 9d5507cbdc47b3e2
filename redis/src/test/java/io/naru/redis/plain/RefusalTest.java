package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Actor;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Redis answers, but with an error: the caller hears its name, and nothing has happened. */
class RefusalTest extends RedisScenario {

  private static RedisServer store;
  private static RedisFixture fixture;

  @BeforeAll
  static void start() {
    store =
        RedisServer.start(
            RedisBinary.embedded(),
            "--enable-debug-command",
            "yes",
            "--busy-reply-threshold",
            "50");
    fixture = RedisFixture.asInProduction(store.uri());
  }

  @AfterAll
  static void stop() {
    fixture.close();
    store.close();
  }

  @Override
  RedisFixture fixture() {
    return fixture;
  }

  private static String redis(String command) {
    return call(command.split(" ", -1));
  }

  private static String call(String... words) {
    try (RedisConnection redis = store.connect()) {
      return redis.call(words);
    } catch (IOException e) {
      throw new CompletionException(String.join(" ", words), e);
    }
  }

  record Fault(String error, List<String> provoke, List<String> heal) {
    @Override
    public String toString() {
      return error;
    }
  }

  static Stream<Fault> faults() {
    String replica = "REPLICAOF 127.0.0.1 1";
    String master = "REPLICAOF NO ONE";
    String fresh = "CONFIG SET replica-serve-stale-data no";
    String stale = "CONFIG SET replica-serve-stale-data yes";
    return Stream.of(
        new Fault("OOM", List.of("CONFIG SET maxmemory 1"), List.of("CONFIG SET maxmemory 0")),
        new Fault("READONLY", List.of(replica), List.of(master)),
        new Fault("MASTERDOWN", List.of(fresh, replica), List.of(master, stale)),
        new Fault(
            "NOREPLICAS",
            List.of("CONFIG SET min-replicas-to-write 1"),
            List.of("CONFIG SET min-replicas-to-write 0")),
        new Fault(
            "NOPERM",
            List.of("ACL SETUSER default -evalsha -sadd"),
            List.of("ACL SETUSER default +evalsha +sadd")));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void f8_change_redisRefuses_saysSoByNameAndChangesNothing(Fault fault) {
    activateCalm(10, 2);
    EntryKey inside = keyOf("ann");
    admitPaced();
    EntryKey waiting = keyOf("bob");
    Figures before = figures();
    fault.provoke.forEach(RefusalTest::redis);

    try {
      everyCall(inside).stream()
          .filter(call -> call.name().matches("join|complete|edit" + orAdmit(fault)))
          .forEach(call -> assertRefused(fault.error, call.ask()));
    } finally {
      fault.heal.forEach(RefusalTest::redis);
    }

    assertThat(figures())
        .usingRecursiveComparison()
        .ignoringFields("longestWaitMicros")
        .isEqualTo(before);
    assertThat(placeOf("bob").entry().key()).isEqualTo(waiting);
    assertThat(keyOf("cid").joined()).isGreaterThan(waiting.joined());
  }

  /** Whoever goes in leaves the line first, and a script that has begun is carried out. */
  private static String orAdmit(Fault fault) {
    return fault.error.equals("OOM") ? "" : "|admit";
  }

  private static void assertRefused(String error, Supplier<CompletionStage<?>> call) {
    QueueUnavailable failure = failure(call.get());
    assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
    assertThat(failure).hasMessageContaining(error);
  }

  @Test
  void f8_locate_redisFullOrReadOnly_stillShowsPlaces() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    for (Fault fault : faults().filter(f -> f.error.matches("OOM|READONLY|NOREPLICAS")).toList()) {
      fault.provoke.forEach(RefusalTest::redis);
      try {
        assertThat(placeOf("ann").entry().key()).as(fault.error).isEqualTo(ann);
      } finally {
        fault.heal.forEach(RefusalTest::redis);
      }
    }
  }

  @Test
  void f8_join_snapshotsFail_isRefusedAsMisconf() throws IOException {
    activateCalm(10, 1);
    // A folder where the snapshot should be: it is written, and cannot take its place.
    Files.deleteIfExists(snapshot());
    Path inTheWay = Files.createDirectory(snapshot());
    call("CONFIG", "SET", "save", "3600 1");
    redis("BGSAVE");
    eventually(() -> redis("INFO persistence").contains("rdb_last_bgsave_status:err"));
    try {
      assertRefused("MISCONF", () -> queues().join(queue, "ann"));
      assertThat(figures().joined()).isZero();
    } finally {
      Files.delete(inTheWay);
      redis("BGSAVE");
    }
    eventually(() -> redis("INFO persistence").contains("rdb_last_bgsave_status:ok"));
    call("CONFIG", "SET", "save", "");

    assertThat(joinNew("ann").position()).isEqualTo(1);
  }

  private static Path snapshot() {
    return Path.of(redis("CONFIG GET dir").split("\n", -1)[1], "dump.rdb");
  }

  @Test
  void f8_join_anotherScriptNeverEnds_isRefusedAsBusy() {
    activateCalm(10, 1);
    CompletableFuture<String> endless =
        CompletableFuture.supplyAsync(() -> call("EVAL", "while true do end", "0"));
    try {
      // Until the threshold Redis is only slow, then it says so.
      eventually(() -> isRefused(line().locate(queue, "ann")));
      assertRefused("BUSY", () -> queues().join(queue, "ann"));
      assertRefused("BUSY", () -> queues().list(null, 10));
    } finally {
      redis("SCRIPT KILL");
    }
    assertThat(endless).failsWithin(Duration.ofSeconds(5));

    assertThat(joinNew("ann").position()).isEqualTo(1);
  }

  @Test
  void f8_join_redisIsLoading_isRefusedAsLoading() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    redis("DEBUG POPULATE 200 filler 2000");
    redis("CONFIG SET loading-process-events-interval-bytes 1024");
    redis("CONFIG SET rdbcompression no");
    redis("CONFIG SET key-load-delay 20000");
    CompletableFuture<String> reload = CompletableFuture.supplyAsync(() -> redis("DEBUG RELOAD"));
    try {
      eventually(() -> isRefused(line().locate(queue, "ann")));
      assertRefused("LOADING", () -> queues().join(queue, "bob"));
    } finally {
      redis("CONFIG SET key-load-delay 0");
    }
    assertThat(reload).succeedsWithin(Duration.ofSeconds(10));

    assertThat(placeOf("ann").entry().key()).isEqualTo(ann);
    assertThat(joinNew("bob").position()).isEqualTo(2);
  }

  private static boolean isRefused(CompletionStage<?> call) {
    return call.toCompletableFuture().handle((_, failure) -> failure != null).join();
  }

  @Test
  void everyCall_keyOfTheWrongType_isRefusedAsWrongType() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    await(redis().del(key("waiting")));
    await(redis().set(key("waiting"), "nonsense"));

    everyCall(ann).stream()
        .filter(call -> call.name().matches("join|locate|leave|complete|admit|find"))
        .forEach(call -> assertRefused("WRONGTYPE", call.ask()));

    assertThat(await(queues().delete(queue, Actor.SYSTEM))).isTrue();
  }
}
