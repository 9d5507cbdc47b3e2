package io.naru.server.entry;

import io.naru.queue.Drawing;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Fairness;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.server.http.Ascii;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * What everybody is told of a draw, with places and on the board.
 *
 * @param opensAt when the lobby closes, in microseconds; 0 once it has
 * @param people how many are drawn, or would be now, and then no more exact than two figures; -1 if
 *     nobody can say
 * @param round of the public coin that is waited for; 0 if none is
 * @param coinAt when there will be one; 0 if none is waited for
 */
public record DrawInfo(
    Fairness.Draw kind, Phase phase, long opensAt, long people, long round, long coinAt) {

  private static final byte[] DRAW = Ascii.text(",\"draw\":{\"kind\":\"");
  private static final byte[] PHASE = Ascii.text("\",\"phase\":\"");
  private static final byte[] QUOTE = Ascii.text("\"");
  private static final byte[] OPENS_AT = Ascii.text(",\"opensAt\":\"");
  private static final byte[] PEOPLE = Ascii.text(",\"people\":");
  private static final byte[] ROUND = Ascii.text(",\"round\":");
  private static final byte[] COIN_AT = Ascii.text(",\"coinAt\":\"");
  private static final byte[] END = Ascii.text("}");

  /** Null where nothing is drawn, or all of it is over. */
  public static @Nullable DrawInfo of(QueueId queue, LineState line, Drawn drawn) {
    Drawing drawing = line.drawing();
    return switch (drawing.phase()) {
      case NONE, DONE -> null;
      case LOBBY ->
          new DrawInfo(
              line.settings().fairness().draw(),
              Phase.LOBBY,
              line.settings().times().opening(),
              rounded(line.waiting()),
              0,
              0);
      case CLOSED, DRAWN -> closed(drawing.phase(), line, drawn.facts(queue));
    };
  }

  private static DrawInfo closed(Phase phase, LineState line, Drawn.@Nullable Facts facts) {
    Fairness.Draw kind = line.settings().fairness().draw();
    if (facts == null) {
      return new DrawInfo(kind, phase, 0, -1, 0, 0);
    }
    boolean isWaiting = phase == Phase.CLOSED;
    return new DrawInfo(
        kind,
        phase,
        0,
        facts.people(),
        isWaiting ? facts.round() : 0,
        isWaiting ? facts.coinAt() : 0);
  }

  /** To two figures: how many there are is no secret, but nothing to watch either. */
  static long rounded(long people) {
    long unit = 1;
    while (people / unit >= 100) {
      unit *= 10;
    }
    return people / unit * unit;
  }

  /** The same, whoever comes. */
  public DrawInfo withoutPeople() {
    return new DrawInfo(kind, phase, opensAt, -1, round, coinAt);
  }

  /** As a member {@code draw}, with its comma. */
  void addTo(Ascii out) {
    out.add(DRAW).add(Ascii.text(kind.name())).add(PHASE).add(Ascii.text(phase.name())).add(QUOTE);
    if (opensAt > 0) {
      out.add(OPENS_AT).add(Ascii.text(Micros.iso(opensAt))).add(QUOTE);
    }
    if (people >= 0) {
      out.add(PEOPLE).add(people);
    }
    if (round > 0) {
      out.add(ROUND).add(round);
      out.add(COIN_AT).add(Ascii.text(Micros.iso(coinAt))).add(QUOTE);
    }
    out.add(END);
  }

  /** The same. */
  public void write(JsonGenerator json) {
    json.writeObjectPropertyStart("draw");
    json.writeStringProperty("kind", kind.name());
    json.writeStringProperty("phase", phase.name());
    if (opensAt > 0) {
      json.writeStringProperty("opensAt", Micros.iso(opensAt));
    }
    if (people >= 0) {
      json.writeNumberProperty("people", people);
    }
    if (round > 0) {
      json.writeNumberProperty("round", round);
      json.writeStringProperty("coinAt", Micros.iso(coinAt));
    }
    json.writeEndObject();
  }
}
