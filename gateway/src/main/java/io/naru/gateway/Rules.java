package io.naru.gateway;

import io.naru.gate.Gate;
import io.naru.gate.PathRules;
import io.naru.pass.Pass;
import io.naru.pass.Verification.Verified;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rules in force; replaced as a whole, never changed. */
final class Rules {

  private final List<Guarded> guarded;
  private final Upstream origin;
  private final Set<String> completeKeys;

  /** A rule at work. */
  static final class Guarded {
    private final PathRules protect;
    private final PathRules complete;
    private final String completeKey;
    private final List<String> patterns;
    private final Gate gate;
    private final Upstream origin;

    Guarded(Rule rule, Gate gate, Upstream origin) {
      this.patterns = rule.protect();
      this.protect = new PathRules(patterns);
      this.complete = new PathRules(rule.complete());
      this.completeKey = rule.completeHeader().toLowerCase(Locale.ROOT);
      this.gate = gate;
      this.origin = origin;
    }

    /** What it protects, for people. */
    String patterns() {
      return String.join(" ", patterns);
    }

    Gate gate() {
      return gate;
    }

    String queue() {
      return gate.settings().queue();
    }

    Upstream origin() {
      return origin;
    }

    boolean completes(List<String> reading) {
      return complete.matches(reading);
    }

    /** The pass among what somebody brought; null if there is none. */
    @Nullable Held held(List<String> tokens) {
      for (String token : tokens) {
        if (gate.check(token) instanceof Verified verified) {
          return new Held(this, verified.pass(), token);
        }
      }
      return null;
    }
  }

  /** A valid pass, of the rule's queue. */
  record Held(Guarded guarded, Pass pass, String token) {}

  /**
   * What the rules say of a path.
   *
   * @param guarded the rule that protects it; null if none does
   * @param isClear false: it could mean several things that different rules are for, or nothing
   */
  record Judged(@Nullable Guarded guarded, boolean isClear, List<List<String>> readings) {}

  /**
   * @param origin of what no rule protects
   */
  Rules(List<Guarded> guarded, Upstream origin) {
    this.guarded = List.copyOf(guarded);
    this.origin = origin;
    this.completeKeys =
        guarded.stream().map(one -> one.completeKey).collect(Collectors.toUnmodifiableSet());
  }

  List<Guarded> guarded() {
    return guarded;
  }

  Upstream origin() {
    return origin;
  }

  /**
   * Every reading of a path is judged, by the first rule that has it. A path of which one reading
   * belongs to one queue and another to another one is nobody's: a pass of the one would open the
   * other.
   *
   * @param path as it came
   */
  Judged judge(String path) {
    List<List<String>> readings = PathRules.readings(path);
    Guarded found = null;
    for (List<String> reading : readings) {
      Guarded first = first(reading);
      if (first != null && found != null && first != found) {
        return new Judged(null, false, readings);
      }
      found = first == null ? found : first;
    }
    return new Judged(found, !readings.isEmpty(), readings);
  }

  private @Nullable Guarded first(List<String> reading) {
    for (Guarded one : guarded) {
      if (one.protect.matches(reading)) {
        return one;
      }
    }
    return null;
  }

  /** The headers in which sites say that a turn is over, as {@link Header#key}. */
  Set<String> completeKeys() {
    return completeKeys;
  }

  /**
   * Whose turn the site says is over; null if nobody's.
   *
   * @param answer of the site
   * @param tokens what the visitor brought
   */
  @Nullable Held completed(Head answer, List<String> tokens) {
    if (tokens.isEmpty() || !says(answer)) {
      return null;
    }
    for (Guarded one : guarded) {
      String said = answer.value(one.completeKey);
      if (said != null && (said.equals("1") || said.equalsIgnoreCase("true"))) {
        Held held = one.held(tokens);
        if (held != null) {
          return held;
        }
      }
    }
    return null;
  }

  private boolean says(Head answer) {
    for (Header header : answer.headers()) {
      if (completeKeys.contains(header.key())) {
        return true;
      }
    }
    return false;
  }
}
