package io.naru.redis;

/** How many others go in before, in front of the text of what is allowed; left out if nobody. */
public final class Passed {

  private static final String SIGN = "~";

  private Passed() {}

  public static String text(long count) {
    return count == 0 ? "" : SIGN + count + " ";
  }

  static long ofText(String stands) {
    return stands.startsWith(SIGN) ? Long.parseLong(stands.substring(1, stands.indexOf(' '))) : 0;
  }

  static String behind(String stands) {
    return stands.startsWith(SIGN) ? stands.substring(stands.indexOf(' ') + 1) : stands;
  }
}
