package io.naru.gate.spring;

import io.naru.gate.Gate;
import io.naru.gate.GateListener;
import io.naru.pass.Verification;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * The {@link Gate}, from {@code naru.gate.*}. An application that makes its own needs none of the
 * properties.
 */
@AutoConfiguration
@ConditionalOnProperty(prefix = NaruGateProperties.PREFIX, name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(NaruGateProperties.class)
public final class NaruGateAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  Gate naruGate(NaruGateProperties properties, ObjectProvider<GateListener> listeners) {
    List<GateListener> all = listeners.orderedStream().toList();
    return properties.open(
        new GateListener() {
          @Override
          public void judged(Verification verification, Duration took) {
            all.forEach(each -> each.judged(verification, took));
          }

          @Override
          public void signalled(boolean isHeard) {
            all.forEach(each -> each.signalled(isHeard));
          }
        });
  }
}
