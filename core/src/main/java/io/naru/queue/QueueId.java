package io.naru.queue;

/**
 * The name of a queue: {@code eventType} and {@code eventId}. The alphabet leaves no room for key
 * separators, hash tags, patterns, paths or control characters, so a name is safe wherever it is
 * used. In order, by type first: as stores list them, and as all servers lock them.
 */
public record QueueId(String type, String id) implements Comparable<QueueId> {

  public static final String TYPE_ALLOWED = "[A-Z][A-Z0-9_]{0,31}";
  public static final String ID_ALLOWED = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

  public QueueId {
    if (!isType(type)) {
      throw new InvalidValue("eventType", TYPE_ALLOWED, "is not a valid event type");
    }
    if (!isId(id)) {
      throw new InvalidValue("eventId", ID_ALLOWED, "is not a valid event id");
    }
  }

  /** The inverse of {@link #toString()}. */
  public static QueueId parse(String name) {
    int slash = name.indexOf('/');
    if (slash < 0) {
      throw new InvalidValue("queue", "TYPE/id", "has no slash");
    }
    return new QueueId(name.substring(0, slash), name.substring(slash + 1));
  }

  @Override
  public int compareTo(QueueId other) {
    int byType = type.compareTo(other.type);
    return byType != 0 ? byType : id.compareTo(other.id);
  }

  /** As everybody writes it, in addresses, logs and passes: {@code TYPE/id}. */
  @Override
  public String toString() {
    return type + "/" + id;
  }

  // By hand rather than by regular expression: this runs on every request.
  private static boolean isType(String s) {
    if (s.isEmpty() || s.length() > 32 || !isUpper(s.charAt(0))) {
      return false;
    }
    for (int i = 1; i < s.length(); i++) {
      char c = s.charAt(i);
      if (!(isUpper(c) || isDigit(c) || c == '_')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isId(String s) {
    if (s.isEmpty() || s.length() > 64 || !isAlphanumeric(s.charAt(0))) {
      return false;
    }
    for (int i = 1; i < s.length(); i++) {
      char c = s.charAt(i);
      if (!(isAlphanumeric(c) || c == '.' || c == '_' || c == '-')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAlphanumeric(char c) {
    return isUpper(c) || isDigit(c) || (c >= 'a' && c <= 'z');
  }

  private static boolean isUpper(char c) {
    return c >= 'A' && c <= 'Z';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
