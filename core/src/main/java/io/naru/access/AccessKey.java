package io.naru.access;

import io.naru.audit.Act;
import io.naru.queue.Actor;
import io.naru.queue.Micros;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a key that makes somebody an operator; not the key itself, which nobody keeps
 * but its owner. All times are microseconds, see {@link Micros}; 0 means never.
 *
 * @param id by which it is revoked; later keys have higher ones
 * @param name who has it: that is who acts
 * @param createdBy the name of the key that made it
 * @param lastUsedAt to the minute
 */
public record AccessKey(
    String id,
    String name,
    Role role,
    Reach reach,
    long createdAt,
    String createdBy,
    long expiresAt,
    long lastUsedAt,
    long revokedAt) {

  /** Whether it opens anything. */
  public boolean isGood(long now) {
    return revokedAt == 0 && (expiresAt == 0 || now < expiresAt);
  }

  public AccessKey revoked(long now) {
    return new AccessKey(id, name, role, reach, createdAt, createdBy, expiresAt, lastUsedAt, now);
  }

  public AccessKey used(long at) {
    return new AccessKey(id, name, role, reach, createdAt, createdBy, expiresAt, at, revokedAt);
  }

  /** That somebody made it. */
  public Act added(Actor by) {
    return new Act(by, Act.Kind.ACCESS_ADD, null, Map.of(), told());
  }

  /** That somebody revoked it. */
  public Act revokedBy(Actor by) {
    return new Act(by, Act.Kind.ACCESS_REVOKE, null, told(), Map.of());
  }

  private Map<String, @Nullable Object> told() {
    Map<String, @Nullable Object> told = new LinkedHashMap<>();
    told.put("id", id);
    told.put("name", name);
    told.put("role", role.word());
    told.put("queues", reach.isAll() ? null : reach.names());
    told.put("expiresAt", expiresAt == 0 ? null : Micros.iso(expiresAt));
    return told;
  }
}
