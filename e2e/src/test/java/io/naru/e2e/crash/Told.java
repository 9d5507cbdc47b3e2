package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Call.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** What visitors were told, by user and by entry. */
final class Told {

  private static final long NEVER = Long.MAX_VALUE;

  /**
   * An entry that somebody was told of.
   *
   * @param asked the earliest request that can have made it
   * @param acknowledged when the first answer that shows it had come
   * @param answers all that show it, by when they were asked for
   */
  record Entry(Name name, long asked, long acknowledged, List<Call> answers) {}

  private final Map<String, List<Call>> byUser = new HashMap<>();
  private final Map<Name, Entry> entries = new LinkedHashMap<>();

  Told(List<Call> calls) {
    Map<Name, List<Call>> answers = new LinkedHashMap<>();
    calls.stream()
        .sorted(comparingLong(Call::asked))
        .forEach(
            call -> {
              byUser.computeIfAbsent(call.user(), _ -> new ArrayList<>()).add(call);
              if (call.seen() != null) {
                var name = new Name(call.user(), call.seen().joined());
                answers.computeIfAbsent(name, _ -> new ArrayList<>()).add(call);
              }
            });
    answers.forEach((name, of) -> entries.put(name, entry(name, of)));
  }

  private Entry entry(Name name, List<Call> answers) {
    long acknowledged = answers.stream().mapToLong(Call::answered).min().orElseThrow();
    long asked =
        of(name.user()).stream()
            .filter(call -> call.act() == Act.ENTER || call.act() == Act.RETURN)
            .filter(call -> mayHaveMade(call, name, acknowledged))
            .mapToLong(Call::asked)
            .min()
            .orElse(acknowledged);
    return new Entry(name, asked, acknowledged, answers);
  }

  private static boolean mayHaveMade(Call call, Name name, long acknowledged) {
    return call.seen() == null
        ? call.outcome() == Outcome.UNKNOWN && call.asked() < acknowledged
        : call.seen().joined() == name.joined();
  }

  Collection<Entry> entries() {
    return entries.values();
  }

  Map<String, List<Call>> byUser() {
    return byUser;
  }

  /** The calls of one user, by when they were asked. */
  List<Call> of(String user) {
    return byUser.getOrDefault(user, List.of());
  }

  /** From when on this entry may have been ended by its owner. */
  long mayEnd(Entry entry) {
    return of(entry.name().user()).stream()
        .filter(call -> call.mayEnd() && call.meant() == entry.name().joined())
        .mapToLong(Call::asked)
        .min()
        .orElse(NEVER);
  }

  /**
   * Goes through answers in the order in which they were asked for. Before one is judged, all that
   * had come before it was asked are learned: nothing else is certain to have been earlier.
   */
  static void replay(List<Call> byAsked, Consumer<Call> learn, Consumer<Call> judge) {
    List<Call> byAnswered = byAsked.stream().sorted(comparingLong(Call::answered)).toList();
    int learned = 0;
    for (Call call : byAsked) {
      while (byAnswered.get(learned).answered() < call.asked()) {
        learn.accept(byAnswered.get(learned++));
      }
      judge.accept(call);
    }
  }

  /** What an answer shows, of one that shows something. */
  static Seen seen(Call call) {
    return Objects.requireNonNull(call.seen());
  }
}
