package io.naru.gate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.naru.gate.FakeNaru;
import io.naru.gate.Gate;
import io.naru.gate.GateBuilder;
import io.naru.gate.GateFilter;
import io.naru.gate.GateListener;
import io.naru.pass.PassVerifier;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** What is there when, and what the properties become. No Naru: the gate opens all the same. */
class NaruGateConfigurationTest {

  private static final String URL = "naru.gate.url=http://127.0.0.1:1";
  private static final String QUEUE = "naru.gate.queue=" + FakeNaru.QUEUE;
  private static final List<Class<?>> PARTS =
      List.of(
          NaruGateAutoConfiguration.class,
          NaruGateHealthAutoConfiguration.class,
          NaruGateMetricsAutoConfiguration.class,
          NaruGateReactiveAutoConfiguration.class,
          NaruGateServletAutoConfiguration.class,
          NaruGateWebMvcAutoConfiguration.class);
  private static final AutoConfigurations OURS =
      AutoConfigurations.of(PARTS.toArray(Class<?>[]::new));

  private final WebApplicationContextRunner web =
      new WebApplicationContextRunner().withConfiguration(OURS).withPropertyValues(URL, QUEUE);

  @Test
  void webApplication_hasAllParts() {
    web.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .run(
            context -> {
              assertThat(context).hasSingleBean(Gate.class);
              assertThat(context).hasSingleBean(GateListener.class);
              assertThat(context).hasBean("naruGateHealthIndicator");
              assertThat(context).hasSingleBean(WebMvcConfigurer.class);
              FilterRegistrationBean<?> filter = context.getBean(FilterRegistrationBean.class);
              assertThat(filter.getFilter()).isInstanceOf(GateFilter.class);
              assertThat(filter.getUrlPatterns()).containsExactly("/*");
              assertThat(filter.determineDispatcherTypes())
                  .containsExactlyInAnyOrderElementsOf(GateFilter.DISPATCHES);
              assertThat(filter.getOrder()).isLessThan(-100);
            });
  }

  @Test
  void enabledFalse_nothingIsThere_andNothingElseIsNeeded() {
    new WebApplicationContextRunner()
        .withConfiguration(OURS)
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues("naru.gate.enabled=false")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context).doesNotHaveBean(Gate.class);
              assertThat(context).doesNotHaveBean(FilterRegistrationBean.class);
              assertThat(context).doesNotHaveBean(GateListener.class);
              assertThat(context).doesNotHaveBean(HealthIndicator.class);
              assertThat(context).doesNotHaveBean(WebMvcConfigurer.class);
            });
  }

  /** Only a plain no opens the door: anything unclear does not start. */
  @Test
  void enabledUnclear_isNotANo() {
    for (String value : new String[] {"nope", "0.0"}) {
      web.withPropertyValues("naru.gate.enabled=" + value)
          .run(context -> assertThat(context).hasFailed());
    }
    for (String value : new String[] {"on", "yes", "1", "TRUE"}) {
      web.withPropertyValues("naru.gate.enabled=" + value)
          .run(context -> assertThat(context).hasBean("naruGateFilter"));
    }
  }

  @Test
  void withoutActuator_guardsAllTheSame() {
    web.withClassLoader(
            new FilteredClassLoader(
                "org.springframework.boot.health",
                "io.micrometer",
                "org.springframework.boot.micrometer"))
        .run(
            context -> {
              assertThat(context).hasSingleBean(Gate.class);
              assertThat(context).hasSingleBean(FilterRegistrationBean.class);
              assertThat(context).doesNotHaveBean("naruGateHealthIndicator");
              assertThat(context).doesNotHaveBean(GateListener.class);
            });
  }

  @Test
  void withoutWebMvc_guardsAllTheSame() {
    web.withClassLoader(new FilteredClassLoader("org.springframework.web.servlet"))
        .run(
            context -> {
              assertThat(context).hasSingleBean(FilterRegistrationBean.class);
              assertThat(context).doesNotHaveBean("naruPassArguments");
            });
  }

  @Test
  void withoutWeb_hasTheGateForCalls() {
    new ApplicationContextRunner()
        .withConfiguration(OURS)
        .withPropertyValues(URL, QUEUE)
        .withClassLoader(new FilteredClassLoader("jakarta.servlet", "org.springframework.web"))
        .run(
            context -> {
              assertThat(context).hasSingleBean(Gate.class);
              assertThat(context).doesNotHaveBean("naruGateFilter");
            });
  }

  @Test
  void reactiveApplication_cannotBeGuarded_andDoesNotStart() {
    var reactive =
        new ReactiveWebApplicationContextRunner()
            .withConfiguration(OURS)
            .withPropertyValues(URL, QUEUE);

    reactive.run(
        context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(WrongProperty.class)
                .hasMessageContaining("servlet applications only"));
    reactive
        .withPropertyValues("naru.gate.enabled=false")
        .run(context -> assertThat(context).hasNotFailed());
  }

  /** Spring Boot finds our parts by this list; one that is not in it is not there. */
  @Test
  void everyPart_isListed() {
    var listed =
        ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()).getCandidates();

    assertThat(listed.stream().filter(name -> name.startsWith("io.naru.")))
        .containsExactlyInAnyOrderElementsOf(PARTS.stream().map(Class::getName).toList());
  }

  @Test
  void healthSwitchedOff_isNotThere() {
    web.withPropertyValues("management.health.naruGate.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("naruGateHealthIndicator"));
  }

  @Test
  void ownGate_wins_andNeedsNoProperties() {
    new WebApplicationContextRunner()
        .withConfiguration(OURS)
        .withUserConfiguration(OwnGate.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(Gate.class).hasBean("mine");
              assertThat(context).hasSingleBean(FilterRegistrationBean.class);
            });
  }

  @Test
  void ownFilter_wins() {
    web.withUserConfiguration(OwnFilter.class)
        .run(context -> assertThat(context).hasBean("mine").doesNotHaveBean("naruGateFilter"));
  }

  @Test
  void severalGates_withoutSayingWhichGuards_doNotStart() {
    web.withUserConfiguration(OwnGate.class)
        .withBean("second", Gate.class, OwnGate::gate)
        .run(context -> assertThat(context).hasFailed());
  }

  @Test
  void gate_isClosedWithTheApplication() {
    web.run(
        context -> {
          context.getBean(Gate.class);
          assertThat(threads()).isPositive();
          context.close();
          await().until(() -> threads() == 0);
        });
  }

  @Test
  void properties_becomeSettings() {
    web.withPropertyValues(
            "naru.gate.protect=/reservations/**, /pay/*",
            "naru.gate.public-url=https://wait.example",
            "naru.gate.audience=shop",
            "naru.gate.clock-skew=1s",
            "naru.gate.poll-every=500ms",
            "naru.gate.max-knowledge-age=30s",
            "naru.gate.bind-to-session=true")
        .run(
            context -> {
              var settings = context.getBean(Gate.class).settings();
              assertThat(settings.url()).isEqualTo("http://127.0.0.1:1");
              assertThat(settings.queue()).isEqualTo(FakeNaru.QUEUE);
              assertThat(settings.protect()).containsExactly("/reservations/**", "/pay/*");
              assertThat(settings.publicUrl()).isEqualTo("https://wait.example");
              assertThat(settings.audience()).isEqualTo("shop");
              assertThat(settings.clockSkew()).isEqualTo(Duration.ofSeconds(1));
              assertThat(settings.pollEvery()).isEqualTo(Duration.ofMillis(500));
              assertThat(settings.maxKnowledgeAge()).isEqualTo(Duration.ofSeconds(30));
              assertThat(settings.bindToSession()).isTrue();
            });
  }

  @Test
  void protect_asAList() {
    web.withPropertyValues("naru.gate.protect[0]=/a/**", "naru.gate.protect[1]=/b")
        .run(
            context ->
                assertThat(context.getBean(Gate.class).settings().protect())
                    .containsExactly("/a/**", "/b"));
  }

  @Test
  void defaults_areThoseOfTheGate() {
    web.run(
        context -> {
          try (Gate plain = Gate.builder("http://127.0.0.1:1", FakeNaru.QUEUE).open()) {
            assertThat(context.getBean(Gate.class).settings())
                .usingRecursiveComparison()
                .ignoringFields("source")
                .isEqualTo(plain.settings());
          }
          assertThat(context.getBean(Gate.class).settings().pollEvery())
              .isEqualTo(GateBuilder.DEFAULT_POLL_EVERY);
          assertThat(context.getBean(Gate.class).settings().clockSkew())
              .isEqualTo(PassVerifier.DEFAULT_SKEW);
        });
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("naru-gate " + FakeNaru.QUEUE))
        .count();
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnGate {
    @Bean("mine")
    static Gate gate() {
      return Gate.builder("http://127.0.0.1:1", "OWN/1").open();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnFilter {
    @Bean
    FilterRegistrationBean<GateFilter> mine(Gate gate) {
      return new FilterRegistrationBean<>(new GateFilter(gate));
    }
  }
}
