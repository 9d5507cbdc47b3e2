package io.naru.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.access.AccessKeys.Added;
import io.naru.access.AccessKeys.Kept;
import io.naru.queue.Actor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store of access keys must do. */
public abstract class AccessKeysContract {

  private static final Actor BY = new Actor("admin", "admin", "203.0.113.9");

  protected abstract AccessKeys store();

  /** Makes the store as if nothing had ever been kept. */
  protected abstract void empty() throws Exception;

  private static Kept kept(String id, String name) {
    var reach = Reach.of(List.of("SALE/1", "CONCERT/*"));
    var key = new AccessKey(id, name, Role.OPERATOR, reach, 5, "admin", 99, 0, 0);
    return new Kept(key, "ab".repeat(31) + id.repeat(2).substring(0, 2));
  }

  @Test
  void add_isKeptAsItIs() throws Exception {
    empty();
    var desk = kept("01", "창구-2 @home");
    var all =
        new Kept(
            new AccessKey("02", "all", Role.VIEWER, Reach.ALL, 6, "x", 0, 0, 0), "cd".repeat(32));

    assertThat(store().add(desk, BY)).isEqualTo(Added.DONE);
    assertThat(store().add(all, BY)).isEqualTo(Added.DONE);

    assertThat(store().kept()).containsExactlyInAnyOrder(desk, all);
    assertThat(store().list(null, 10)).containsExactly(desk.key(), all.key());
  }

  @Test
  void add_nameOfAnother_isTakenUntilThatIsRevoked() throws Exception {
    empty();
    store().add(kept("01", "desk"), BY);

    assertThat(store().add(kept("02", "desk"), BY)).isEqualTo(Added.NAME_TAKEN);
    store().revoke("01", 7, BY);
    assertThat(store().add(kept("03", "desk"), BY)).isEqualTo(Added.DONE);

    assertThat(store().kept()).containsExactly(kept("03", "desk"));
  }

  @Test
  void add_sameNameAtOnce_oneIsFirst() throws Exception {
    empty();
    int servers = 4;
    var together = new CyclicBarrier(servers);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Added>> tries =
          IntStream.range(0, servers)
              .<Callable<Added>>mapToObj(
                  i ->
                      () -> {
                        together.await();
                        return store().add(kept("0" + i, "desk"), BY);
                      })
              .toList();
      int made = 0;
      for (Future<Added> each : threads.invokeAll(tries)) {
        made += each.get() == Added.DONE ? 1 : 0;
      }
      assertThat(made).isEqualTo(1);
    }
    assertThat(store().kept()).hasSize(1);
  }

  @Test
  void revoke_isForGood() throws Exception {
    empty();
    Kept desk = kept("01", "desk");
    store().add(desk, BY);

    assertThat(store().revoke("01", 7, BY)).contains(desk.key().revoked(7));
    assertThat(store().revoke("01", 8, BY)).contains(desk.key().revoked(7));
    assertThat(store().revoke("none", 8, BY)).isEmpty();

    assertThat(store().kept()).isEmpty();
    assertThat(store().list(null, 10)).containsExactly(desk.key().revoked(7));
  }

  @Test
  void list_inPages_namesEachOnce() throws Exception {
    empty();
    for (int i = 1; i <= 5; i++) {
      store().add(kept("0" + i, "desk-" + i), BY);
    }

    assertThat(store().list(null, 2)).map(AccessKey::id).containsExactly("01", "02");
    assertThat(store().list("02", 2)).map(AccessKey::id).containsExactly("03", "04");
    assertThat(store().list("04", 2)).map(AccessKey::id).containsExactly("05");
    assertThat(store().list("05", 2)).isEmpty();
  }

  @Test
  void used_isNotedForTheKeyMeant() throws Exception {
    empty();
    store().add(kept("01", "desk-1"), BY);
    store().add(kept("02", "desk-2"), BY);

    store().used(Map.of("02", 60L, "none", 61L));
    store().used(Map.of());

    assertThat(store().list(null, 9)).map(AccessKey::lastUsedAt).containsExactly(0L, 60L);
  }
}
