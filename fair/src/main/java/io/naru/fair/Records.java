package io.naru.fair;

import io.naru.fair.LogRecord.Back;
import io.naru.fair.LogRecord.ByHand;
import io.naru.fair.LogRecord.Close;
import io.naru.fair.LogRecord.Coin;
import io.naru.fair.LogRecord.Cut;
import io.naru.fair.LogRecord.Delete;
import io.naru.fair.LogRecord.Done;
import io.naru.fair.LogRecord.Drawn;
import io.naru.fair.LogRecord.End;
import io.naru.fair.LogRecord.Enter;
import io.naru.fair.LogRecord.Handoff;
import io.naru.fair.LogRecord.Join;
import io.naru.fair.LogRecord.Move;
import io.naru.fair.LogRecord.Pass;
import io.naru.fair.LogRecord.Present;
import io.naru.fair.LogRecord.Rate;
import io.naru.fair.LogRecord.Return;
import io.naru.fair.LogRecord.Rules;
import io.naru.fair.LogRecord.Seal;
import io.naru.fair.LogRecord.Seeds;
import io.naru.fair.LogRecord.Settle;
import io.naru.fair.LogRecord.Settled;
import io.naru.fair.LogRecord.Stock;
import io.naru.queue.Fairness.Draw;
import io.naru.queue.Json;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records as text: a JSON array without blanks, {@code [kind, change, at, …]}, in UTF-8. A record
 * has one text, since its hash is of that; what could be written in two ways is refused.
 */
public final class Records {

  /** Of one record: its length is two bytes where records are published. */
  public static final int MAX_BYTES = 65_535;

  private static final Set<String> STATUSES = Set.of("LEFT", "EXPIRED", "COMPLETED");

  private final List<@Nullable Object> fields;

  private Records(List<@Nullable Object> fields) {
    this.fields = fields;
  }

  /**
   * @throws IllegalArgumentException if it would be too long to be published
   */
  public static String write(LogRecord event) {
    String text = array(fields(event));
    if (text.length() > MAX_BYTES || Hashes.utf8(text).length > MAX_BYTES) {
      throw new IllegalArgumentException("a record of " + text.length() + " characters");
    }
    return text;
  }

  /** The inverse of {@link #array}. */
  private static List<@Nullable Object> list(String text) {
    Object list = Json.readObject("{\"\":" + text + "}").get("");
    if (!text.startsWith("[") || !(list instanceof List<?> values)) {
      throw new IllegalArgumentException("a record is a JSON array");
    }
    return new ArrayList<>(values);
  }

  private static String array(List<@Nullable Object> fields) {
    String object = Json.write(Map.of("", fields));
    return object.substring("{\"\":".length(), object.length() - 1);
  }

  private static List<@Nullable Object> of(
      String kind, LogRecord event, @Nullable Object... others) {
    List<@Nullable Object> fields = new ArrayList<>(3 + others.length);
    fields.add(kind);
    fields.add(event.change());
    fields.add(event.at());
    fields.addAll(Arrays.asList(others));
    return fields;
  }

  private static List<@Nullable Object> fields(LogRecord event) {
    return switch (event) {
      case Rules r ->
          of(
              "rules",
              r,
              r.version(),
              r.settings(),
              r.state(),
              r.entryOpen(),
              r.admissionPaused(),
              r.endedAt());
      case LogRecord.Lobby r ->
          of(
              "lobby",
              r,
              r.number(),
              r.draw().name(),
              r.commitment(),
              r.windowCommitment(),
              r.chain());
      case Join r -> of("join", r, r.joined(), r.leaf(), r.lane(), r.score(), r.ticket());
      case Settle r -> of("settle", r, r.joined(), r.lane(), r.score(), r.ticket());
      case Settled r ->
          of("settled", r, r.number(), r.from(), r.upTo(), firsts(r.firsts()), r.gone());
      case Enter r -> of("enter", r, r.joined(), r.until());
      case End r -> of("end", r, r.joined(), r.status(), r.reason());
      case Return r -> of("return", r, r.joined(), r.until());
      case Move r -> of("move", r, r.joined(), r.lane(), r.score(), r.ticket());
      case Handoff r -> of("handoff", r, r.joined(), r.newJoined(), r.leaf());
      case Pass r -> of("pass", r, r.joined());
      case Back r -> of("back", r, r.joined());
      case Present r -> of("present", r);
      case Cut r -> of("cut", r, r.joined(), r.until());
      case ByHand r -> of("byhand", r, r.count());
      case Stock r -> of("stock", r, r.remaining(), r.held());
      case Rate r -> of("rate", r, r.perSecond());
      case Close r -> of("close", r, r.number(), r.lastJoined(), r.count());
      case Seal r -> of("seal", r, r.number(), r.root(), r.count(), inLanes(r.lanes()), r.round());
      case Coin r -> of("coin", r, r.number(), r.round(), r.signature());
      case Drawn r -> of("draw", r, r.number(), r.draw().name(), r.seed());
      case Seeds r -> of("seeds", r, r.windowSeed());
      case Done r -> of("done", r, r.number());
      case Delete r -> of("delete", r);
    };
  }

  private static Map<String, Object> firsts(Map<String, Settled.First> firsts) {
    Map<String, Object> plain = new LinkedHashMap<>();
    firsts.forEach((lane, first) -> plain.put(lane, List.of(first.score(), first.ticket())));
    return plain;
  }

  private static List<Object> inLanes(List<Seal.InLane> lanes) {
    List<Object> plain = new ArrayList<>();
    lanes.forEach(lane -> plain.add(List.of(lane.lane(), lane.count())));
    return plain;
  }

  /**
   * @throws IllegalArgumentException if this is not a record as {@link #write} writes it
   */
  public static LogRecord read(String text) {
    List<@Nullable Object> fields = list(text);
    if (fields.size() < 3 || !(fields.getFirst() instanceof String kind)) {
      throw new IllegalArgumentException("a record is [kind, change, at, …]");
    }
    LogRecord event = new Records(fields).read(kind, fields.size() - 3);
    if (!array(fields(event)).equals(text)) {
      throw new IllegalArgumentException("the record " + kind + " is not as it is written");
    }
    return event;
  }

  private LogRecord read(String kind, int others) {
    long change = whole(1);
    long at = whole(2);
    return switch (kind + "/" + others) {
      case "rules/6" ->
          new Rules(change, at, whole(3), object(4), text(5), isTrue(6), isTrue(7), whole(8));
      case "lobby/5" ->
          new LogRecord.Lobby(
              change, at, whole(3), draw(4), hash(5), hash(6), text(7).isEmpty() ? "" : hash(7));
      case "join/5" -> new Join(change, at, whole(3), hash(4), text(5), wholeOrNull(6), whole(7));
      case "settle/4" -> new Settle(change, at, whole(3), text(4), whole(5), whole(6));
      case "settled/5" ->
          new Settled(change, at, whole(3), whole(4), whole(5), readFirsts(object(6)), wholes(7));
      case "enter/2" -> new Enter(change, at, whole(3), whole(4));
      case "end/3" -> new End(change, at, whole(3), status(4), text(5));
      case "return/2" -> new Return(change, at, whole(3), whole(4));
      case "move/4" -> new Move(change, at, whole(3), text(4), wholeOrNull(5), whole(6));
      case "handoff/3" -> new Handoff(change, at, whole(3), whole(4), hash(5));
      case "pass/1" -> new Pass(change, at, whole(3));
      case "back/1" -> new Back(change, at, whole(3));
      case "present/0" -> new Present(change, at);
      case "cut/2" -> new Cut(change, at, whole(3), whole(4));
      case "byhand/1" -> new ByHand(change, at, whole(3));
      case "stock/2" -> new Stock(change, at, whole(3), whole(4));
      case "rate/1" -> new Rate(change, at, decimal(3));
      case "close/3" -> new Close(change, at, whole(3), whole(4), whole(5));
      case "seal/5" -> new Seal(change, at, whole(3), hash(4), whole(5), inLanes(6), whole(7));
      case "coin/3" -> new Coin(change, at, whole(3), whole(4), hex(5, Drand.SIGNATURE_BYTES));
      case "draw/3" -> new Drawn(change, at, whole(3), draw(4), hash(5));
      case "seeds/1" -> new Seeds(change, at, hash(3));
      case "done/1" -> new Done(change, at, whole(3));
      case "delete/0" -> new Delete(change, at);
      default ->
          throw new IllegalArgumentException("no record is called " + kind + " and has " + others);
    };
  }

  private IllegalArgumentException wrong(int at, String expected) {
    return new IllegalArgumentException(
        "field " + at + " of the record " + fields.getFirst() + " is not " + expected);
  }

  private long whole(int at) {
    return whole(at, fields.get(at));
  }

  private long whole(int at, @Nullable Object value) {
    return switch (value) {
      case Integer i -> i;
      case Long l -> l;
      case null, default -> throw wrong(at, "a whole number");
    };
  }

  private @Nullable Long wholeOrNull(int at) {
    return fields.get(at) == null ? null : (Long) whole(at);
  }

  private BigDecimal decimal(int at) {
    return switch (fields.get(at)) {
      case Integer i -> BigDecimal.valueOf(i);
      case Long l -> BigDecimal.valueOf(l);
      case BigDecimal decimal -> decimal;
      case null, default -> throw wrong(at, "a number");
    };
  }

  private String text(int at) {
    if (fields.get(at) instanceof String text) {
      return text;
    }
    throw wrong(at, "text");
  }

  private String hash(int at) {
    return hex(at, Hashes.LENGTH);
  }

  private String hex(int at, int bytes) {
    String text = text(at);
    if (!Hashes.isHex(text, bytes)) {
      throw wrong(at, 2 * bytes + " digits 0..9, a..f");
    }
    return text;
  }

  static boolean isStatus(String text) {
    return STATUSES.contains(text);
  }

  private String status(int at) {
    String status = text(at);
    if (!isStatus(status)) {
      throw wrong(at, "LEFT, EXPIRED or COMPLETED");
    }
    return status;
  }

  private Draw draw(int at) {
    return switch (text(at)) {
      case "SEED" -> Draw.SEED;
      case "COIN" -> Draw.COIN;
      default -> throw wrong(at, "SEED or COIN");
    };
  }

  private boolean isTrue(int at) {
    if (fields.get(at) instanceof Boolean is) {
      return is;
    }
    throw wrong(at, "true or false");
  }

  private Map<String, @Nullable Object> object(int at) {
    if (!(fields.get(at) instanceof Map<?, ?> object)) {
      throw wrong(at, "an object");
    }
    Map<String, @Nullable Object> named = new LinkedHashMap<>();
    object.forEach((name, value) -> named.put((String) Objects.requireNonNull(name), value));
    return named;
  }

  private List<?> list(int at) {
    if (fields.get(at) instanceof List<?> list) {
      return list;
    }
    throw wrong(at, "a list");
  }

  private List<Long> wholes(int at) {
    List<Long> wholes = new ArrayList<>();
    list(at).forEach(value -> wholes.add(whole(at, value)));
    return wholes;
  }

  private Map<String, Settled.First> readFirsts(Map<String, @Nullable Object> plain) {
    Map<String, Settled.First> firsts = new LinkedHashMap<>();
    plain.forEach(
        (lane, value) -> {
          if (!(value instanceof List<?> place) || place.size() != 2) {
            throw wrong(6, "places by lane");
          }
          firsts.put(lane, new Settled.First(whole(6, place.get(0)), whole(6, place.get(1))));
        });
    return firsts;
  }

  private List<Seal.InLane> inLanes(int at) {
    List<Seal.InLane> lanes = new ArrayList<>();
    for (Object each : list(at)) {
      if (!(each instanceof List<?> lane)
          || lane.size() != 2
          || !(lane.getFirst() instanceof String name)) {
        throw wrong(at, "counts by lane");
      }
      lanes.add(new Seal.InLane(name, whole(at, lane.get(1))));
    }
    return lanes;
  }
}
