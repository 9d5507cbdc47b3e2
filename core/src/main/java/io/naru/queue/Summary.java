package io.naru.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * What all queues come to.
 *
 * @param queues how many there are
 * @param all their figures added up, except the longest wait, which is that of the busiest
 * @param busiest those with the most people in them, the most first
 */
public record Summary(long queues, Figures all, List<Overview> busiest) {

  /** The most people first; then in the order of their names. */
  private static final Comparator<Overview> BUSIEST_FIRST =
      Comparator.comparingLong((Overview o) -> o.figures().waiting() + o.figures().inside())
          .reversed()
          .thenComparing(o -> o.queue().id());

  public Summary {
    busiest = List.copyOf(busiest);
  }

  /** Adds queues up one by one, without keeping them all. */
  public static final class Count {
    private final int wanted;
    private final PriorityQueue<Overview> busiest = new PriorityQueue<>(BUSIEST_FIRST.reversed());
    private long queues;
    private Figures all = Figures.NONE;

    public Count(int busiest) {
      wanted = busiest;
    }

    public Count add(Overview overview) {
      queues++;
      all = all.plus(overview.figures());
      busiest.add(overview);
      if (busiest.size() > wanted) {
        busiest.remove();
      }
      return this;
    }

    public Summary sum() {
      List<Overview> sorted = new ArrayList<>(busiest);
      sorted.sort(BUSIEST_FIRST);
      return new Summary(queues, all, sorted);
    }
  }
}
