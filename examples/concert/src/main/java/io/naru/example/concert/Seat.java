package io.naru.example.concert;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One of the hall's seats, ten rows of twenty.
 *
 * @param name such as {@code A12}
 */
record Seat(String name) {

  /** The whole hall, in order. */
  static final List<Seat> ALL =
      IntStream.range(0, 200)
          .mapToObj(i -> new Seat((char) ('A' + i / 20) + "" + (i % 20 + 1)))
          .toList();

  /** What somebody asked for, if there is such a seat. */
  static Optional<Seat> of(@Nullable String name) {
    return ALL.stream().filter(seat -> seat.name.equals(name)).findFirst();
  }
}
