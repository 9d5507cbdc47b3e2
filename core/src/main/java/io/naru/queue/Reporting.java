package io.naru.queue;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What systems behind are told of a queue.
 *
 * @param events which kinds of events; not set: {@link EventKind#USUAL}
 */
public record Reporting(Optional<Kinds> events) {

  private static final String ALLOWED =
      "null, or a list of "
          + Arrays.stream(EventKind.values())
              .map(EventKind::word)
              .collect(Collectors.joining(", "));

  private static final Field<Reporting, Optional<Kinds>> EVENTS =
      Field.<Reporting, Optional<Kinds>>of(
              "events",
              ALLOWED,
              Reporting::events,
              "is no such list",
              given ->
                  switch (given) {
                    case null -> Optional.empty();
                    case List<?> words -> Optional.of(Kinds.of(words));
                    default -> null;
                  })
          .withLedger();

  static final List<Field<Reporting, ?>> FIELDS = List.of(EVENTS);

  public static final Reporting DEFAULT = new Reporting(Optional.empty());

  static Reporting of(Map<String, ? extends @Nullable Object> values) {
    return new Reporting(EVENTS.read(values));
  }

  /** All kinds that are told. */
  public Set<EventKind> kinds() {
    return events.map(Kinds::all).orElse(EventKind.USUAL);
  }

  /** Some kinds of events, in the order of {@link EventKind}. */
  public record Kinds(Set<EventKind> all) {

    public Kinds {
      EnumSet<EventKind> sorted = EnumSet.noneOf(EventKind.class);
      sorted.addAll(all);
      all = Collections.unmodifiableSet(sorted);
    }

    private static Kinds of(List<?> words) {
      Set<EventKind> kinds = EnumSet.noneOf(EventKind.class);
      for (Object word : words) {
        kinds.add(
            EventKind.of(String.valueOf(word))
                .orElseThrow(
                    () -> new InvalidValue("events", ALLOWED, "has '" + word + "' in it")));
      }
      return new Kinds(kinds);
    }

    /** As JSON has it. */
    List<String> plain() {
      return all.stream().map(EventKind::word).toList();
    }
  }
}
