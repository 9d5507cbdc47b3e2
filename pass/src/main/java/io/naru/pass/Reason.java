package io.naru.pass;

/** Why a token was refused: for the log, never for whoever sent it. */
public enum Reason {
  MISSING("none was sent"),
  TOO_LONG("longer than any pass"),
  MALFORMED("not a signed token in its one canonical form"),
  HEADER("a header other than typ, alg and kid"),
  TYPE("not a token of this type"),
  ALGORITHM("not the algorithm of the key it names"),
  NO_KEYS("no keys or no revocations have been fetched yet"),
  UNKNOWN_KEY("signed with a key that is not published"),
  SIGNATURE("the signature is not that of the key it names"),
  CLAIMS("a claim is missing or of the wrong type"),
  ISSUER("issued by another Naru"),
  AUDIENCE("for another site"),
  QUEUE("for another queue"),
  LIFE("valid for longer than any pass"),
  NOT_YET_VALID("from the future: check the clocks"),
  EXPIRED("its time is over"),
  REVOKED_KEY("signed with a revoked key"),
  REVOKED_PASS("revoked"),
  TURN_OVER("its owner's turn is over: left, completed, put out, or the queue is gone"),
  STALE("what is known of Naru is older than maxKnowledgeAge"),
  OTHER_SESSION("another session has come with it before, or it is used up"),
  NOT_BOUND("Naru could not be asked whether another session has come with it before"),
  ERROR("verification failed");

  private final String text;

  Reason(String text) {
    this.text = text;
  }

  /** What it means, for people. */
  public String text() {
    return text;
  }
}
