package io.naru.ledger;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys;
import io.naru.queue.Actor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Access keys in the ledger. */
final class LedgerAccess implements AccessKeys {

  private final Acting acting;

  LedgerAccess(Acting acting) {
    this.acting = acting;
  }

  @Override
  public List<Kept> kept() {
    return acting.read("read the access keys", rows -> rows.access().kept());
  }

  @Override
  public Added add(Kept kept, Actor by) {
    if (acting.read("count the access keys", rows -> rows.access().count()) >= MAX_KEPT) {
      return Added.TOO_MANY;
    }
    return acting.run(
        "keep an access key",
        (rows, trail) -> {
          boolean isAdded = rows.access().insert(kept);
          trail.note(isAdded ? kept.key().added(by) : null);
          return isAdded ? Added.DONE : Added.NAME_TAKEN;
        });
  }

  @Override
  public Optional<AccessKey> revoke(String id, long now, Actor by) {
    return acting.run(
        "revoke an access key",
        (rows, trail) -> {
          boolean isRevoked = rows.access().revoke(id, now);
          Optional<AccessKey> key = rows.access().find(id);
          trail.note(isRevoked ? key.map(known -> known.revokedBy(by)).orElse(null) : null);
          return key;
        });
  }

  @Override
  public List<AccessKey> list(@Nullable String after, int limit) {
    return acting.read("list the access keys", rows -> rows.access().list(after, limit));
  }

  @Override
  public void used(Map<String, Long> at) {
    acting.run(
        "note who used an access key",
        (rows, _) -> {
          for (Map.Entry<String, Long> use : at.entrySet()) {
            rows.access().used(use.getKey(), use.getValue());
          }
          return at;
        });
  }
}
