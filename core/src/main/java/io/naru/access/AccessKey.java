package io.naru.access;

/**
 * What is known of a key that makes somebody an operator; not the key itself, which nobody keeps
 * but its owner. All times are microseconds, see {@link io.naru.queue.Micros}; 0 means never.
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
}
