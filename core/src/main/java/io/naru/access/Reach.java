package io.naru.access;

import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which queues a key is for: all of them, or those that it names, as {@code TYPE/id} or, for all of
 * a type, {@code TYPE/*}.
 *
 * @param names in order, none that another one includes; empty for all queues
 */
public record Reach(List<String> names) {

  public static final Reach ALL = new Reach(List.of());

  public static final String ALLOWED = "1 to 50 names, each TYPE/id or TYPE/*";

  private static final int MAX_NAMES = 50;
  private static final String WHOLE_TYPE = "/*";

  /**
   * @throws InvalidValue if one is no name
   */
  public Reach {
    if (names.size() > MAX_NAMES) {
      throw new InvalidValue("queues", ALLOWED, "has too many names");
    }
    names.forEach(Reach::check);
    Set<String> all = new TreeSet<>(names);
    names = all.stream().filter(name -> isWhole(name) || !all.contains(whole(name))).toList();
  }

  /**
   * Those that are named; at least one must be, so that nobody has all of them by mistake.
   *
   * @throws InvalidValue if none is, or one is no name
   */
  public static Reach of(Collection<String> names) {
    if (names.isEmpty()) {
      throw new InvalidValue("queues", ALLOWED, "names none; leave it out for all queues");
    }
    return new Reach(List.copyOf(names));
  }

  /** The inverse of {@link #text()}. */
  public static Reach ofText(String text) {
    return text.isEmpty() ? ALL : new Reach(List.of(text.split(" ", -1)));
  }

  /** As one text, for stores. */
  public String text() {
    return String.join(" ", names);
  }

  private static void check(String name) {
    int slash = name.indexOf('/');
    try {
      var _ =
          new QueueId(
              name.substring(0, Math.max(0, slash)),
              isWhole(name) ? "0" : name.substring(slash + 1));
    } catch (InvalidValue e) {
      throw new InvalidValue("queues", ALLOWED, "has an entry that is no name of a queue");
    }
  }

  public boolean isAll() {
    return names.isEmpty();
  }

  public boolean includes(QueueId queue) {
    String name = queue.toString();
    return isAll() || names.contains(name) || names.contains(whole(name));
  }

  /** Whether that name is one of a whole type. */
  public static boolean isWhole(String name) {
    return name.endsWith(WHOLE_TYPE);
  }

  private static String whole(String name) {
    return name.substring(0, name.indexOf('/')) + WHOLE_TYPE;
  }
}
