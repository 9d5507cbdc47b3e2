package io.naru.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * A lane as it stands; or those who wait and have no place in it yet, who are counted apart.
 *
 * @param band by which those in it are known: that of their scores
 * @param name empty for everybody, where there are no lanes
 * @param waiting how many wait in it
 * @param owed how many go in before its next turn starts: it had more than its share lately
 */
public record LaneCount(int band, String name, long waiting, long owed) {

  /** Whether it counts those who have no place yet in the lane of the same name. */
  public boolean isUnsettled() {
    return Band.isUnsettled(band);
  }

  /** With some more who wait. */
  public LaneCount plus(long more) {
    return new LaneCount(band, name, waiting + more, owed);
  }

  /** As one text, for copies; empty for none. */
  public static String text(List<LaneCount> all) {
    var text = new StringBuilder();
    for (LaneCount lane : all) {
      text.append(text.isEmpty() ? "" : ";")
          .append(lane.band)
          .append(' ')
          .append(lane.waiting)
          .append(' ')
          .append(lane.owed)
          .append(' ')
          .append(lane.name);
    }
    return text.toString();
  }

  /** The inverse of {@link #text}. */
  public static List<LaneCount> ofText(String text) {
    if (text.isEmpty()) {
      return List.of();
    }
    List<LaneCount> all = new ArrayList<>();
    for (String each : text.split(";", -1)) {
      String[] parts = each.split(" ", -1);
      all.add(
          new LaneCount(
              Integer.parseInt(parts[0]),
              parts[3],
              Long.parseLong(parts[1]),
              Long.parseLong(parts[2])));
    }
    return List.copyOf(all);
  }
}
