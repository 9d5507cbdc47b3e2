package io.naru.gate.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.naru.gate.GateListener;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** What the gate judges, as metrics. */
@AutoConfiguration(
    before = NaruGateAutoConfiguration.class,
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(prefix = NaruGateProperties.PREFIX, name = "enabled", matchIfMissing = true)
public final class NaruGateMetricsAutoConfiguration {

  @Bean
  GateListener naruGateMetrics(MeterRegistry registry) {
    return new GateMetrics(registry);
  }
}
