package io.naru.load;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What everybody in a queue is told alike, as far as it takes to know who must ask by themselves.
 * Tiles are not looked at: without them a place is known but for those who left within one's own
 * block, and it is taken for the nearest that it can be.
 *
 * @param askWithin whoever has fewer before them asks
 * @param block how many tickets are counted together
 */
record Board(long change, long askWithin, long block, List<OfLane> lanes) {

  private static final Pattern CHANGE = Pattern.compile("\"change\":(\\d{1,18})");
  private static final Pattern ASK_WITHIN = Pattern.compile("\"askWithin\":(\\d{1,18})");
  private static final Pattern BLOCK = Pattern.compile("\"block\":(\\d{1,18})");
  private static final Pattern LANE =
      Pattern.compile(
          "\\{\"id\":-?\\d+(?:,\"name\":\"([^\"]*)\")?[^{}\\[\\]]*\"front\":(\\d{1,18})"
              + "[^{}\\[\\]]*\"gone\":\\[([0-9,]*)]");

  /** Nobody can live on it: everybody asks. */
  static final Board NONE = new Board(0, Long.MAX_VALUE, 1, List.of());

  /**
   * One lane of it.
   *
   * @param name empty if there is only one
   * @param gone how many tickets behind the front are gone, by blocks from the front's on
   */
  record OfLane(String name, long front, List<Long> gone) {}

  static Board read(String json) {
    List<OfLane> lanes = new ArrayList<>();
    Matcher lane = LANE.matcher(json);
    while (lane.find()) {
      String name = lane.group(1) == null ? "" : lane.group(1);
      List<Long> gone = new ArrayList<>();
      for (String count : lane.group(3).split(",", -1)) {
        if (!count.isEmpty()) {
          gone.add(Long.valueOf(count));
        }
      }
      lanes.add(new OfLane(name, Long.parseLong(lane.group(2)), gone));
    }
    return lanes.isEmpty()
        ? NONE
        : new Board(
            number(CHANGE, json, 0),
            number(ASK_WITHIN, json, Long.MAX_VALUE),
            Math.max(1, number(BLOCK, json, 1)),
            lanes);
  }

  private static long number(Pattern what, String json, long other) {
    Matcher found = what.matcher(json);
    return found.find() ? Long.parseLong(found.group(1)) : other;
  }

  /** Behind several servers, or a cache, an older one may come later: it says nothing. */
  Board orNewer(Board known) {
    return change > 0 && change < known.change ? known : this;
  }

  /** Whether somebody with this ticket must ask by themselves; also if nothing is known of it. */
  boolean mustAsk(String lane, long ticket) {
    return lanes.stream()
        .filter(each -> each.name.equals(lane))
        .noneMatch(each -> ticket > 0 && leastAhead(each, ticket) >= askWithin);
  }

  private long leastAhead(OfLane lane, long ticket) {
    // One block more than there can be before the ticket, wherever blocks begin.
    long blocks = ticket / block - lane.front / block + 2;
    long gone = lane.gone.stream().limit(Math.max(0, blocks)).mapToLong(Long::longValue).sum();
    return ticket - lane.front - gone;
  }
}
