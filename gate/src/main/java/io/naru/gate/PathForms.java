package io.naru.gate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * All that a path may mean to whoever routes it.
 *
 * <p>Everybody drops empty segments and {@code ;parameters}, decodes once and resolves dots. Some
 * take a backslash or an encoded slash for a slash, some do not; some decode twice. Upper and lower
 * case are one. Where dots lead out of a folder, each folder on the way counts as well: who does
 * not resolve them ends up there. So a short text can have very many readings; one that has more
 * than anybody means has none that counts.
 */
final class PathForms {

  /** Nobody decodes more often; a path that has more to decode is meant to deceive. */
  private static final int MAX_DECODINGS = 3;

  /** No site's folders are as deep. */
  static final int MAX_SEGMENTS = 256;

  /** Each way up is one more reading, of all that is before it. */
  private static final int MAX_UPS = 16;

  private PathForms() {}

  /**
   * The readings of a path, as segments; none if it has no reading that can be relied on.
   *
   * @param raw whether it is as it came, so that every percent sign must begin an octet
   */
  static List<List<String>> of(String path, boolean raw) {
    if (!path.startsWith("/")) {
      return List.of();
    }
    if (isPlain(path)) {
      List<String> only = List.of(fold(path.substring(1)).split("/", -1));
      return only.size() > MAX_SEGMENTS ? List.of() : List.of(only);
    }
    var forms = new ArrayList<List<String>>();
    String text = path;
    for (int round = 0; ; round++) {
      boolean strict = raw && round == 0;
      List<String> inside = new ArrayList<>();
      for (String segment : text.split("/", -1)) {
        String decoded = decode(withoutParameters(segment), strict);
        if (decoded == null || hasControls(decoded)) {
          return List.of();
        }
        inside.add(decoded);
      }
      // Has every segment and every way up that the other has, so it alone is counted.
      List<String> apart = List.of(String.join("/", inside).split("[/\\\\]", -1));
      if (isTooFar(apart)) {
        return List.of();
      }
      addWalks(inside, forms);
      addWalks(apart, forms);
      String next = decode(text, strict);
      if (next == null || hasControls(next)) {
        return List.of();
      }
      if (next.equals(text)) {
        return forms;
      }
      if (round == MAX_DECODINGS) {
        return List.of();
      }
      text = next.replace('\\', '/');
    }
  }

  /**
   * Whether everybody reads it alike: segments of letters, digits, dashes, underscores and dots,
   * none of them empty or with a dot in front. Nearly all paths are like this, and the others take
   * some ten times as long.
   */
  private static boolean isPlain(String path) {
    char before = ' ';
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      boolean isWord =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
      boolean isPart = isWord || c == '_' || (c == '.' && before != '/');
      if (!isPart && (c != '/' || before == '/')) {
        return false;
      }
      before = c;
    }
    return before != '/';
  }

  /** One case for all letters, also those that have no lower case of their own. */
  static String fold(String text) {
    return text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
  }

  /**
   * @param segments behind an empty one, as every path begins with a slash
   */
  private static boolean isTooFar(List<String> segments) {
    long ups = segments.stream().filter(one -> withoutParameters(one).equals("..")).count();
    return segments.size() - 1 > MAX_SEGMENTS || ups > MAX_UPS;
  }

  private static void addWalks(List<String> segments, List<List<String>> forms) {
    var path = new ArrayList<String>();
    for (String part : segments) {
      String segment = withoutParameters(part);
      if (segment.equals("..")) {
        forms.add(List.copyOf(path));
        if (!path.isEmpty()) {
          path.remove(path.size() - 1);
        }
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        path.add(fold(segment));
      }
    }
    forms.add(List.copyOf(path));
  }

  private static String withoutParameters(String segment) {
    int semicolon = segment.indexOf(';');
    return semicolon < 0 ? segment : segment.substring(0, semicolon);
  }

  private static boolean hasControls(String text) {
    return text.chars().anyMatch(Character::isISOControl);
  }

  /**
   * Decodes once.
   *
   * @param strict whether a percent sign must begin an octet, as it must in what was sent
   * @return null if it cannot be decoded
   */
  private static @Nullable String decode(String text, boolean strict) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    var bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int high = c == '%' && i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = high >= 0 ? Character.digit(text.charAt(i + 2), 16) : -1;
      if (low >= 0) {
        bytes.write(high * 16 + low);
        i += 2;
      } else if (c == '%' && strict) {
        return null;
      } else {
        bytes.writeBytes(String.valueOf(c).getBytes(UTF_8));
      }
    }
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
