package io.naru.gateway;

import java.util.Locale;

/**
 * One line of a head.
 *
 * @param key the name as programs behind may read it: in lower case, and with dashes, since some
 *     make one of {@code User-Id} and {@code User_Id}
 */
record Header(String name, String key, String value) {

  static Header of(String name, String value) {
    return new Header(name, name.toLowerCase(Locale.ROOT).replace('_', '-'), value);
  }
}
