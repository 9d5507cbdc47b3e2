package io.naru.line;

import java.util.List;

/**
 * What a copy holds of a part.
 *
 * @param change at which it does
 * @param facts as {@link Part#known} has them, in {@link Part#ORDER}
 */
public record Held(long change, List<Fact> facts) {

  public Held {
    facts = List.copyOf(facts);
  }

  public Sum sum() {
    return new Sum(change, facts.size(), Sum.checksum(facts));
  }
}
