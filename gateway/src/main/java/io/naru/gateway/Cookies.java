package io.naru.gateway;

import java.util.List;
import java.util.function.Predicate;

/** The value of a {@code Cookie} header. */
final class Cookies {

  private Cookies() {}

  /** Adds the values of all cookies of a name. */
  static void add(String header, String name, List<String> values) {
    // Most requests have none of ours, and need not be cut into pieces.
    if (header.contains(name)) {
      for (String cookie : header.split(";", -1)) {
        if (name(cookie).equals(name)) {
          values.add(cookie.substring(cookie.indexOf('=') + 1).strip());
        }
      }
    }
  }

  /** Without some of them; empty if none is left. */
  static String without(String header, Predicate<String> dropped) {
    var kept = new StringBuilder(header.length());
    for (String cookie : header.split(";", -1)) {
      if (!cookie.isBlank() && !dropped.test(name(cookie))) {
        kept.append(kept.isEmpty() ? "" : "; ").append(cookie.strip());
      }
    }
    return kept.toString();
  }

  private static String name(String cookie) {
    int equals = cookie.indexOf('=');
    return (equals < 0 ? cookie : cookie.substring(0, equals)).strip();
  }
}
