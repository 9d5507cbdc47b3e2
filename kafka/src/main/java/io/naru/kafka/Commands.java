package io.naru.kafka;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Carries out what comes out of a topic. The same one may come twice. */
@FunctionalInterface
public interface Commands {

  /**
   * @param body as it came
   * @param written when, by the clock of whoever wrote it into the topic, or of the topic; the
   *     epoch if that is not known
   * @return why it can never be carried out; empty if it was. Fails if it may be later.
   */
  CompletionStage<Optional<String>> apply(byte[] body, Instant written);
}
