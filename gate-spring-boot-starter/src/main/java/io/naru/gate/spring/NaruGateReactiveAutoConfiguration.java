package io.naru.gate.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;

/** Reactive applications have no servlet filters: better none at all than one that is open. */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnProperty(prefix = NaruGateProperties.PREFIX, name = "enabled", matchIfMissing = true)
public final class NaruGateReactiveAutoConfiguration {

  NaruGateReactiveAutoConfiguration() {
    throw new WrongProperty(
        "enabled",
        "true",
        "false in a reactive application: the starter guards servlet applications only"
            + " (elsewhere, a filter of your own can ask Gate.check of naru-gate)");
  }
}
