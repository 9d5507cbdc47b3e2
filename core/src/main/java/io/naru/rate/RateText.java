package io.naru.rate;

import io.naru.queue.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A {@link RateState} as one text, which stores keep and do not look into: a JSON object. */
public final class RateText {

  private RateText() {}

  /** Empty for none. */
  public static String write(@Nullable RateState state) {
    if (state == null) {
      return "";
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("perSecond", state.perSecond());
    all.put("reason", state.reason().word());
    all.put("since", state.since());
    all.put("tickedAt", state.tickedAt());
    all.put("notedAt", state.notedAt());
    all.put("heard", state.signals().heard().stream().map(RateText::write).toList());
    Flow flow = state.flow();
    all.put("limit", flow.limit());
    all.put("wall", flow.wall());
    all.put("departed", flow.departed());
    all.put("leaving", flow.leaving());
    all.put("insideSeconds", flow.insideSeconds());
    all.put("departures", flow.departures());
    all.put("cutAt", flow.cutAt());
    all.put("downAt", flow.downAt());
    all.put("easedAt", flow.easedAt());
    all.put("grownAt", flow.grownAt());
    all.put("wasWell", flow.wasWell());
    all.put("level", flow.level());
    all.put("levelBefore", flow.levelBefore());
    all.put("levelAt", flow.levelAt());
    return Json.write(all);
  }

  private static List<Object> write(Heard heard) {
    return List.of(
        heard.source(),
        heard.at(),
        heard.count(),
        heard.errors(),
        heard.p95Millis(),
        heard.partAt(),
        heard.partCount(),
        heard.partErrors(),
        heard.partP95Millis(),
        heard.toldAt());
  }

  /** The inverse. */
  public static @Nullable RateState read(String text) {
    if (text.isEmpty()) {
      return null;
    }
    var all = new Values(Json.readObject(text));
    List<Heard> heard = new ArrayList<>();
    for (Object each : (List<?>) all.get("heard")) {
      heard.add(heard((List<?>) each));
    }
    var flow =
        new Flow(
            all.number("limit"),
            all.number("wall"),
            all.whole("departed"),
            all.number("leaving"),
            all.number("insideSeconds"),
            all.number("departures"),
            all.whole("cutAt"),
            all.whole("downAt"),
            all.whole("easedAt"),
            all.whole("grownAt"),
            (Boolean) all.get("wasWell"),
            all.number("level"),
            all.number("levelBefore"),
            all.whole("levelAt"));
    return new RateState(
        all.number("perSecond"),
        Reason.of((String) all.get("reason")),
        all.whole("since"),
        all.whole("tickedAt"),
        all.whole("notedAt"),
        new Signals(heard),
        flow);
  }

  private static Heard heard(List<?> values) {
    return new Heard(
        (String) values.get(0),
        ((Number) values.get(1)).longValue(),
        ((Number) values.get(2)).longValue(),
        ((Number) values.get(3)).longValue(),
        ((Number) values.get(4)).doubleValue(),
        ((Number) values.get(5)).longValue(),
        ((Number) values.get(6)).longValue(),
        ((Number) values.get(7)).longValue(),
        ((Number) values.get(8)).doubleValue(),
        ((Number) values.get(9)).longValue());
  }

  private record Values(Map<String, @Nullable Object> all) {

    Object get(String name) {
      return Objects.requireNonNull(all.get(name), name);
    }

    double number(String name) {
      return ((Number) get(name)).doubleValue();
    }

    long whole(String name) {
      return ((Number) get(name)).longValue();
    }
  }
}
