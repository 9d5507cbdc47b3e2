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
@ConditionalOnEnabledHealthIndicator("naruGate")
@ConditionalOnSingleCandidate(Gate.class)
public final class NaruGateHealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "naruGateHealthIndicator")
  HealthIndicator naruGateHealthIndicator(Gate gate) {
    return new NaruGateHealthIndicator(gate);
  }
}
