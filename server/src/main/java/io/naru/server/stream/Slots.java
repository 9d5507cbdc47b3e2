package io.naru.server.stream;

import io.naru.net.Address;
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

  /** By {@link Address#host}. */
  private final Map<Long, Integer> byAddress = new ConcurrentHashMap<>();

  /** The right to one stream. Giving it back twice does no harm. */
  final class Slot {
    private final Optional<Long> host;
    private final AtomicBoolean isTaken = new AtomicBoolean(true);

    private Slot(Optional<Long> host) {
      this.host = host;
    }

    void giveBack() {
      if (isTaken.compareAndSet(true, false)) {
        open.decrementAndGet();
        host.ifPresent(h -> byAddress.computeIfPresent(h, (_, n) -> n == 1 ? null : n - 1));
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
   * @param address of the visitor, a literal; empty if a proxy stands between, which all may share
   */
  Optional<Slot> take(Optional<String> address) {
    if (open.incrementAndGet() > max) {
      open.decrementAndGet();
      return Optional.empty();
    }
    Optional<Long> host = address.map(literal -> Address.of(literal).host());
    var slot = new Slot(host);
    if (host.isPresent() && byAddress.merge(host.get(), 1, Integer::sum) > maxPerAddress) {
      slot.giveBack();
      return Optional.empty();
    }
    return Optional.of(slot);
  }
}
