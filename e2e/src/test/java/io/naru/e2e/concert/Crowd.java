package io.naru.e2e.concert;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.HttpConnection.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** More visitors than there are good seats, all at once. */
final class Crowd {

  static final List<String> USERS = IntStream.range(0, 80).mapToObj(i -> "u" + i).toList();
  static final int CAPACITY = 10;

  private static final Pattern FREE = Pattern.compile("<option>([A-J]\\d+)");

  private Crowd() {}

  /**
   * @param mostInside as the ledger said at any moment
   * @param taken how often somebody was faster
   */
  record Result(long mostInside, int taken) {}

  /** Everybody goes the whole way. */
  static Result visit(Evening evening) throws ExecutionException, InterruptedException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var over = new AtomicBoolean();
      Future<Long> mostInside = threads.submit(() -> watch(evening, over));
      try {
        List<Future<Integer>> visits = new ArrayList<>();
        for (String user : USERS) {
          visits.add(threads.submit(() -> visit(evening.visitor(user))));
        }
        int taken = 0;
        for (Future<Integer> visit : visits) {
          taken += visit.get();
        }
        over.set(true);
        return new Result(mostInside.get(), taken);
      } finally {
        over.set(true);
      }
    }
  }

  /** The whole way of one visitor; answers how often somebody was faster. */
  private static int visit(Visitor visitor) {
    var random = new Random(visitor.user().hashCode());
    String pass = visitor.enterAndGetPass();
    // Nobody likes the back rows, so they all want the same seats first.
    String seat = "A" + (1 + random.nextInt(20));
    for (int taken = 0; ; taken++) {
      Reply reply = visitor.reserve(pass, seat);
      if (reply.status() == 201) {
        return taken;
      }
      assertThat(reply.status()).as(reply.body()).isEqualTo(409);
      List<String> free =
          FREE.matcher(visitor.look(pass, "/reservations/new").body())
              .results()
              .map(result -> result.group(1))
              .toList();
      seat = free.get(random.nextInt(Math.min(free.size(), 20)));
    }
  }

  private static long watch(Evening evening, AtomicBoolean over) throws InterruptedException {
    long most = 0;
    while (!over.get()) {
      most =
          Math.max(most, evening.entries().stream().filter(it -> it.endsWith(" ENTERED")).count());
      Thread.sleep(20);
    }
    return most;
  }
}
