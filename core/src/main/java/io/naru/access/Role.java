package io.naru.access;

import io.naru.queue.InvalidValue;
import java.util.Arrays;
import java.util.Locale;

/**
 * What an operator may do; each may all that those before may, save that whoever only looks says
 * nothing about the site.
 */
public enum Role {
  /** Tells of the site behind its queues, and may do nothing else: for programs. */
  SIGNAL,
  /** Looks at queues and who is in them. */
  VIEWER,
  /** Acts on queues that are there, and on those in them. */
  OPERATOR,
  /** Makes and deletes queues, erases people, and has the keys. */
  ADMIN;

  public static final String ALLOWED = "signal, viewer, operator or admin";

  /** As people and JSON say it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * @throws InvalidValue if that is none
   */
  public static Role of(String word) {
    return Arrays.stream(values())
        .filter(role -> role.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new InvalidValue("role", ALLOWED, "is not a role"));
  }

  public boolean includes(Role least) {
    return compareTo(least) >= 0 && !(least == SIGNAL && this == VIEWER);
  }
}
