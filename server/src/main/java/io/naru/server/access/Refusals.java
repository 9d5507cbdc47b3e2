package io.naru.server.access;

import io.naru.audit.Act;
import io.naru.audit.AuditTrail;
import io.naru.queue.QueueId;
import io.naru.server.http.Blocking;
import io.naru.server.http.Caller;
import io.naru.server.http.Problem;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What somebody with a key tried and may not: noted once a minute for each key, call and queue. Who
 * goes through many queues is noted for as many as tell what they are after; the log and the audit
 * stay small, whatever they name.
 */
public final class Refusals {

  private static final Logger log = LoggerFactory.getLogger(Refusals.class);
  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  /** How many different ones are noted of a key in a minute. */
  static final int MAX_OF_A_KEY = 50;

  private record Tried(String call, @Nullable QueueId queue) {}

  private final @Nullable AuditTrail trail;
  private final Map<String, Set<Tried>> thisMinute = new ConcurrentHashMap<>();

  /**
   * @param trail null where only the log has it
   */
  public Refusals(@Nullable AuditTrail trail) {
    this.trail = trail;
  }

  /**
   * @param call in words, and never what came from outside
   */
  public void note(Caller caller, String call, @Nullable QueueId queue, Problem refusal) {
    Set<Tried> ofKey = thisMinute.computeIfAbsent(caller.key(), _ -> ConcurrentHashMap.newKeySet());
    if (ofKey.size() < MAX_OF_A_KEY && ofKey.add(new Tried(call, queue))) {
      audit.info(
          "REFUSED {}: {}{} by {} from {}",
          refusal.code(),
          call,
          queue == null ? "" : " of " + queue,
          caller.actor().who(),
          caller.actor().from());
      if (trail != null) {
        Map<String, String> told = Map.of("call", call, "code", refusal.code());
        keep(trail, new Act(caller.actor(), Act.Kind.REFUSED, queue, Map.of(), told));
      }
    }
  }

  /** Nobody waits for it: what is refused is refused, whatever becomes of this. */
  private static void keep(AuditTrail trail, Act act) {
    Blocking.call(
            () -> {
              trail.note(act);
              return act;
            })
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                log.warn("a refusal is not in the audit: {}", failure.getMessage());
              }
            });
  }

  /** To be called once a minute. */
  public void minute() {
    thisMinute.clear();
  }
}
