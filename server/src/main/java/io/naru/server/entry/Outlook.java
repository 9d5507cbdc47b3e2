package io.naru.server.entry;

import io.naru.admission.Estimate;
import io.naru.admission.Pacing;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.server.http.Ascii;
import io.naru.server.http.Json;
import io.naru.server.presence.Lookout;
import java.time.InstantSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What those who wait are told besides their place: whether nobody is let in and why, and how long
 * it may take.
 */
public final class Outlook {

  private static final long MIN_ASK_SECONDS = 2;
  private static final long MAX_ASK_SECONDS = 15;

  private final Pauses pauses;
  private final Forecast forecast;
  private final Lookout lookout;
  private final Drawn drawn;
  private final InstantSource clock;

  /** What many are told alike, so that it is made once. */
  private volatile Second now = new Second(Long.MIN_VALUE, new byte[0]);

  private volatile Said reason = new Said("", new byte[0]);

  private static final class Said {
    final String what;
    final byte[] json;

    Said(String what, byte[] json) {
      this.what = what;
      this.json = json;
    }
  }

  private static final class Second {
    final long number;
    final byte[] json;

    Second(long number, byte[] json) {
      this.number = number;
      this.json = json;
    }
  }

  /** How long somebody waits. */
  public interface Forecast {

    /** Null if nobody knows, or not yet. */
    @Nullable Estimate of(QueueId queue, long ahead, LineState line);

    /** The rate that the queue has now, as far as that is known. */
    default Pacing pacing(QueueId queue, LineState line) {
      return line.settings().pacing();
    }
  }

  /** Where nothing is drawn. */
  public Outlook(Pauses pauses, Forecast forecast, Lookout lookout, InstantSource clock) {
    this(pauses, forecast, lookout, Drawn.NONE, clock);
  }

  public Outlook(
      Pauses pauses, Forecast forecast, Lookout lookout, Drawn drawn, InstantSource clock) {
    this.pauses = pauses;
    this.forecast = forecast;
    this.lookout = lookout;
    this.drawn = drawn;
    this.clock = clock;
  }

  /** What is known of draws here. */
  public Drawn drawn() {
    return drawn;
  }

  /** What there is to show of a place in line, or instead of one. */
  public Shown shown(EntryKey key, long score, long ahead, LineState line) {
    return Shown.of(key, score, ahead, line, drawn);
  }

  /** The same of somebody who waits. */
  public Shown shown(Place place) {
    return shown(place.entry().key(), place.score(), place.ahead(), place.line());
  }

  public Pauses pauses() {
    return pauses;
  }

  /** Who shows themselves is seen. */
  public Lookout lookout() {
    return lookout;
  }

  /**
   * When asking again makes sense for somebody who waits: who has no place yet asks at the opening,
   * a little after it, and then every few seconds.
   */
  public long askAgainSeconds(Place place) {
    Shown shown = shown(place);
    if (!shown.isKnown()) {
      long until = pauses.secondsUntilAdmission(place.line());
      return Math.clamp(until, MIN_ASK_SECONDS, MAX_ASK_SECONDS);
    }
    // Drawn, and soon in line.
    return shown.isDrawn() ? MIN_ASK_SECONDS : place.askAgainSeconds();
  }

  /** How long somebody waits if the rate holds that the queue has now. */
  long secondsAtRate(QueueId queue, long ahead, LineState line) {
    return forecast.pacing(queue, line).estimatedWaitSeconds(ahead + 1);
  }

  /** How many go in per second now, as far as that is known. */
  public double ratePerSecond(QueueId queue, LineState line) {
    return forecast.pacing(queue, line).perSecond();
  }

  /** How long it takes from now on; null if nobody knows. */
  public @Nullable Estimate wait(
      QueueId queue, long ahead, LineState line, @Nullable PausedBy paused) {
    if (paused != null && paused != PausedBy.SCHEDULE) {
      return null;
    }
    Estimate estimate = forecast.of(queue, ahead, line);
    if (estimate == null || paused == null) {
      return estimate;
    }
    long until = pauses.secondsUntilAdmission(line);
    return new Estimate(until + estimate.lowSeconds(), until + estimate.highSeconds());
  }

  /** The time, to the second. */
  byte[] now() {
    long second = Math.floorDiv(Micros.now(clock), Micros.PER_SECOND);
    Second said = now;
    if (said.number != second) {
      said = new Second(second, Ascii.text(Micros.iso(second * Micros.PER_SECOND)));
      now = said;
    }
    return said.json;
  }

  /** A member {@code reason}, with its comma. */
  byte[] reason(State state) {
    Said said = reason;
    if (!said.what.equals(state.reason())) {
      byte[] object =
          Json.object(json -> json.writeStringProperty("reason", state.reason())).getBytes();
      object[0] = ',';
      said = new Said(state.reason(), Arrays.copyOf(object, object.length - 1));
      reason = said;
    }
    return said.json;
  }
}
