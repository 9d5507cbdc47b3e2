package io.naru.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys;
import io.naru.access.Reach;
import io.naru.access.Role;
import io.naru.memory.MemoryAccess;
import io.naru.memory.MemoryTrail;
import io.naru.queue.Actor;
import io.naru.queue.QueueUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two servers that share a store of keys. */
class AccessKeyringTest {

  private static final Actor BY = new Actor("admin", "admin", "");

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-10-03T18:00:00Z"));
  private final InstantSource clock = now::get;
  private final Watched store = new Watched();
  private final AccessKeyring one = new AccessKeyring(store, "the admin key", clock);
  private final AccessKeyring two = new AccessKeyring(store, "the admin key", clock);

  /** A store that can be away, and knows what was noted. */
  private final class Watched implements AccessKeys {
    private final AccessKeys real = new MemoryAccess(new MemoryTrail(clock));
    private final List<Map<String, Long>> noted = new ArrayList<>();
    private boolean isAway;

    private AccessKeys real() {
      if (isAway) {
        throw new QueueUnavailable(QueueUnavailable.Kind.DISCONNECTED, "away");
      }
      return real;
    }

    @Override
    public List<Kept> kept() {
      return real().kept();
    }

    @Override
    public Added add(Kept kept, Actor by) {
      return real().add(kept, by);
    }

    @Override
    public Optional<AccessKey> revoke(String id, long at, Actor by) {
      return real().revoke(id, at, by);
    }

    @Override
    public List<AccessKey> list(@Nullable String after, int limit) {
      return real().list(after, limit);
    }

    @Override
    public void used(Map<String, Long> at) {
      real().used(at);
      noted.add(at);
    }
  }

  private AccessKeyring.Made make() {
    return one.add("desk", Role.OPERATOR, Reach.ALL, 0, BY);
  }

  private void advance(Duration by) {
    now.updateAndGet(at -> at.plus(by));
  }

  @Test
  void key_madeAndRevokedOnOneServer_isSoOnTheOther() {
    AccessKeyring.Made made = make();
    assertThat(one.find(made.secret())).isNotNull();
    assertThat(two.find(made.secret())).isNull();
    two.refresh();
    assertThat(two.find(made.secret())).isNotNull();

    assertThat(one.revoke(made.key().id(), BY)).isPresent();

    assertThat(one.find(made.secret())).isNull();
    two.refresh();
    assertThat(two.find(made.secret())).isNull();
    assertThat(two.withId(made.key().id())).isNull();
  }

  @Test
  void store_away_whatIsKnownGoesOn() {
    AccessKeyring.Made made = make();
    store.isAway = true;

    one.refresh();

    assertThat(one.find(made.secret())).isNotNull();
    assertThat(one.find("the admin key")).isNotNull();
    store.isAway = false;
    store.real.revoke(made.key().id(), 1, BY);
    one.refresh();
    assertThat(one.find(made.secret())).isNull();
  }

  @Test
  void use_isNotedOnceAMinuteAtMost() {
    AccessKey key = make().key();
    one.refresh();
    assertThat(store.noted).isEmpty();

    for (int second = 0; second < 61; second++) {
      one.used(key);
      one.refresh();
      advance(Duration.ofSeconds(1));
    }

    assertThat(store.noted).hasSize(2);
    assertThat(store.list(null, 1).getFirst().lastUsedAt()).isPositive();
  }

  @Test
  void adminKey_isNoAccessKey() {
    assertThat(one.add("admin", Role.VIEWER, Reach.ALL, 0, BY).added())
        .isEqualTo(AccessKeys.Added.NAME_TAKEN);
    assertThat(one.find("the admin keY")).isNull();
    assertThat(one.find("")).isNull();
    assertThat(one.withId("admin")).isNotNull();
  }
}
