package io.naru.queue;

import io.naru.admission.Pacing;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue, a record for each thing that they are about. A value outside its range
 * cannot exist; the error names the field and the range. Names, ranges and defaults are in those
 * records and nowhere else: HTTP, documents and stores borrow {@link #FIELDS}.
 *
 * @param others what is set that this version does not know, by name
 */
public record Settings(
    Pace pace,
    Times times,
    Fairness fairness,
    Lanes lanes,
    Supply supply,
    Stay stay,
    Fallback fallback,
    Door door,
    Reporting reporting,
    Look look,
    Map<String, @Nullable Object> others) {

  public static final Settings DEFAULT =
      new Settings(
          Pace.DEFAULT,
          Times.DEFAULT,
          Fairness.DEFAULT,
          Lanes.NONE,
          Supply.DEFAULT,
          Stay.DEFAULT,
          Fallback.DEFAULT,
          Door.DEFAULT,
          Reporting.DEFAULT,
          Look.DEFAULT,
          Map.of());

  private static final List<Part<?>> PARTS =
      List.of(
          new Part<>(Settings::pace, Pace.FIELDS),
          new Part<>(Settings::times, Times.FIELDS),
          new Part<>(Settings::fairness, Fairness.FIELDS),
          new Part<>(Settings::lanes, Lanes.FIELDS),
          new Part<>(Settings::supply, Supply.FIELDS),
          new Part<>(Settings::stay, Stay.FIELDS),
          new Part<>(Settings::fallback, Fallback.FIELDS),
          new Part<>(Settings::door, Door.FIELDS),
          new Part<>(Settings::reporting, Reporting.FIELDS),
          new Part<>(Settings::look, Look.FIELDS));

  /** All settings, in the order people expect them. */
  public static final List<Field<?, ?>> FIELDS =
      PARTS.stream().<Field<?, ?>>flatMap(part -> part.fields.stream()).toList();

  private static final Map<String, Field<?, ?>> BY_NAME =
      FIELDS.stream().collect(Collectors.toMap(Field::name, Function.identity()));

  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,9}");

  /** One of the records, and what is in it. */
  private record Part<R>(Function<Settings, R> getter, List<Field<R, ?>> fields) {

    void put(Settings settings, Map<String, @Nullable Object> map) {
      R part = getter.apply(settings);
      fields.forEach(field -> map.put(field.name(), field.plain(part)));
    }
  }

  public Settings {
    others = Collections.unmodifiableMap(new LinkedHashMap<>(others));
  }

  /** The inverse of {@link #text()}; quick for a text that was read lately. */
  public static Settings ofText(String text) {
    return SettingsText.read(text);
  }

  /** As one text, for stores and copies. */
  public String text() {
    return SettingsText.write(this);
  }

  /** How many may be inside, by capacity and by what there is. */
  public int mostInside(Units units) {
    return Math.min(pace.maxCapacity(), supply.mostInside(units));
  }

  public Pacing pacing() {
    return pace.rate();
  }

  /** Whether all that decides an order is published: also wherever chance has a part in it. */
  public boolean isLogged() {
    return fairness.log() || fairness.settlesLater() || times.lobbyOpensAt().isPresent();
  }

  /**
   * Every setting by its name, as JSON has it: numbers as {@link Integer}, yes or no as {@link
   * Boolean}, what is not set as null, {@link Words} with languages and {@link Supply.Bound} as a
   * map, lanes as a list of maps, everything else as text.
   */
  public Map<String, @Nullable Object> asMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    PARTS.forEach(part -> part.put(this, map));
    return map;
  }

  /** The same without how the queue looks and who is told of it: no order is decided by those. */
  public Map<String, @Nullable Object> deciding() {
    Map<String, @Nullable Object> map = asMap();
    Reporting.FIELDS.forEach(field -> map.remove(field.name()));
    Look.FIELDS.forEach(field -> map.remove(field.name()));
    return map;
  }

  /** Which of these only a queue with a ledger can keep to; empty if none is at such a value. */
  public Optional<String> needsLedger() {
    Map<String, @Nullable Object> here = asMap();
    Map<String, @Nullable Object> standard = DEFAULT.asMap();
    return FIELDS.stream()
        .filter(Field::needsLedger)
        .map(Field::name)
        .filter(name -> !Objects.equals(here.get(name), standard.get(name)))
        .findFirst();
  }

  /**
   * These settings with some of them changed.
   *
   * @param changes by name, as they came from outside: any type, any name
   * @throws InvalidValue for an unknown name, a wrong type or a value out of range
   */
  public Settings with(Map<String, ? extends @Nullable Object> changes) {
    changes.forEach(
        (name, value) -> {
          Field<?, ?> field = BY_NAME.get(name);
          if (field == null) {
            throw new InvalidValue(name, names(), "is not a setting");
          }
          field.checkNew(value);
        });
    return merged(changes);
  }

  private static String names() {
    return FIELDS.stream().map(Field::name).collect(Collectors.joining(", "));
  }

  /** With these as they were stored: what is not known here is kept beside. */
  Settings merged(Map<String, ? extends @Nullable Object> changes) {
    Map<String, @Nullable Object> merged = new LinkedHashMap<>(asMap());
    Map<String, @Nullable Object> unknown = new LinkedHashMap<>(others);
    changes.forEach(
        (name, value) -> (BY_NAME.containsKey(name) ? merged : unknown).put(name, value));
    return new Settings(
        Pace.of(merged),
        Times.of(merged),
        Fairness.of(merged),
        Lanes.of(merged),
        Supply.of(merged),
        Stay.of(merged),
        Fallback.of(merged),
        Door.of(merged),
        Reporting.of(merged),
        Look.of(merged),
        unknown);
  }

  /** These settings, with those changed that a store keeps as a text each. */
  public Settings withStored(Map<String, String> stored) {
    Map<String, @Nullable Object> changes = new LinkedHashMap<>();
    DEFAULT
        .asMap()
        .forEach(
            (name, standard) -> {
              String value = stored.get(name);
              if (value != null) {
                changes.put(name, read(standard, value));
              }
            });
    return merged(changes);
  }

  private static @Nullable Object read(@Nullable Object standard, String value) {
    return switch (standard) {
      case Integer _ -> Integer.valueOf(value);
      case Boolean _ -> Boolean.valueOf(value);
      case null -> perhaps(value);
      default -> value;
    };
  }

  private static @Nullable Object perhaps(String value) {
    if (value.equals("null")) {
      return null;
    }
    return DIGITS.matcher(value).matches() ? (Object) Integer.valueOf(value) : value;
  }
}
