package io.naru.queue;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Addresses as they travel in headers and documents: ASCII only. People write them as they read
 * them, {@code https://shop.example/티켓}; kept and sent is {@code
 * https://shop.example/%ED%8B%B0%EC%BC%93}.
 */
final class WebAddress {

  private static final Pattern PARTS = Pattern.compile("(https?://)([^/?#:]*)(.*)");

  /**
   * The letters that browsers and {@link IDN}, which follows an older standard, make different
   * hosts of.
   */
  private static final Pattern AMBIGUOUS = Pattern.compile("[ßẞς\\x{200c}\\x{200d}]");

  private static final String HEX = "0123456789ABCDEF";

  private WebAddress() {}

  /**
   * The same address in ASCII; what is in ASCII already, encoded or not, stays as it is, and so
   * does what is not an address at all.
   */
  static String encoded(String url) {
    if (isAscii(url)) {
      return url;
    }
    Matcher parts = PARTS.matcher(url);
    return parts.matches() ? parts.group(1) + host(parts.group(2)) + percent(parts.group(3)) : url;
  }

  /**
   * Visitors are sent there, or their browsers are, so only what cannot mislead them: an absolute
   * web address, no user info ({@code https://bank.example@evil.example}), no other scheme ({@code
   * javascript:}).
   *
   * @param url encoded
   */
  static boolean isOne(String url) {
    try {
      URI uri = new URI(url);
      return isAscii(url)
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getRawUserInfo() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 128) {
        return false;
      }
    }
    return true;
  }

  private static String host(String host) {
    if (isAscii(host) || AMBIGUOUS.matcher(host).find()) {
      return host;
    }
    try {
      return IDN.toASCII(host, IDN.USE_STD3_ASCII_RULES);
    } catch (IllegalArgumentException e) {
      return host;
    }
  }

  private static String percent(String text) {
    var encoded = new StringBuilder(text.length() * 3);
    text.codePoints()
        .forEach(
            c -> {
              // Half a surrogate pair is no character, and blanks and controls are in no address.
              if (c < 128 || !isWritable(c)) {
                encoded.appendCodePoint(c);
              } else {
                for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
                  encoded.append('%').append(HEX.charAt(b >> 4 & 15)).append(HEX.charAt(b & 15));
                }
              }
            });
    return encoded.toString();
  }

  private static boolean isWritable(int c) {
    return Character.getType(c) != Character.SURROGATE
        && !Character.isISOControl(c)
        && !Character.isSpaceChar(c);
  }
}
