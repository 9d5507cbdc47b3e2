package io.naru.queue;

/**
 * What a visitor's id may look like: it travels in headers, keys and logs, so it is plain and
 * short.
 */
public final class UserId {

  public static final int MAX_LENGTH = 128;
  public static final String ALLOWED = "1 to 128 printable ASCII characters without spaces";

  private UserId() {}

  public static boolean isValid(String user) {
    if (user.isEmpty() || user.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < user.length(); i++) {
      char c = user.charAt(i);
      if (c <= ' ' || c > '~') {
        return false;
      }
    }
    return true;
  }
}
