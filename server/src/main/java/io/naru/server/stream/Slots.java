package io.naru.server.stream;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** How many streams may be open, in all and from one address. */
final class Slots {

  private final int max;
  private final int maxPerAddress;
  private final AtomicInteger open = new AtomicInteger();
  private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();

  /** The right to one stream. Giving it back twice does no harm. */
  final class Slot {
    private final Optional<String> address;
    private final AtomicBoolean isTaken = new AtomicBoolean(true);

    private Slot(Optional<String> address) {
      this.address = address;
    }

    void giveBack() {
      if (isTaken.compareAndSet(true, false)) {
        open.decrementAndGet();
        address.ifPresent(a -> byAddress.computeIfPresent(a, (_, n) -> n == 1 ? null : n - 1));
      }
    }
  }

  Slots(int max, int maxPerAddress) {
    this.max = max;
    this.maxPerAddress = maxPerAddress;
  }

  int open() {
    return open.get();
  }

  /**
   * @param address of the visitor; empty if a proxy stands between, which all may share
   */
  Optional<Slot> take(Optional<String> address) {
    if (open.incrementAndGet() > max) {
      open.decrementAndGet();
      return Optional.empty();
    }
    if (address.isPresent() && byAddress.merge(address.get(), 1, Integer::sum) > maxPerAddress) {
      new Slot(address).giveBack();
      return Optional.empty();
    }
    return Optional.of(new Slot(address));
  }
}
