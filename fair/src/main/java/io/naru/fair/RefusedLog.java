package io.naru.fair;

import java.io.IOException;

/** What was given is no log that could be read, or not all of one: it is refused as a whole. */
public class RefusedLog extends IOException {

  public RefusedLog(String message) {
    super(message);
  }

  public RefusedLog(String message, Throwable cause) {
    super(message, cause);
  }

  /** There is nothing where it should be. */
  public static final class NotThere extends RefusedLog {

    NotThere(String address) {
      super(address + " answers 404");
    }
  }
}
