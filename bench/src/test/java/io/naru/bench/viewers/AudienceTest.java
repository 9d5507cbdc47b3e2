package io.naru.bench.viewers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("process")
class AudienceTest {

  private StubStreams server;

  @BeforeEach
  void start() throws IOException {
    server = new StubStreams();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void seen_movesAndAdmissions_areThoseOfTheServer(boolean inOwnProcess) throws IOException {
    try (var watchers = watch(inOwnProcess, List.of("30", "10", "50"))) {
      watchers.settle();
      assertThat(watchers.seen().watching()).isEqualTo(3);
      var admission = List.of(new Admission(System.nanoTime(), 20));
      server.show("30", 10);
      server.enter("10");
      server.show("50", 30);
      await().until(() -> watchers.seen().events() == 6);

      var seen = watchers.seen();
      var moved = Seen.histogram();
      var entered = Seen.histogram();
      var first = Seen.histogram();
      assertThat(seen.addMoved(admission, _ -> moved)).isZero();
      assertThat(seen.addEntered(admission, entered)).isZero();
      seen.addFirst(first);
      assertThat(moved.getTotalCount()).isEqualTo(2);
      assertThat(entered.getTotalCount()).isEqualTo(1);
      assertThat(first.getTotalCount()).isEqualTo(3);
      assertThat(seen.whenEntered()).satisfies(times -> assertThat(times[1]).isPositive());
      assertThat(seen.failures()).isZero();
    }
  }

  private Watchers watch(boolean inOwnProcess, List<String> tokens) {
    Function<List<String>, Watchers> here =
        each -> {
          var audience = new Audience(server.subscription());
          each.forEach(audience::open);
          return audience;
        };
    return inOwnProcess ? AudienceProcess.start(server.subscription(), tokens) : here.apply(tokens);
  }

  @Test
  void settle_moreThanMayConnectAtOnce_allWatch() {
    try (var audience = new Audience(server.subscription())) {
      IntStream.rangeClosed(1, 1_000).forEach(token -> audience.open("" + token));
      audience.settle();
      assertThat(audience.seen().watching()).isEqualTo(1_000);
    }
  }

  @Test
  void settle_refused_isAFailureWithItsReason() {
    try (var audience = new Audience(server.subscription())) {
      audience.open("unknown");
      audience.open("7");
      audience.settle();
      assertThat(audience.seen().watching()).isEqualTo(1);
      assertThat(audience.seen().failures()).isEqualTo(1);
      assertThat(audience.seen().firstFailure()).startsWith("HTTP/1.1 404");
    }
  }

  @Test
  void settle_nobodyThere_isAFailure() throws IOException {
    server.close();
    try (var audience = new Audience(server.subscription())) {
      audience.open("7");
      audience.settle();
      assertThat(audience.seen().firstFailure()).startsWith("cannot connect");
    }
  }

  @Test
  void seen_streamCutByTheServer_isAFailureButAnEndAfterAdmissionIsNot() throws IOException {
    try (var audience = new Audience(server.subscription())) {
      audience.open("7");
      audience.open("8");
      audience.settle();
      server.enter("7");
      await().until(() -> audience.whenEntered()[0] > 0);
      server.cut("7");
      server.cut("8");
      await().until(() -> audience.seen().failures() > 0);
      assertThat(audience.seen().failures()).isEqualTo(1);
      assertThat(audience.seen().firstFailure()).contains("before its time");
    }
  }
}
