package io.naru.queue;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its name, what it may be, where it is found. {@link Settings#FIELDS} has all of
 * them; HTTP, documents and stores ask there and know none by itself.
 *
 * @param <R> the record that it belongs to
 * @param <V> what it is there
 */
public final class Field<R, V> {

  private final String name;
  private final Kind<V> kind;
  private final Function<R, V> getter;
  private final boolean needsLedger;

  private Field(String name, Kind<V> kind, Function<R, V> getter, boolean needsLedger) {
    this.name = name;
    this.kind = kind;
    this.getter = getter;
    this.needsLedger = needsLedger;
  }

  static <R, V> Field<R, V> of(String name, Kind<V> kind, Function<R, V> getter) {
    return new Field<>(name, kind, getter, false);
  }

  /** The same, for a setting that queues without a ledger cannot keep to. */
  Field<R, V> withLedger() {
    return new Field<>(name, kind, getter, true);
  }

  public String name() {
    return name;
  }

  /** What it may be, in words. */
  public String allowed() {
    return kind.allowed();
  }

  /** Whether only a queue with a ledger can have it at anything but its default. */
  public boolean needsLedger() {
    return needsLedger;
  }

  /** As JSON has it. */
  Object plain(R from) {
    return kind.plain(getter.apply(from));
  }

  /** Out of values as JSON has them. */
  V read(Map<String, ? extends @Nullable Object> values) {
    return kind.read(name, values.get(name));
  }

  /** As it is kept, if it is allowed. */
  V check(V value) {
    return kind.check(name, value);
  }

  void checkNew(@Nullable Object given) {
    kind.checkNew(name, given);
  }
}
