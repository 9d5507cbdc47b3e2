package io.naru.example.concert;

import java.time.InstantSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A small ticket shop. Whom it lets in is the starter's business: see application.yaml. */
@SpringBootApplication
@EnableScheduling
class ConcertApplication {

  public static void main(String[] args) {
    SpringApplication.run(ConcertApplication.class, args);
  }

  @Bean
  InstantSource clock() {
    return InstantSource.system();
  }
}
