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

/** What somebody with a key tried and may not: noted once a minute for each key and call. */
public final class Refusals {

  private static final Logger log = LoggerFactory.getLogger(Refusals.class);
  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private record Tried(String key, String call) {}

  private final @Nullable AuditTrail trail;
  private final Set<Tried> thisMinute = ConcurrentHashMap.newKeySet();

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
    if (thisMinute.add(new Tried(caller.key(), call))) {
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
