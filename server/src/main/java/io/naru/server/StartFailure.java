package io.naru.server;

/** The server cannot start as it is configured; the message names the option and what to do. */
final class StartFailure extends RuntimeException {

  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
