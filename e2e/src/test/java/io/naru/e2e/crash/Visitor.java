package io.naru.e2e.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Brings people and looks after them, one request after the other: enters, asks where they stand,
 * leaves, completes, enters again. What is done is decided by a seed; what is unknown is asked
 * again at another server, as a browser does.
 */
final class Visitor {

  private final int number;
  private final int maxGuests;
  private final Door door;
  private final Random random;
  private final List<Guest> guests = new ArrayList<>();
  private int brought;

  Visitor(int number, int maxGuests, Door door, long seed) {
    this.number = number;
    this.maxGuests = maxGuests;
    this.door = door;
    this.random = new Random(seed * 1_000 + number);
  }

  /** One request. */
  void act() {
    if (random.nextInt(20) == 0) {
      door.next();
    }
    boolean isNew = guests.isEmpty() || (brought < maxGuests && random.nextInt(100) < 30);
    if (isNew) {
      guests.add(new Guest("u:%d-%d".formatted(number, brought++)));
    }
    Guest guest = isNew ? guests.getLast() : guests.get(random.nextInt(guests.size()));
    Seen seen = guest.seen;
    if (seen == null) {
      enter(guest);
    } else if (guest.isDoubtful) {
      status(guest);
    } else if (seen.isEntered()) {
      actInside(guest, seen);
    } else {
      actInLine(guest, seen);
    }
  }

  private void actInside(Guest guest, Seen seen) {
    if (random.nextInt(100) < 70) {
      end(guest, door.complete(guest.user, seen));
    } else {
      status(guest);
    }
  }

  private void actInLine(Guest guest, Seen seen) {
    int what = random.nextInt(100);
    if (what < 8) {
      end(guest, door.leave(guest.user, seen));
    } else if (what < 20) {
      enter(guest);
    } else {
      status(guest);
    }
  }

  private void enter(Guest guest) {
    Call call = door.enter(guest.user);
    switch (call.outcome()) {
      case OK -> see(guest, call);
      case REFUSED -> guests.remove(guest);
      case UNKNOWN -> door.next();
    }
  }

  private void status(Guest guest) {
    Call call = door.status(guest.user);
    switch (call.outcome()) {
      case OK -> {
        see(guest, call);
        guest.isDoubtful = guest.isDoubtful && Told.seen(call).isWaiting();
        if (!Told.seen(call).isWaiting() && !Told.seen(call).isEntered()) {
          guests.remove(guest);
        }
      }
      case REFUSED -> guests.remove(guest);
      case UNKNOWN -> door.next();
    }
  }

  /** Older states are ignored, as the number of each answer allows. */
  private static void see(Guest guest, Call call) {
    Seen now = Told.seen(call);
    Seen before = guest.seen;
    if (before == null || before.joined() != now.joined() || now.change() >= before.change()) {
      guest.seen = now;
    }
  }

  private void end(Guest guest, Call call) {
    switch (call.outcome()) {
      case OK -> {
        guests.remove(guest);
        if (random.nextInt(4) == 0) {
          guests.add(new Guest(guest.user));
        }
      }
      case REFUSED -> status(guest);
      case UNKNOWN -> {
        guest.isDoubtful = true;
        door.next();
      }
    }
  }
}
