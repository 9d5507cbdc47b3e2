package io.naru.gate;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Which paths need a pass. A path can be spelled in many ways, and containers and frameworks differ
 * in what they make of them; so it is judged in every way that one of them might read it ({@link
 * PathForms}), and one protected reading is enough.
 */
public final class PathRules {

  private static final String ALLOWED =
      "one or more paths such as /reservations/**: each begins with /, has no empty segments, at most"
          + " two ** that stand alone, and none of ? # ; % { } or backslash";

  /**
   * What no reading of a path has would protect nothing, and so would the wildcards of others:
   * {@code {id}} and {@code ?}.
   */
  private static final Pattern PATTERN =
      Pattern.compile("/|(?:/(?! )[^/?#;%{}\\\\\\p{Cntrl}]+(?<! ))+");

  private final List<String[]> patterns;
  private final boolean everything;

  /**
   * @throws WrongSetting if one of these is no pattern
   */
  public PathRules(List<String> patterns) {
    this.patterns = patterns.stream().map(PathRules::parse).toList();
    this.everything = patterns.contains("/**");
  }

  /**
   * @throws WrongSetting if these are no patterns, or none at all
   */
  public static void check(List<String> patterns) {
    if (patterns.isEmpty()) {
      throw new WrongSetting("protect", "", ALLOWED);
    }
    patterns.forEach(PathRules::parse);
  }

  /**
   * All that a path may mean, as segments; none if it has no reading that can be relied on. For who
   * has several rules, and must know which of them a reading belongs to.
   *
   * @param path as it came, still encoded
   */
  public static List<List<String>> readings(String path) {
    return PathForms.of(path, true);
  }

  /** Whether this reading of a path is protected. */
  public boolean matches(List<String> segments) {
    for (String[] pattern : patterns) {
      if (matches(pattern, 0, segments, 0)) {
        return true;
      }
    }
    return false;
  }

  /**
   * @param path as it came, still encoded, from the application's root on
   */
  public boolean protects(String path) {
    return everything || protects(PathForms.of(path, true));
  }

  /**
   * @param path as the container decoded it, from the application's root on
   */
  boolean protectsDecoded(String path) {
    return everything || protects(PathForms.of(path, false));
  }

  private boolean protects(List<List<String>> forms) {
    for (List<String> form : forms) {
      if (matches(form)) {
        return true;
      }
    }
    return forms.isEmpty();
  }

  private static boolean matches(String[] pattern, int p, List<String> path, int s) {
    if (p == pattern.length) {
      return s == path.size();
    }
    if (pattern[p].equals("**")) {
      for (int next = s; next <= path.size(); next++) {
        if (matches(pattern, p + 1, path, next)) {
          return true;
        }
      }
      return false;
    }
    return s < path.size()
        && matchesSegment(pattern[p], path.get(s))
        && matches(pattern, p + 1, path, s + 1);
  }

  /** {@code *} for any characters, without going back more than to the last star. */
  private static boolean matchesSegment(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int retry = 0;
    while (t < text.length()) {
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        retry = t;
      } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++retry;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  private static String[] parse(String pattern) {
    if (!isPattern(pattern)) {
      throw new WrongSetting("protect", pattern, ALLOWED);
    }
    String path = PathForms.fold(pattern).substring(1);
    return path.isEmpty() ? new String[0] : path.split("/", -1);
  }

  private static boolean isPattern(String pattern) {
    if (!PATTERN.matcher(pattern).matches()) {
      return false;
    }
    int wild = 0;
    for (String segment : pattern.substring(1).split("/", -1)) {
      boolean any = segment.equals("**");
      wild += any ? 1 : 0;
      if ((segment.contains("**") && !any) || segment.equals(".") || segment.equals("..")) {
        return false;
      }
    }
    return wild <= 2;
  }
}
