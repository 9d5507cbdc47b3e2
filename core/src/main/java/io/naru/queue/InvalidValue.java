package io.naru.queue;

import java.util.Objects;

/** A value from outside that cannot be accepted: names the field and what would be allowed. */
public final class InvalidValue extends IllegalArgumentException {

  private final String field;
  private final String allowed;

  public InvalidValue(String field, String allowed, String problem) {
    super(field + " " + problem + "; allowed: " + allowed);
    this.field = field;
    this.allowed = allowed;
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }

  public String field() {
    return field;
  }

  public String allowed() {
    return allowed;
  }
}
