package io.naru.gateway;

import java.time.Duration;

/**
 * How long we wait for what.
 *
 * @param first until the first head is complete
 * @param next until the next one is, after an answer
 * @param body for a kilobyte of a body, or its end
 * @param connect for a connection to the site, new or of somebody who is done with it
 * @param answer until the site begins to answer
 * @param silence within an answer, by the site or by the visitor who is to take it
 * @param quiet where silence says nothing: event streams and WebSockets
 */
record Patience(
    Duration first,
    Duration next,
    Duration body,
    Duration connect,
    Duration answer,
    Duration silence,
    Duration quiet) {

  static final Duration ANSWER = Duration.ofSeconds(30);
  static final Duration NEXT = Duration.ofSeconds(75);

  static Patience of(Duration answer, Duration next) {
    return new Patience(
        Duration.ofSeconds(10),
        next,
        Duration.ofSeconds(10),
        Duration.ofSeconds(3),
        answer,
        Duration.ofSeconds(30),
        Duration.ofMinutes(10));
  }
}
