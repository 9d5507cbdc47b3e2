package io.naru.server.webhooks;

import io.naru.queue.Secret;
import io.naru.server.keys.Sealing;
import java.util.ArrayList;
import java.util.List;

/**
 * The secrets of a webhook, the one in use first, behind it those that were before and sign beside
 * it for a while. As they are kept, a line each, encrypted and bound to their webhook:
 *
 * <pre>
 * until  sealed
 * </pre>
 *
 * @param all at least one
 */
record Secrets(List<One> all) {

  /** Whoever rotates more often than that has to wait until the first of them is over. */
  static final int MAX = 5;

  /**
   * @param until when it signs no more, in microseconds; 0 for the one in use
   */
  record One(String secret, long until) {

    boolean isGood(long now) {
      return until == 0 || now < until;
    }
  }

  Secrets {
    all = List.copyOf(all);
  }

  static Sealing sealing(Secret secret) {
    return new Sealing(secret, "the secrets of webhooks");
  }

  static Secrets of(String secret) {
    return new Secrets(List.of(new One(secret, 0)));
  }

  /** With a new one; those before sign beside it until then. */
  Secrets rotated(String secret, long until, long now) {
    List<One> next = new ArrayList<>(List.of(new One(secret, 0)));
    for (One one : all) {
      if (one.isGood(now)) {
        next.add(one.until() == 0 ? new One(one.secret(), until) : one);
      }
    }
    return new Secrets(next);
  }

  /** Those that sign. */
  List<String> good(long now) {
    return all.stream().filter(one -> one.isGood(now)).map(One::secret).toList();
  }

  /** When the last of those before signs no more; 0 if there are none. */
  long rotatingUntil() {
    return all.stream().mapToLong(One::until).max().orElse(0);
  }

  String text(Sealing sealing, String webhook) {
    var text = new StringBuilder();
    for (One one : all) {
      String beside = webhook + " " + one.until();
      text.append(one.until()).append(' ').append(sealing.seal(beside, one.secret())).append('\n');
    }
    return text.toString();
  }

  /**
   * @throws IllegalArgumentException if it was written with another secret, or changed since
   */
  static Secrets read(Sealing sealing, String webhook, String text) {
    return new Secrets(
        text.lines()
            .map(
                line -> {
                  String[] fields = line.split(" ", 2);
                  return new One(
                      sealing.open(webhook + " " + fields[0], fields[1]),
                      Long.parseLong(fields[0]));
                })
            .toList());
  }
}
