package io.naru.gate.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which property is wrong and what to do, instead of a stack trace. */
final class NaruGateFailureAnalyzer extends AbstractFailureAnalyzer<WrongProperty> {

  @Override
  protected FailureAnalysis analyze(Throwable failure, WrongProperty wrong) {
    String value = wrong.value();
    return new FailureAnalysis(
        """
        The gate of Naru cannot be opened, so the application does not start:

            Property: %s
            Value: %s
            Allowed: %s
        """
            .formatted(
                wrong.property(),
                value == null ? "(not set)" : "\"" + value + "\"",
                wrong.allowed()),
        "Set %s to %s. To run without the gate, unguarded, set naru.gate.enabled to false."
            .formatted(wrong.property(), wrong.allowed()),
        wrong);
  }
}
