package io.naru.fair;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lanes as small numbers, and in which band of scores each stands. */
final class LaneNames {

  static final int MOST = 100;

  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> bands = new HashMap<>();

  int of(String name) {
    int known = names.indexOf(name);
    if (known >= 0) {
      return known;
    }
    if (names.size() == MOST) {
      throw new IllegalArgumentException("more than " + MOST + " lanes");
    }
    names.add(name);
    return names.size() - 1;
  }

  String name(int lane) {
    return names.get(lane);
  }

  /** Whether a lane stands in this band; the first time it says so. */
  boolean standsIn(String name, int band) {
    Integer known = bands.get(name);
    if (known != null) {
      return known == band;
    }
    if (bands.containsValue(band)) {
      return false;
    }
    bands.put(name, band);
    return true;
  }

  @Nullable Integer band(String name) {
    return bands.get(name);
  }

  /** Other lanes: they may stand elsewhere. */
  void forgetBands() {
    bands.clear();
  }
}
