package io.naru.e2e.crash;

import io.naru.e2e.crash.Crowd.Manner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Brings people and looks after them, one request after the other: enters, asks where they stand,
 * leaves, completes, enters again. What is done is decided by a seed; what is unknown is asked
 * again at another server, as a browser does.
 */
final class Visitor {

  /** Nobody is left without a look for longer, if time allows: who does not ask is not there. */
  private static final Duration LOOKS = Duration.ofSeconds(3);

  private static final Duration NO_ANSWER = Duration.ofMillis(100);

  private final int number;
  private final Manner manner;
  private final Door door;
  private final Random random;
  private final boolean comesBack;
  private final List<Guest> guests = new ArrayList<>();
  private int brought;

  /**
   * @param comesBack whether payments of some of them fail
   */
  Visitor(int number, Manner manner, Door door, long seed, boolean comesBack) {
    this.number = number;
    this.manner = manner;
    this.door = door;
    this.random = new Random(seed * 1_000 + number);
    this.comesBack = comesBack;
  }

  /** One request; says how long to rest after it. */
  Duration act() {
    Call last = once();
    // Whoever gets no answer at all does not try again at once.
    return last.code() == 0
        ? NO_ANSWER
        : Duration.ofMillis(random.nextInt(manner.maxPauseMillis()));
  }

  private Call once() {
    if (random.nextInt(20) == 0) {
      door.next();
    }
    boolean isNew = guests.isEmpty() || (mayBring() && random.nextInt(100) < 30);
    if (isNew) {
      guests.add(new Guest("u:%d-%d".formatted(number, brought++)));
    }
    Guest guest = isNew ? guests.getLast() : next();
    guest.lookedAt = System.nanoTime();
    Seen seen = guest.seen;
    if (seen == null) {
      return enter(guest);
    }
    if (guest.isDoubtful) {
      return status(guest);
    }
    return seen.isEntered() ? actInside(guest, seen) : actInLine(guest, seen);
  }

  private boolean mayBring() {
    return brought < manner.guests() && guests.size() < manner.atOnce();
  }

  /** Anybody, unless somebody has not been asked for in too long a time. */
  private Guest next() {
    Guest longest = guests.getFirst();
    for (Guest guest : guests) {
      longest = guest.lookedAt - longest.lookedAt < 0 ? guest : longest;
    }
    boolean isLong = System.nanoTime() - longest.lookedAt > LOOKS.toNanos();
    return isLong ? longest : guests.get(random.nextInt(guests.size()));
  }

  private Call actInside(Guest guest, Seen seen) {
    int what = random.nextInt(100);
    if (comesBack && what < 40) {
      return comeBack(guest, seen, what < 30);
    }
    return what < 70 ? end(guest, door.complete(guest.user, seen)) : status(guest);
  }

  private Call comeBack(Guest guest, Seen seen, boolean givesUp) {
    Call call = door.giveBack(guest.user, seen, givesUp);
    switch (call.outcome()) {
      case OK -> see(guest, call);
      case REFUSED -> status(guest);
      case UNKNOWN -> guest.isDoubtful = true;
    }
    return call;
  }

  private Call actInLine(Guest guest, Seen seen) {
    int what = random.nextInt(100);
    if (what < 8) {
      return end(guest, door.leave(guest.user, seen));
    }
    return what < 20 ? enter(guest) : status(guest);
  }

  private Call enter(Guest guest) {
    Call call = door.enter(guest.user);
    switch (call.outcome()) {
      case OK -> see(guest, call);
      case REFUSED -> guests.remove(guest);
      case UNKNOWN -> {}
    }
    return call;
  }

  private Call status(Guest guest) {
    Call call = door.status(guest.user, guest.seen);
    switch (call.outcome()) {
      case OK -> {
        boolean isAnother = guest.seen != null && guest.seen.joined() != Told.seen(call).joined();
        see(guest, call);
        guest.isDoubtful = guest.isDoubtful && Told.seen(call).isWaiting() && !isAnother;
        if (!Told.seen(call).isWaiting() && !Told.seen(call).isEntered()) {
          guests.remove(guest);
        }
      }
      case REFUSED -> guests.remove(guest);
      case UNKNOWN -> {}
    }
    return call;
  }

  /** Older states are ignored, as the number of each answer allows. */
  private static void see(Guest guest, Call call) {
    Seen now = Told.seen(call);
    Seen before = guest.seen;
    if (before == null || before.joined() != now.joined() || now.change() >= before.change()) {
      guest.seen = now;
    }
  }

  private Call end(Guest guest, Call call) {
    switch (call.outcome()) {
      case OK -> {
        guests.remove(guest);
        if (random.nextInt(4) == 0) {
          guests.add(new Guest(guest.user));
        }
      }
      case REFUSED -> status(guest);
      case UNKNOWN -> guest.isDoubtful = true;
    }
    return call;
  }
}
