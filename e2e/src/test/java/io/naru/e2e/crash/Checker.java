package io.naru.e2e.crash;

import java.util.ArrayList;
import java.util.List;

/** Holds the evidence of a run against the rules, and names those that were broken. */
final class Checker {

  /** One breach tends to come with thousands like it. */
  private static final int SHOWN_PER_RULE = 3;

  private static final List<Rule> RULES =
      List.of(
          new KeptRule(),
          new OneEntryRule(),
          new ArrivalRule(),
          new OnceRule(),
          new LimitsRule(),
          new OrderRule(),
          new PresenceRule(),
          new PlaceRule(),
          new CopyRule(),
          new AnswerRule());

  private Checker() {}

  /** Which of the rules are held against a run. */
  static List<Integer> numbers() {
    return RULES.stream().map(Rule::number).toList();
  }

  /** Empty if all is well, else a sentence per breach, each beginning with "rule N broken". */
  static List<String> check(Evidence evidence) {
    var told = new Told(evidence.calls());
    List<String> breaches = new ArrayList<>();
    for (Rule rule : RULES) {
      List<String> found = new ArrayList<>();
      rule.check(evidence, told, found::add);
      found.stream()
          .limit(SHOWN_PER_RULE)
          .forEach(breach -> breaches.add("rule %d broken: %s".formatted(rule.number(), breach)));
      if (found.size() > SHOWN_PER_RULE) {
        breaches.add(
            "rule %d broken: %d more like these"
                .formatted(rule.number(), found.size() - SHOWN_PER_RULE));
      }
    }
    return breaches;
  }
}
