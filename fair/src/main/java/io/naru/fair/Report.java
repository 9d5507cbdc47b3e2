package io.naru.fair;

import java.util.List;
import java.util.Map;

/**
 * What was found in a log.
 *
 * @param records how many it has
 * @param people how many entries
 * @param admitted how many of them went in
 * @param findings what should not be so, in the order of the log; of each name the first ones
 * @param counts of every name that was found, how often
 * @param remarks what is so, and whoever reads this may want to know
 */
public record Report(
    long records,
    long people,
    long admitted,
    List<Finding> findings,
    Map<String, Long> counts,
    List<String> remarks) {

  public Report {
    findings = List.copyOf(findings);
    counts = Map.copyOf(counts);
    remarks = List.copyOf(remarks);
  }

  public boolean isClean() {
    return findings.isEmpty();
  }
}
