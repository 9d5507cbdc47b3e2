package io.naru.gateway;

/** What came over a connection is not HTTP as we take it. Nothing behind it can be relied on. */
final class BadMessage extends Exception {

  private final int status;

  /**
   * @param status that a visitor is answered with
   * @param what is wrong, for people
   */
  BadMessage(int status, String what) {
    // Without a trace: floods of bad requests must stay cheap.
    super(what, null, false, false);
    this.status = status;
  }

  int status() {
    return status;
  }

  String what() {
    return String.valueOf(getMessage());
  }
}
