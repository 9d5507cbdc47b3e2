package io.naru.queue;

/** A value from outside that cannot be accepted: names the field and what would be allowed. */
public final class InvalidValue extends IllegalArgumentException {

  private final String field;
  private final String allowed;

  public InvalidValue(String field, String allowed, String problem) {
    super(field + " " + problem + "; allowed: " + allowed);
    this.field = field;
    this.allowed = allowed;
  }

  public String field() {
    return field;
  }

  public String allowed() {
    return allowed;
  }
}
