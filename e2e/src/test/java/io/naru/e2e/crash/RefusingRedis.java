package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Has a Redis answer with an error of a certain name, and makes sure that it did. */
final class RefusingRedis {

  /** Without these some of them cannot be had, or not soon. */
  static final String[] OPTIONS = {"--enable-debug-command", "yes", "--busy-reply-threshold", "50"};

  /** Takes 20 s to be loaded, if nobody hurries it. */
  private static final int FILLERS = 1_000;

  private static final String LOAD_DELAY_MICROS = "20000";

  private final RedisServer redis;

  RefusingRedis(RedisServer redis) {
    this.redis = redis;
  }

  /** What happens while it refuses. */
  interface Meanwhile {
    void happens() throws Exception;
  }

  /** What was begun, until it is ended. */
  private interface Trouble extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  void refuse(String error, Meanwhile meanwhile) throws Exception {
    long before = answered(error);
    try (Trouble _ = begin(error)) {
      meanwhile.happens();
    }
    InvalidRun.unless(answered(error) > before, "Redis has not answered " + error);
  }

  private Trouble begin(String error) throws IOException {
    return switch (error) {
      case "OOM" -> {
        set("maxmemory", "1");
        yield () -> set("maxmemory", "0");
      }
      case "READONLY" -> {
        call("REPLICAOF", "127.0.0.1", "1");
        yield () -> call("REPLICAOF", "NO", "ONE");
      }
      case "NOSCRIPT" -> {
        call("SCRIPT", "FLUSH");
        yield () -> {};
      }
      case "MISCONF" -> snapshotsFail();
      case "BUSY" -> {
        var endless = CompletableFuture.runAsync(() -> tryCall("EVAL", "while true do end", "0"));
        yield () -> {
          call("SCRIPT", "KILL");
          endless.join();
        };
      }
      case "LOADING" -> load();
      default -> throw new IllegalArgumentException(error);
    };
  }

  /** A folder where the snapshot should be: it is written, and cannot take its place. */
  private Trouble snapshotsFail() throws IOException {
    Path snapshot = Path.of(call("CONFIG", "GET", "dir").split("\n", -1)[1], "dump.rdb");
    Files.deleteIfExists(snapshot);
    Files.createDirectory(snapshot);
    set("save", "3600 1");
    call("BGSAVE");
    await("a snapshot that fails")
        .until(() -> call("INFO", "persistence").contains("rdb_last_bgsave_status:err"));
    return () -> {
      set("save", "");
      Files.delete(snapshot);
    };
  }

  private Trouble load() throws IOException {
    call("DEBUG", "POPULATE", "" + FILLERS, "filler", "2000");
    set("loading-process-events-interval-bytes", "1024");
    set("rdbcompression", "no");
    set("key-load-delay", LOAD_DELAY_MICROS);
    var loading = CompletableFuture.runAsync(() -> tryCall("DEBUG", "RELOAD"));
    return () -> {
      set("key-load-delay", "0");
      loading.join();
      for (int i = 0; i < FILLERS; i++) {
        call("UNLINK", "filler:" + i);
      }
    };
  }

  /** How often it has answered so, by its own count. */
  private long answered(String error) throws IOException {
    String begin = "errorstat_" + error + ":count=";
    return call("INFO", "errorstats")
        .lines()
        .filter(line -> line.startsWith(begin))
        .mapToLong(line -> Long.parseLong(line.substring(begin.length()).strip()))
        .findFirst()
        .orElse(0);
  }

  private void set(String name, String value) throws IOException {
    call("CONFIG", "SET", name, value);
  }

  private String call(String... words) throws IOException {
    try (var connection = redis.connect()) {
      return connection.call(words);
    }
  }

  /** Also if it is not to end well. */
  private void tryCall(String... words) {
    try {
      call(words);
    } catch (IOException | UncheckedIOException e) {
      // Whatever came of it, it is over.
    }
  }
}
