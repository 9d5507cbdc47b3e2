package io.naru.queue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who stands in which line, and whose turn it is.
 *
 * @param lanes none, or up to ten; in the last one is everybody who is given no other
 * @param laneOrder how those who go in are taken from the lanes
 */
public record Lanes(List<Lane> lanes, Order laneOrder) {

  /** The lane of those who came back after a failed payment; in front of all others. */
  public static final String FALLBACK = "fallback";

  private static final int MOST = 10;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,15}");
  private static final String ALLOWED =
      "null, or 1..%s lanes {\"name\": …, \"share\": …}, each name once".formatted(MOST);
  public static final String NAME_ALLOWED =
      "a letter a..z, then up to 15 of a..z, 0..9 and -; not " + FALLBACK;

  /** How those who go in are taken from the lanes. */
  public enum Order {
    /** From each as many as its share says. */
    SHARES,
    /** From a lane only if those above it are empty. */
    STRICT
  }

  private static final Field<Lanes, List<Lane>> ALL =
      Field.of("lanes", ALLOWED, Lanes::lanes, "is no list of lanes", Lanes::read).withLedger();
  private static final Field<Lanes, Order> ORDER =
      Field.oneOf("laneOrder", Order.class, Lanes::laneOrder).withLedger();

  static final List<Field<Lanes, ?>> FIELDS = List.of(ALL, ORDER);

  public static final Lanes NONE = new Lanes(List.of(), Order.SHARES);

  public Lanes {
    lanes = List.copyOf(lanes);
  }

  static Lanes of(Map<String, ? extends @Nullable Object> values) {
    return new Lanes(ALL.read(values), ORDER.read(values));
  }

  /** Whether a lane may be called so. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches() && !name.equals(FALLBACK);
  }

  public boolean isNone() {
    return lanes.isEmpty();
  }

  /** The sum of all shares. */
  public long shares() {
    long sum = 0;
    for (Lane lane : lanes) {
      sum += lane.share();
    }
    return sum;
  }

  /** The share of a lane; 0 if there is none of this name. */
  public int share(String name) {
    // Asked for every lane with every place that is shown: streams would cost more than the rest.
    for (Lane lane : lanes) {
      if (lane.name().equals(name)) {
        return lane.share();
      }
    }
    return 0;
  }

  private static @Nullable List<Lane> read(@Nullable Object given) {
    if (given == null) {
      return List.of();
    }
    if (!(given instanceof List<?> list)) {
      return null;
    }
    if (list.size() > MOST) {
      throw new InvalidValue("lanes", ALLOWED, "are " + list.size());
    }
    List<Lane> lanes = new ArrayList<>(list.size());
    Set<String> names = new HashSet<>();
    for (Object each : list) {
      Lane lane = lane("lanes[" + lanes.size() + "]", each);
      if (!names.add(lane.name())) {
        throw new InvalidValue("lanes[" + lanes.size() + "].name", ALLOWED, "is there already");
      }
      lanes.add(lane);
    }
    return lanes;
  }

  private static Lane lane(String at, @Nullable Object given) {
    if (!(given instanceof Map<?, ?> object)
        || !Set.of("name", "share").containsAll(object.keySet())) {
      throw new InvalidValue(at, "{\"name\": …, \"share\": …}", "is something else");
    }
    String name = object.get("name") instanceof String text ? text : "";
    if (!isName(name)) {
      throw new InvalidValue(at + ".name", NAME_ALLOWED, "is not a name of a lane");
    }
    String shareAt = at + ".share";
    Field<Lane, Integer> share = Field.whole(shareAt, 1, 1_000, Lane::share);
    Map<String, @Nullable Object> shareGiven = new LinkedHashMap<>();
    shareGiven.put(shareAt, object.get("share"));
    return new Lane(name, share.check(share.read(shareGiven)));
  }
}
