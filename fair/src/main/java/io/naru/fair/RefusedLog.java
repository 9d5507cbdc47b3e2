package io.naru.fair;

import java.io.IOException;

/** What was given is no log that could be read, or not all of one: it is refused as a whole. */
public final class RefusedLog extends IOException {

  public RefusedLog(String message) {
    super(message);
  }

  public RefusedLog(String message, Throwable cause) {
    super(message, cause);
  }
}
