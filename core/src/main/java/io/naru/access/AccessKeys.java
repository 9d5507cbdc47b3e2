package io.naru.access;

import io.naru.queue.Actor;
import io.naru.queue.QueueUnavailable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where access keys are kept, the same for all servers of a line. Calls block, and throw {@link
 * QueueUnavailable} when the store cannot answer.
 */
public interface AccessKeys {

  /** Every server knows all that are not revoked. */
  int MAX_KEPT = 1_000;

  /**
   * A key and what it is known by.
   *
   * @param digest of the key, in hexadecimal digits; it cannot be turned back
   */
  record Kept(AccessKey key, String digest) {}

  /** What came of adding a key. */
  enum Added {
    DONE,
    /** Another one that is not revoked has its name. */
    NAME_TAKEN,
    TOO_MANY
  }

  /** All that are not revoked, also those whose time is over. */
  List<Kept> kept();

  Added add(Kept kept, Actor by);

  /**
   * Revokes a key for good; one that was revoked before stays as it is.
   *
   * @return as it is then; empty if there is none
   */
  Optional<AccessKey> revoke(String id, long now, Actor by);

  /**
   * Some keys, in the order of their ids, revoked ones too.
   *
   * @param after the last one that is known already; null to begin
   */
  List<AccessKey> list(@Nullable String after, int limit);

  /** Notes when keys were last used, by id. */
  void used(Map<String, Long> at);
}
