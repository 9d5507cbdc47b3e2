package io.naru.queue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What there is for those who go in, as the site said it: absolute figures, so that the last word
 * is the whole truth, however many before it were lost.
 *
 * @param version by which the site numbers what it says; of two, the higher one is later
 * @param pools what it is made of
 */
public record Stock(long version, List<Pool> pools) {

  /** More than anybody sells; also of what may be left in one pool. */
  public static final int MOST = 10_000_000;

  public static final int MAX_POOLS = 50;

  /** As far as every program of JSON counts exactly. */
  public static final long MAX_VERSION = 1L << 53;

  private static final Field<Pool, String> NAME = Field.text("pools.name", 64, Pool::name);
  private static final Field<Pool, Integer> REMAINING =
      Field.whole("pools.remaining", 0, MOST, Pool::remaining);
  private static final Field<Pool, Integer> HELD = Field.whole("pools.held", 0, MOST, Pool::held);
  private static final Set<String> MEMBERS = Set.of("name", "remaining", "held");

  /**
   * A kind of what there is.
   *
   * @param name as the site calls it
   * @param remaining units that nobody has
   * @param held units that somebody inside has and has not paid for
   */
  public record Pool(String name, int remaining, int held) {

    public Pool {
      NAME.check(name);
      REMAINING.check(remaining);
      HELD.check(held);
    }

    private static Pool of(@Nullable Object given) {
      if (!(given instanceof Map<?, ?> members)) {
        throw new InvalidValue("pools", "objects with " + MEMBERS, "has something else");
      }
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      values.put(HELD.name(), 0);
      members.forEach((name, value) -> values.put("pools." + name, value));
      values.keySet().stream()
          .filter(name -> !MEMBERS.contains(name.substring("pools.".length())))
          .findFirst()
          .ifPresent(
              name -> {
                throw new InvalidValue(name, "name, remaining, held", "is not known");
              });
      return new Pool(NAME.read(values), REMAINING.read(values), HELD.read(values));
    }

    private Map<String, Object> plain() {
      return Map.of("name", name, "remaining", remaining, "held", held);
    }
  }

  public Stock {
    if (version < 0 || version > MAX_VERSION) {
      throw new InvalidValue("version", "0.." + MAX_VERSION, "is " + version);
    }
    pools = List.copyOf(pools);
    if (pools.isEmpty() || pools.size() > MAX_POOLS) {
      throw new InvalidValue("pools", "1.." + MAX_POOLS + " of them", "are " + pools.size());
    }
    Set<String> names = new HashSet<>();
    for (Pool pool : pools) {
      if (!names.add(pool.name)) {
        throw new InvalidValue("pools.name", "a different one for each", "is there twice");
      }
    }
  }

  /**
   * As it came from outside.
   *
   * @throws InvalidValue if it cannot be
   */
  public static Stock of(@Nullable Object version, @Nullable Object pools) {
    long number =
        switch (version) {
          case Integer i -> i;
          case Long l -> l;
          case null, default ->
              throw new InvalidValue("version", "0.." + MAX_VERSION, "is not a whole number");
        };
    if (!(pools instanceof List<?> list)) {
      throw new InvalidValue("pools", "1.." + MAX_POOLS + " of them", "is not a list");
    }
    List<Pool> all = new ArrayList<>(list.size());
    list.forEach(pool -> all.add(Pool.of(pool)));
    return new Stock(number, all);
  }

  /** In all pools together. */
  public Units units(long at) {
    return new Units(
        pools.stream().mapToLong(Pool::remaining).sum(),
        pools.stream().mapToLong(Pool::held).sum(),
        at);
  }

  /** As JSON has it. */
  public Map<String, Object> plain() {
    Map<String, Object> plain = new LinkedHashMap<>();
    plain.put("version", version);
    plain.put("pools", pools.stream().map(Pool::plain).toList());
    return plain;
  }
}
