package io.naru.gateway;

/** Why a request that we let through was not answered by whom it was for. */
enum Failing {
  /** The site takes no connections, or broke off. */
  DOWN(502, "site-down", "The site does not answer"),
  /** The site took too long. */
  SLOW(504, "site-slow", "The site takes too long"),
  /** So many are at the site at a time that this one would have waited for too long. */
  BUSY(503, "site-busy", "The site is busy"),
  /** The waiting room cannot be reached. */
  NARU_AWAY(503, "waiting-room-away", "The waiting room cannot be reached");

  private final int status;
  private final String code;
  private final String title;

  Failing(int status, String code, String title) {
    this.status = status;
    this.code = code;
    this.title = title;
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  String title() {
    return title;
  }
}
