package io.naru.server.access;

import io.naru.queue.QueueId;
import io.naru.server.http.Caller;
import io.naru.server.http.Problem;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What somebody with a key tried and may not: noted once a minute for each key and call. */
public final class Refusals {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private record Tried(String key, String call) {}

  private final Set<Tried> thisMinute = ConcurrentHashMap.newKeySet();

  /**
   * @param call in words, and never what came from outside
   */
  public void note(Caller caller, String call, @Nullable QueueId queue, Problem refusal) {
    if (thisMinute.add(new Tried(caller.key(), call))) {
      audit.info(
          "REFUSED {}: {}{} by {} from {}",
          refusal.code(),
          call,
          queue == null ? "" : " of " + queue,
          caller.actor().who(),
          caller.actor().from());
    }
  }

  /** To be called once a minute. */
  public void minute() {
    thisMinute.clear();
  }
}
