package io.naru.gate.spring;

import io.naru.gate.Gate;
import io.naru.gate.GateFilter;
import io.naru.gate.GateSettings;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingFilterBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * The gate before everything that answers. An application with several gates registers their
 * filters itself; ours then stays away.
 */
@AutoConfiguration(after = NaruGateAutoConfiguration.class)
@ConditionalOnClass(Filter.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Gate.class)
public final class NaruGateServletAutoConfiguration {

  private static final System.Logger LOG = System.getLogger(Gate.class.getName());

  /**
   * Behind those who only prepare the request (encoding and forwarded headers first, Spring Session
   * at 50), since the session must be the application's; before Spring Security (-100).
   */
  static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

  @Bean
  @ConditionalOnMissingFilterBean
  FilterRegistrationBean<GateFilter> naruGateFilter(Gate gate) {
    var registration = new FilterRegistrationBean<>(new GateFilter(gate));
    registration.setName("naruGate");
    registration.addUrlPatterns("/*");
    registration.setDispatcherTypes(EnumSet.copyOf(GateFilter.DISPATCHES));
    registration.setOrder(ORDER);
    GateSettings settings = gate.settings();
    LOG.log(
        System.Logger.Level.INFO,
        "guards {0}: only with a pass of the queue {1} from {2}",
        String.join(" ", settings.protect()),
        settings.queue(),
        settings.url());
    return registration;
  }
}
