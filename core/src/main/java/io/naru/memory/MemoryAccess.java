package io.naru.memory;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys;
import io.naru.audit.AuditTrail;
import io.naru.queue.Actor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Access keys of one server, which end with its process. */
public final class MemoryAccess implements AccessKeys {

  private static final int MAX_REVOKED = 10_000;

  private final TreeMap<String, Kept> all = new TreeMap<>();
  private final AuditTrail trail;

  public MemoryAccess(AuditTrail trail) {
    this.trail = trail;
  }

  @Override
  public synchronized List<Kept> kept() {
    return all.values().stream().filter(kept -> kept.key().revokedAt() == 0).toList();
  }

  @Override
  public synchronized Added add(Kept added, Actor by) {
    List<Kept> others = kept();
    if (others.stream().anyMatch(other -> other.key().name().equals(added.key().name()))) {
      return Added.NAME_TAKEN;
    }
    if (others.size() >= MAX_KEPT) {
      return Added.TOO_MANY;
    }
    all.put(added.key().id(), added);
    forgetOldest();
    trail.note(added.key().added(by));
    return Added.DONE;
  }

  private void forgetOldest() {
    if (all.size() > MAX_KEPT + MAX_REVOKED) {
      all.values().stream()
          .filter(kept -> kept.key().revokedAt() != 0)
          .findFirst()
          .ifPresent(oldest -> all.remove(oldest.key().id()));
    }
  }

  @Override
  public synchronized Optional<AccessKey> revoke(String id, long now, Actor by) {
    Kept known = all.get(id);
    if (known == null || known.key().revokedAt() != 0) {
      return Optional.ofNullable(known).map(Kept::key);
    }
    AccessKey revoked = known.key().revoked(now);
    all.put(id, new Kept(revoked, known.digest()));
    trail.note(revoked.revokedBy(by));
    return Optional.of(revoked);
  }

  @Override
  public synchronized List<AccessKey> list(@Nullable String after, int limit) {
    return (after == null ? all : all.tailMap(after, false))
        .values().stream().limit(limit).map(Kept::key).toList();
  }

  @Override
  public synchronized void used(Map<String, Long> at) {
    at.forEach(
        (id, when) ->
            all.computeIfPresent(id, (_, kept) -> new Kept(kept.key().used(when), kept.digest())));
  }
}
