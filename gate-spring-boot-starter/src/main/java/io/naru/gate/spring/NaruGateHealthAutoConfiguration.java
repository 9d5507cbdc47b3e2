package io.naru.gate.spring;

import io.naru.gate.Gate;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the gate, as {@code naruGate}. */
@AutoConfiguration(after = NaruGateAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(Gate.class)
public final class NaruGateHealthAutoConfiguration {

  // On the method, which is looked at only if the classes are there.
  @Bean
  @ConditionalOnEnabledHealthIndicator("naruGate")
  @ConditionalOnMissingBean(name = "naruGateHealthIndicator")
  HealthIndicator naruGateHealthIndicator(Gate gate) {
    return new NaruGateHealthIndicator(gate);
  }
}
