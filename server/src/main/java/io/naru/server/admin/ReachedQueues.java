package io.naru.server.admin;

import static java.util.concurrent.CompletableFuture.completedStage;

import io.naru.access.Reach;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The list of queues for a key that is for some of them: each of its names is looked for by itself,
 * so that it is as quick beside thousands of others, and names none of them.
 */
final class ReachedQueues {

  /** No id of a queue comes before this one. */
  private static final String FIRST_ID = "0";

  private final Queues queues;
  private final Reach reach;

  ReachedQueues(Queues queues, Reach reach) {
    this.queues = queues;
    this.reach = reach;
  }

  /** As {@link Queues#list}. */
  CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit) {
    return more(reach.names().iterator(), after, limit, new ArrayList<>());
  }

  private CompletionStage<List<Overview>> more(
      Iterator<String> names, @Nullable QueueId after, int limit, List<Overview> found) {
    if (!names.hasNext() || found.size() >= limit) {
      return completedStage(found.subList(0, Math.min(limit, found.size())));
    }
    String name = names.next();
    int slash = name.indexOf('/');
    String type = name.substring(0, slash);
    CompletionStage<List<Overview>> next =
        Reach.isWhole(name)
            ? ofType(type, after, limit)
            : named(new QueueId(type, name.substring(slash + 1)), after);
    return next.thenCompose(
        some -> {
          found.addAll(some);
          return more(names, after, limit, found);
        });
  }

  private CompletionStage<List<Overview>> named(QueueId queue, @Nullable QueueId after) {
    return after != null && queue.compareTo(after) <= 0
        ? completedStage(List.of())
        : queues.find(queue).thenApply(overview -> overview.stream().toList());
  }

  private CompletionStage<List<Overview>> ofType(String type, @Nullable QueueId after, int limit) {
    var first = new QueueId(type, FIRST_ID);
    boolean isBegun = after != null && first.compareTo(after) <= 0;
    CompletionStage<List<Overview>> beginning =
        isBegun ? completedStage(List.of()) : named(first, after);
    return beginning.thenCombine(
        queues.list(isBegun ? after : first, limit),
        (some, rest) -> {
          List<Overview> all = new ArrayList<>(some);
          rest.stream()
              .takeWhile(overview -> overview.queue().id().type().equals(type))
              .forEach(all::add);
          return all;
        });
  }
}
