package io.naru.gateway;

/** Rules that cannot be: where, and why. */
public final class BadRules extends Exception {

  /**
   * @param where such as {@code rules.yaml line 7}
   */
  BadRules(String where, String why) {
    super(where + ": " + why);
  }

  public String text() {
    return String.valueOf(getMessage());
  }
}
