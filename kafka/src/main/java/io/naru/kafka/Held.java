package io.naru.kafka;

import io.naru.queue.QueueUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The commands that were taken out of the topic and are not over: each is being tried, or failed
 * and waits to be tried again, or is refused and not kept elsewhere yet. For one thread; time is
 * given.
 *
 * <p>Offsets reach up to the oldest command of a partition that is not over, never past it: after a
 * crash it comes again, and with it what was carried out behind it. So that this is not any amount,
 * one that was <em>overtaken</em> (below) is surplus also when too many came behind it.
 *
 * <p>When too many wait, either some queues are in trouble or everything is, and what a command is
 * about is not known here. But if one was carried out whose try began after another had failed,
 * then it is not everything: that other one was <em>overtaken</em>. If it fails several times more
 * it is surplus, and makes room for the rest. While nothing is carried out nobody is overtaken, and
 * where there is no connection to the store, or no room for more to do, no failure is held against
 * anybody, since a moment of health in an outage overtakes most: nothing is given up in one,
 * however long. Only a store that is reached and does not answer, save for a moment, looks like
 * many queues that are locked.
 */
final class Held {

  /** So often a command fails once it was overtaken, before it may be surplus. */
  static final int FAILURES_ONCE_OVERTAKEN = 5;

  /** So many may come behind one that was overtaken, and would come again with it. */
  static final long MAX_BEHIND = 10_000;

  /** Of a body that is longer than is read, and of a key that is, so much is kept. */
  private static final int KEPT_OF_LONG = 1_024;

  private final int maxWaiting;
  private final Pauses pauses;

  /** In the order in which they came, which within a partition is that of their offsets. */
  private final List<Command> open = new ArrayList<>();

  /** Behind the last one that came. */
  private final Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();

  private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();

  /** Tries are numbered as they begin. */
  private long lastTry;

  private long newestTryCarriedOut;

  /**
   * @param maxWaiting beyond it there is no room
   */
  Held(int maxWaiting, Pauses pauses) {
    this.maxWaiting = maxWaiting;
    this.pauses = pauses;
  }

  /** What a poll brought: it is due at once. */
  void add(ConsumerRecords<String, byte[]> some) {
    some.forEach(record -> open.add(new Command(record)));
    ends.putAll(some.nextOffsets());
  }

  /** Begins to try those that are due. */
  void tryDue(
      long nowNanos,
      Function<ConsumerRecord<String, byte[]>, CompletableFuture<Optional<String>>> apply) {
    for (Command command : open) {
      if (command.isDue(nowNanos)) {
        command.begin(++lastTry, apply.apply(command.record));
      }
    }
  }

  /** Takes in the answers that are there: what was carried out is over, what failed waits. */
  Settled settle(long nowNanos) {
    List<Command> carriedOut = new ArrayList<>();
    int refused = 0;
    List<Command> failed = new ArrayList<>();
    for (Command command : open) {
      switch (command.takeAnswer()) {
        case PENDING -> {}
        case CARRIED_OUT -> carriedOut.add(command);
        case REFUSED -> refused++;
        case FAILED -> failed.add(command);
      }
    }
    for (Command command : carriedOut) {
      newestTryCarriedOut = Math.max(newestTryCarriedOut, command.tryNumber);
    }
    for (Command command : failed) {
      command.postpone(nowNanos, pauses.after(command.failures), lastTry, newestTryCarriedOut);
    }
    remove(carriedOut);
    return new Settled(carriedOut.size(), refused);
  }

  /**
   * What came of some tries.
   *
   * @param refused can never be carried out; they are held until removed
   */
  record Settled(int carriedOut, int refused) {}

  /** Those that can never be carried out. */
  List<Command> refused() {
    return open.stream().filter(command -> command.isRefused).toList();
  }

  /**
   * Those that should be set aside: the oldest surplus ones if too many wait, for the rest to go
   * on, and those with too many behind them. They are held until removed.
   */
  List<Command> surplus() {
    long tooMany = waiting().size() - (long) maxWaiting;
    List<Command> surplus = new ArrayList<>();
    for (Command command : open) {
      if (command.isLeftBehind() && (surplus.size() < tooMany || isFarBehind(command))) {
        surplus.add(command);
      }
    }
    return surplus;
  }

  /** Whether too many of its partition came behind it. */
  boolean isFarBehind(Command command) {
    OffsetAndMetadata end = ends.get(command.partition());
    return end != null && end.offset() - 1 - command.record.offset() > MAX_BEHIND;
  }

  void remove(Collection<Command> some) {
    open.removeAll(new HashSet<>(some));
  }

  /** Forgets what is of these partitions: whoever has them now reads it again. */
  void drop(Collection<TopicPartition> partitions) {
    open.removeIf(command -> partitions.contains(command.partition()));
    ends.keySet().removeAll(partitions);
    committed.keySet().removeAll(partitions);
  }

  boolean hasRoom() {
    return open.size() <= maxWaiting;
  }

  /** Whether answers may come at any time. */
  boolean isTrying() {
    return open.stream().anyMatch(command -> command.answer != null);
  }

  /**
   * How long it is until one of those that wait is due.
   *
   * @param atMost if none is sooner
   */
  Duration untilDue(long nowNanos, Duration atMost) {
    long nanos = atMost.toNanos();
    for (Command command : open) {
      if (command.answer == null && !command.isRefused) {
        nanos = Math.min(nanos, command.isDue(nowNanos) ? 0 : command.dueNanos - nowNanos);
      }
    }
    return Duration.ofNanos(nanos);
  }

  /** Those that failed, the oldest first, also while they are tried again. */
  List<Command> waiting() {
    return open.stream().filter(command -> command.failures > 0 && !command.isRefused).toList();
  }

  /** Offsets up to which everything is over, where they are not committed yet. */
  Map<TopicPartition, OffsetAndMetadata> toCommit() {
    Map<TopicPartition, OffsetAndMetadata> reached = new HashMap<>();
    for (Command command : open) {
      reached.putIfAbsent(
          command.partition(),
          new OffsetAndMetadata(command.record.offset(), command.record.leaderEpoch(), ""));
    }
    ends.forEach(reached::putIfAbsent);
    reached.entrySet().removeAll(committed.entrySet());
    return reached;
  }

  void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
    committed.putAll(offsets);
  }

  /** One of them. */
  static final class Command {

    private final ConsumerRecord<String, byte[]> record;
    private @Nullable Future<Optional<String>> answer;
    private boolean isRefused;
    private long tryNumber;
    private int failures;
    private int failuresOnceOvertaken;

    /** The newest try of any command when this one failed for the first time. */
    private long lastTryAtFirstFailure;

    /** Whether the last time the store failed as a whole. */
    private boolean isFailureOfAll;

    private long dueNanos;
    private String reason = "";

    private Command(ConsumerRecord<String, byte[]> record) {
      this.record = bounded(record);
    }

    /** Very many may be held, and anybody who writes to the topic says how large each is. */
    private static ConsumerRecord<String, byte[]> bounded(ConsumerRecord<String, byte[]> record) {
      byte[] body = record.value();
      String key = record.key();
      return new ConsumerRecord<>(
          record.topic(),
          record.partition(),
          record.offset(),
          record.timestamp(),
          record.timestampType(),
          record.serializedKeySize(),
          record.serializedValueSize(),
          key == null || key.length() <= KEPT_OF_LONG ? key : key.substring(0, KEPT_OF_LONG),
          body == null || body.length <= Inlet.MAX_BODY ? body : Arrays.copyOf(body, KEPT_OF_LONG),
          new RecordHeaders(),
          record.leaderEpoch());
    }

    ConsumerRecord<String, byte[]> record() {
      return record;
    }

    int failures() {
      return failures;
    }

    /** Why it was refused, or failed the last time. */
    String reason() {
      return reason;
    }

    private TopicPartition partition() {
      return new TopicPartition(record.topic(), record.partition());
    }

    private boolean isDue(long nowNanos) {
      return answer == null && !isRefused && (failures == 0 || nowNanos - dueNanos >= 0);
    }

    private boolean isLeftBehind() {
      return answer == null && !isRefused && failuresOnceOvertaken >= FAILURES_ONCE_OVERTAKEN;
    }

    private void begin(long number, Future<Optional<String>> coming) {
      tryNumber = number;
      answer = coming;
    }

    private Answer takeAnswer() {
      Future<Optional<String>> given = answer;
      if (given == null || !given.isDone()) {
        return Answer.PENDING;
      }
      answer = null;
      return switch (given.state()) {
        case SUCCESS -> {
          Optional<String> refusal = given.resultNow();
          reason = refusal.orElse("");
          isRefused = refusal.isPresent();
          yield isRefused ? Answer.REFUSED : Answer.CARRIED_OUT;
        }
        case FAILED -> {
          Throwable cause = cause(given.exceptionNow());
          reason =
              cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
          isFailureOfAll = isOfAll(cause);
          yield Answer.FAILED;
        }
        case CANCELLED, RUNNING -> {
          reason = "it was cancelled";
          isFailureOfAll = false;
          yield Answer.FAILED;
        }
      };
    }

    private static Throwable cause(Throwable failure) {
      Throwable cause = failure;
      while (cause instanceof CompletionException && cause.getCause() != null) {
        cause = cause.getCause();
      }
      return cause;
    }

    /**
     * What is wrong with one queue alone (frozen, locked) is said over a connection. A server that
     * has too much to do says nothing of the command at all.
     */
    private static boolean isOfAll(Throwable cause) {
      return cause instanceof QueueUnavailable e
          && switch (e.kind()) {
            case DISCONNECTED, OVERLOADED -> true;
            case TIMEOUT, REFUSED -> false;
          };
    }

    private void postpone(long nowNanos, Duration pause, long lastTry, long newestTryCarriedOut) {
      if (failures == 0) {
        lastTryAtFirstFailure = lastTry;
      } else if (newestTryCarriedOut > lastTryAtFirstFailure && !isFailureOfAll) {
        failuresOnceOvertaken++;
      }
      dueNanos = nowNanos + pause.toNanos();
      failures++;
    }
  }

  private enum Answer {
    PENDING,
    CARRIED_OUT,
    REFUSED,
    FAILED
  }
}
