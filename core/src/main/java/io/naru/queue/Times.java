package io.naru.queue;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What happens when, by the clock of whoever decides.
 *
 * @param notBefore nobody is admitted before it, by hand either
 */
public record Times(Optional<Instant> notBefore) {

  private static final Field<Times, Optional<Instant>> NOT_BEFORE =
      Field.instant("notBefore", Times::notBefore).withLedger();

  static final List<Field<Times, ?>> FIELDS = List.of(NOT_BEFORE);

  public static final Times DEFAULT = new Times(Optional.empty());

  public Times {
    NOT_BEFORE.check(notBefore);
  }

  static Times of(Map<String, ? extends @Nullable Object> values) {
    return new Times(NOT_BEFORE.read(values));
  }

  /** From when on people are admitted, in microseconds; 0 if always. */
  public long admissionFrom() {
    return notBefore.map(Micros::of).orElse(0L);
  }
}
