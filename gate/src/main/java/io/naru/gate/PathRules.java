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
          + " 256 of them, at most two ** that stand alone, and none of ? # ; % { } or backslash";

  /**
   * What no reading of a path has would protect nothing, and so would the wildcards of others:
   * {@code {id}} and {@code ?}.
   */
  private static final Pattern SEGMENT = Pattern.compile("(?! )[^/?#;%{}\\\\\\p{Cntrl}]+(?<! )");

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
    return matches(segments, new Comparison());
  }

  private boolean matches(List<String> segments, Comparison comparison) {
    for (String[] pattern : patterns) {
      if (comparison.matches(pattern, segments)) {
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
    var comparison = new Comparison();
    for (List<String> form : forms) {
      if (matches(form, comparison)) {
        return true;
      }
    }
    return forms.isEmpty();
  }

  private static String[] parse(String pattern) {
    if (!isPattern(pattern)) {
      throw new WrongSetting("protect", pattern, ALLOWED);
    }
    String path = PathForms.fold(pattern).substring(1);
    return path.isEmpty() ? new String[0] : path.split("/", -1);
  }

  private static boolean isPattern(String pattern) {
    if (pattern.equals("/")) {
      return true;
    }
    if (!pattern.startsWith("/")) {
      return false;
    }
    String[] segments = pattern.substring(1).split("/", -1);
    int wild = 0;
    for (String segment : segments) {
      if (!isSegment(segment)) {
        return false;
      }
      wild += segment.equals("**") ? 1 : 0;
    }
    return wild <= 2 && segments.length <= PathForms.MAX_SEGMENTS;
  }

  private static boolean isSegment(String segment) {
    return SEGMENT.matcher(segment).matches()
        && (!segment.contains("**") || segment.equals("**"))
        && !segment.equals(".")
        && !segment.equals("..");
  }
}
