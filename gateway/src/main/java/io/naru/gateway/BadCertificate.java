package io.naru.gateway;

/** A certificate, or its key, that cannot be used: in which file, and why. */
public final class BadCertificate extends Exception {

  /**
   * @param where the file
   */
  BadCertificate(String where, String why) {
    super(where + ": " + why);
  }

  public String text() {
    return String.valueOf(getMessage());
  }
}
