package io.naru.pass;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The way back to the page that somebody wanted: the gate gives it to the waiting page, which sends
 * them there with their pass. Both hold it to the same rule, so that what a gate gives is taken.
 *
 * <p>It is a path, put behind the origin of the site, so it cannot lead elsewhere by itself. But
 * sites redirect to paths of theirs, and then {@code //evil.example} is another site; and some
 * decode before they do. So the path is judged in every reading, decoded and decoded again. What
 * follows a {@code ?} is the site's own business.
 */
public final class WayBack {

  /** The parameter of the waiting page that has it. */
  public static final String PARAMETER = "return";

  /** What a way back may be, for people. */
  public static final String ALLOWED =
      "a path on the site itself: it begins with one /, has no // or \\ and no control characters,"
          + " not even encoded ones, and at most 2000 characters, all of them ASCII";

  private static final int MAX_LENGTH = 2_000;

  /** As part of an address, which servers take up to 4 kB of. */
  private static final int MAX_ENCODED = 3_500;

  private static final int MAX_DECODINGS = 3;

  private static final Pattern PRINTABLE = Pattern.compile("/[\\x21-\\x7e]*");
  private static final Pattern MISLEADING = Pattern.compile("//|\\\\|[\\x00-\\x1f\\x7f]");
  private static final Pattern ENCODED = Pattern.compile("%([0-9A-Fa-f]{2})");

  private WayBack() {}

  public static boolean isSafe(String path) {
    return path.length() <= MAX_LENGTH
        && PRINTABLE.matcher(path).matches()
        && path.indexOf('\\') < 0
        && !misleads(path.split("[?#]", 2)[0])
        && query(path).length() <= MAX_ENCODED;
  }

  private static boolean misleads(String path) {
    String reading = path;
    for (int i = 0; i <= MAX_DECODINGS; i++) {
      if (MISLEADING.matcher(reading).find()) {
        return true;
      }
      String decoded = decoded(reading);
      if (decoded.equals(reading)) {
        return false;
      }
      reading = decoded;
    }
    // Nobody encodes that often who has nothing to hide.
    return true;
  }

  private static String decoded(String path) {
    return ENCODED.matcher(path).replaceAll(WayBack::decoded);
  }

  private static String decoded(MatchResult encoded) {
    byte[] one = {(byte) Integer.parseInt(encoded.group(1), 16)};
    return Matcher.quoteReplacement(new String(one, ISO_8859_1));
  }

  /** As the query of an address. */
  public static String query(String path) {
    return "?" + PARAMETER + "=" + URLEncoder.encode(path, UTF_8);
  }
}
