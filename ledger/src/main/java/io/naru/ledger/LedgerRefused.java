package io.naru.ledger;

/** A ledger cannot be opened, or must not be; the message says why and what to do. */
public final class LedgerRefused extends RuntimeException {

  public LedgerRefused(String message) {
    super(message);
  }

  public LedgerRefused(String message, Throwable cause) {
    super(message, cause);
  }
}
