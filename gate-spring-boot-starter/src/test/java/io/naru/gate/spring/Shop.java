package io.naru.gate.spring;

import io.naru.gate.Answer;
import io.naru.gate.FakeNaru;
import io.naru.gate.Gate;
import io.naru.gate.GateFilter;
import io.naru.gate.Wire;
import io.naru.pass.Pass;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/** A Spring Boot application with the starter, on a free port. */
final class Shop implements AutoCloseable {

  private final ConfigurableApplicationContext context;

  /** Guarded by this Naru, with these properties besides. */
  Shop(FakeNaru naru, String... properties) {
    this.context =
        new SpringApplicationBuilder(Application.class)
            .properties(
                "server.port=0",
                "server.address=127.0.0.1",
                "management.endpoint.health.show-details=always",
                "naru.gate.url=" + naru.url(),
                "naru.gate.queue=" + FakeNaru.QUEUE,
                "naru.gate.protect=/reservations/**",
                "naru.gate.signal-key=key-of-the-shop",
                "naru.gate.source=shop-1",
                "naru.gate.poll-every=100ms")
            .run(Arrays.stream(properties).map("--"::concat).toArray(String[]::new));
  }

  String send(String method, String target, String... headers) throws IOException {
    int port = Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    return Wire.send(port, method, target, headers);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** What came as far as a controller. */
  Queue<String> served() {
    return bean(Pages.class).served;
  }

  @Override
  public void close() {
    context.close();
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Pages.class)
  static class Application {

    /** Stands where Spring Security does, and asks everybody for a login who says so. */
    @Bean
    FilterRegistrationBean<Filter> security() {
      Filter filter =
          (request, response, chain) -> {
            if (((HttpServletRequest) request).getHeader("Not-Logged-In") != null) {
              ((HttpServletResponse) response).sendError(HttpServletResponse.SC_UNAUTHORIZED);
            } else {
              chain.doFilter(request, response);
            }
          };
      var registration = new FilterRegistrationBean<>(filter);
      registration.setOrder(-100);
      return registration;
    }
  }

  @Controller
  static class Pages {

    final Queue<String> served = new ConcurrentLinkedQueue<>();
    private final Gate gate;

    Pages(Gate gate) {
      this.gate = gate;
    }

    @RequestMapping("/**")
    @ResponseBody
    String anything(HttpServletRequest request, Optional<Pass> pass) {
      served.add(request.getMethod() + " " + request.getRequestURI());
      return pass.map(each -> "for " + each.user()).orElse("open");
    }

    @GetMapping("/reservations/{id}")
    @ResponseBody
    String reservation(Pass pass) {
      served.add("reservation");
      return "reserved for " + pass.user();
    }

    @PostMapping("/reservations/done")
    @ResponseBody
    Answer done(@RequestAttribute(GateFilter.TOKEN) String token) {
      return gate.complete(token);
    }

    @GetMapping("/reservations/later")
    @ResponseBody
    Callable<String> later(Pass pass) {
      return () -> "later for " + pass.user();
    }

    @GetMapping("/reservations/broken")
    @ResponseBody
    String broken() {
      throw new IllegalStateException("broken");
    }

    @GetMapping("/shortcut")
    String shortcut() {
      return "forward:/reservations/1";
    }

    @GetMapping("/careless")
    @ResponseBody
    String careless(Pass pass) {
      return pass.user();
    }
  }
}
