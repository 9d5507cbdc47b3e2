package io.naru.server.fair;

import io.naru.fair.Drand;
import io.naru.queue.DrawView;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.server.entry.Drawn;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The draws that are under way, as this server saw them last, and the orders that it knows. */
final class KnownDraws implements Drawn {

  private final Drand chain;
  private final Map<QueueId, DrawView> views = new ConcurrentHashMap<>();
  private final Map<QueueId, DrawnOrder> orders = new ConcurrentHashMap<>();

  KnownDraws(Drand chain) {
    this.chain = chain;
  }

  void see(QueueId queue, DrawView view) {
    views.put(queue, view);
    orders.computeIfPresent(queue, (_, order) -> order.isOf(view) ? order : null);
  }

  void put(QueueId queue, DrawnOrder order) {
    orders.put(queue, order);
  }

  @Nullable DrawnOrder order(QueueId queue) {
    return orders.get(queue);
  }

  int orders() {
    return orders.size();
  }

  /** All others are over. */
  void keepOnly(Collection<QueueId> underWay) {
    views.keySet().retainAll(underWay);
    orders.keySet().retainAll(underWay);
  }

  Map<QueueId, DrawView> views() {
    return views;
  }

  @Override
  public long ahead(EntryKey key, int lane, LineState line) {
    DrawnOrder order = orders.get(key.queue());
    return order == null ? UNKNOWN : order.ahead(key.joined(), lane, line);
  }

  @Override
  public @Nullable Facts facts(QueueId queue) {
    DrawView view = views.get(queue);
    if (view == null || view.closedAt() == 0) {
      return null;
    }
    long people =
        view.isSealed()
            ? view.count()
            : view.lanes().stream().mapToLong(DrawView.OfLane::waiting).sum();
    return view.isWaitingForCoin() && view.round() > 0
        ? new Facts(people, view.round(), chain.startOf(view.round()))
        : new Facts(people, 0, 0);
  }
}
