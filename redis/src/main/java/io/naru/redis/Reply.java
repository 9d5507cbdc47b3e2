package io.naru.redis;

import java.util.List;

/** Reads a script's flat reply from front to back. */
final class Reply {

  private final List<Object> values;
  private int next;

  Reply(List<Object> values) {
    this.values = values;
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  boolean hasNext() {
    return next < values.size();
  }

  long number() {
    return (Long) values.get(next++);
  }

  int smallNumber() {
    return Math.toIntExact(number());
  }

  String text() {
    return (String) values.get(next++);
  }
}
