package io.naru.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.access.Reach;
import io.naru.access.Role;
import io.naru.audit.Act;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.queue.Actor;
import io.naru.queue.QueueId;
import io.naru.server.http.Caller;
import io.naru.server.http.Problem;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Refusals are noted so that they tell what somebody is after, and fill nothing. */
class RefusalsTest {

  private static final Problem REFUSAL =
      Problem.of(403, "queue-not-yours", "Not yours", "it is not");
  private static final String CALL = "GET /admin/queues/{type}/{id}";

  private final List<Act> noted = new CopyOnWriteArrayList<>();
  private final Refusals refusals =
      new Refusals(
          new AuditTrail() {
            @Override
            public List<AuditRow> list(@Nullable QueueId queue, long below, int limit) {
              return List.of();
            }

            @Override
            public void note(Act act) {
              noted.add(act);
            }
          });

  private void tries(String key, String queue) {
    var caller =
        new Caller(key, new Actor(key, "viewer", "127.0.0.1"), Role.VIEWER, Reach.ALL, false);
    refusals.note(caller, CALL, QueueId.parse(queue), REFUSAL);
  }

  @Test
  void eachQueue_isNotedOnceAMinute() {
    for (int i = 0; i < 3; i++) {
      tries("stolen", "CONCERT/1");
      tries("stolen", "CONCERT/2");
    }
    await().until(() -> noted.size() == 2);
    refusals.minute();
    tries("stolen", "CONCERT/1");
    await().until(() -> noted.size() == 3);
    assertThat(noted.stream().map(act -> "" + act.queue()).distinct())
        .containsExactlyInAnyOrder("CONCERT/1", "CONCERT/2");
  }

  @Test
  void manyQueues_areNotedUpToABound_andHideNobodyElse() {
    for (int i = 0; i < 10_000; i++) {
      tries("stolen", "CONCERT/" + i);
    }
    tries("desk", "CONCERT/1");

    await().until(() -> noted.stream().anyMatch(act -> act.by().who().equals("desk")));
    await().until(() -> noted.size() == Refusals.MAX_OF_A_KEY + 1);
  }
}
