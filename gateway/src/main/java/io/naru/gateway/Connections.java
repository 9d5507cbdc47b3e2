package io.naru.gateway;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How many visitors' connections are open: in all, and from one address. */
final class Connections {

  private final int most;
  private final int perAddress;
  private final AtomicInteger all = new AtomicInteger();
  private final Map<Long, Integer> addresses = new ConcurrentHashMap<>();

  Connections(int most, int perAddress) {
    this.most = most;
    this.perAddress = perAddress;
  }

  /**
   * Whether one more may be opened. Listed proxies stand for many, and have no limit of their own.
   */
  boolean open(Caller caller) {
    if (all.incrementAndGet() > most) {
      all.decrementAndGet();
      return false;
    }
    if (!caller.isProxy() && addresses.merge(caller.host(), 1, Integer::sum) > perAddress) {
      closed(caller);
      return false;
    }
    return true;
  }

  void closed(Caller caller) {
    all.decrementAndGet();
    if (!caller.isProxy()) {
      addresses.computeIfPresent(caller.host(), (_, count) -> count == 1 ? null : count - 1);
    }
  }

  int count() {
    return all.get();
  }
}
