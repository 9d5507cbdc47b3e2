package io.naru.example.concert;

import io.naru.example.concert.Completions.Completion;
import io.naru.gate.Answer;
import io.naru.gate.Gate;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Tells Naru whose turn is over, so that the next ones come in at once and not only when passes
 * expire. Every order is carried out at least once: after a crash, or by two instances at the same
 * time, Naru may be told again, which changes nothing.
 */
@Component
class CompletionRelay {

  private static final Logger log = LoggerFactory.getLogger(CompletionRelay.class);
  private static final int BATCH = 100;

  private final Completions completions;
  private final Function<String, Answer> complete;

  @Autowired
  CompletionRelay(Completions completions, Gate gate) {
    this(completions, gate::complete);
  }

  CompletionRelay(Completions completions, Function<String, Answer> complete) {
    this.completions = completions;
    this.complete = complete;
  }

  @Scheduled(fixedDelay = 200)
  void run() {
    for (Completion completion : completions.due(BATCH)) {
      Answer answer = complete.apply(completion.token());
      if (answer == Answer.UNREACHABLE) {
        completions.postpone(completion);
        // The others would fare no better now, and each could wait seconds for it.
        return;
      }
      completions.settle(completion, answer);
      if (answer == Answer.REFUSED) {
        // The reservation stands. Most likely the pass expired while Naru was away, and the place
        // inside became free with that.
        log.warn("Naru refused the {}", completion);
      }
    }
  }
}
