package io.naru.gateway;

import java.net.URI;
import java.util.List;

/**
 * All that somebody wrote down.
 *
 * @param origin the site behind
 * @param rules of which the first that matches counts
 */
public record RuleSet(URI origin, List<Rule> rules) {

  public RuleSet {
    Rule.checkOrigin("origin", origin);
    rules = List.copyOf(rules);
  }
}
