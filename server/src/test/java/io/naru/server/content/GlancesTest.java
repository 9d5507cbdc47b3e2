package io.naru.server.content;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What many look at costs one question, and is there also when the store is slow. */
class GlancesTest {

  private final AtomicLong nanos = new AtomicLong();
  private final List<CompletableFuture<Optional<String>>> asked = new ArrayList<>();
  private final Glances<String, String> glances =
      new Glances<>(
          (_, _) -> {
            var answer = new CompletableFuture<Optional<String>>();
            asked.add(answer);
            return answer;
          },
          nanos::get);

  private CompletableFuture<Optional<String>> find(String key) {
    return glances.find(key).toCompletableFuture();
  }

  @Test
  void find_tooManyUnderWay_showsWhatWasSeen_andRefusesTheRest() {
    var first = find("sale");
    asked.getFirst().complete(Optional.of("as it was"));
    assertThat(first).isCompletedWithValue(Optional.of("as it was"));
    nanos.addAndGet(5_000_000_000L);
    for (int i = 0; i < 64; i++) {
      assertThat(find("made-up-" + i)).isNotDone();
    }

    assertThat(find("sale")).isCompletedWithValue(Optional.of("as it was"));
    assertThat(find("unknown")).isCompletedExceptionally();
    assertThat(asked).hasSize(65);

    asked.getLast().complete(Optional.empty());
    assertThat(find("sale")).isNotDone();
  }

  @Test
  void find_questionThatCannotEvenBeAsked_isAnsweredAndAskedAgain() {
    var broken =
        new Glances<String, String>(
            (_, _) -> {
              asked.add(new CompletableFuture<>());
              throw new IllegalStateException("does not add up");
            },
            nanos::get);

    for (int i = 1; i <= 70; i++) {
      assertThat(broken.find("sale").toCompletableFuture()).isCompletedExceptionally();
      assertThat(asked).hasSize(i);
    }
  }
}
