package io.naru.ledger;

import static java.util.Objects.requireNonNull;

import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.line.Told;
import io.naru.memory.MemoryCopy;
import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Two servers on one database, without Redis. Each step is done by one of them in turn, and places
 * are asked for at the second, by somebody who has seen whatever was there to be seen.
 */
final class TwoLedgers implements BeforeAllCallback, AfterAllCallback {

  /** More than any line has seen. */
  private static final long EVERYTHING = 999_999_999_999_999L;

  private final Supplier<Ledger.Config> database;
  private final AtomicInteger turn = new AtomicInteger();
  private CompletableFuture<?> last = CompletableFuture.completedFuture(true);
  private @Nullable LedgerFixture one;
  private @Nullable LedgerFixture two;

  private TwoLedgers(Supplier<Ledger.Config> database) {
    this.database = database;
  }

  static TwoLedgers onPostgres() {
    return new TwoLedgers(LedgerFixture::postgres);
  }

  static TwoLedgers onMariaDb() {
    return new TwoLedgers(LedgerFixture::mariaDb);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    Ledger.Config config = database.get();
    one = new LedgerFixture(config, new MemoryCopy());
    two = new LedgerFixture(config, new MemoryCopy());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    one().close();
    requireNonNull(two).close();
  }

  LedgerFixture one() {
    return requireNonNull(one);
  }

  void advance(Duration by) {
    one().advance(by);
    requireNonNull(two).advance(by);
  }

  Queues queues() {
    return (Queues)
        Proxy.newProxyInstance(
            Queues.class.getClassLoader(),
            new Class<?>[] {Queues.class},
            (_, method, args) -> ask(method, args == null ? new Object[0] : args));
  }

  private @Nullable Object ask(Method method, Object... args) throws Throwable {
    Queues first = one().ledger().queues();
    Queues second = requireNonNull(two).ledger().queues();
    try {
      if (method.getName().equals("onRoom")) {
        method.invoke(first, args);
        return method.invoke(second, args);
      }
      synchronized (turn) {
        // Who does not wait for an answer goes on at the same server: it keeps the order.
        boolean isAwaited = last.isDone();
        if (isAwaited) {
          turn.incrementAndGet();
        }
        Object answer = method.invoke(turn.get() % 2 == 0 ? first : second, args);
        if (answer instanceof CompletionStage<?> stage) {
          @Nullable Object of = args.length > 0 ? args[0] : null;
          last = (isAwaited ? seen(stage, of) : stage).toCompletableFuture();
          return last;
        }
        return answer;
      }
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /**
   * The answer, once the second server has seen what came of it: of several changes that it learns
   * of at once it cannot say what was in between.
   */
  private <T> CompletionStage<T> seen(CompletionStage<T> answer, @Nullable Object of) {
    Line line = requireNonNull(two).ledger().line();
    @Nullable QueueId queue =
        switch (of) {
          case QueueId id -> id;
          case EntryKey key -> key.queue();
          case null, default -> null;
        };
    return queue == null
        ? answer
        : answer.thenCompose(
            value -> line.locate(queue, "nobody", EVERYTHING).handle((_, _) -> value));
  }

  Line line() {
    Line line = requireNonNull(two).ledger().line();
    return new Line() {
      @Override
      public CompletionStage<Standing> locate(QueueId queue, String user) {
        return line.locate(queue, user, EVERYTHING);
      }

      @Override
      public CompletionStage<Standing> earlier(EntryKey entry) {
        return line.earlier(entry);
      }

      private CompletionStage<Standing> caughtUp(QueueId queue) {
        return line.locate(queue, "nobody", EVERYTHING);
      }

      @Override
      public CompletionStage<Moved> since(QueueId queue, long change) {
        return caughtUp(queue).thenCompose(_ -> line.since(queue, change));
      }

      @Override
      public CompletionStage<Optional<Tickets>> tickets(QueueId queue) {
        return caughtUp(queue).thenCompose(_ -> line.tickets(queue));
      }

      @Override
      public CompletionStage<Optional<Tile>> tile(QueueId queue, Tile.Block block) {
        return caughtUp(queue).thenCompose(_ -> line.tile(queue, block));
      }

      @Override
      public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
        return line.over(queue, after, each);
      }

      @Override
      public CompletionStage<Told> latestOver(QueueId queue, int most, Consumer<OverTurn> each) {
        return line.latestOver(queue, most, each);
      }
    };
  }
}
