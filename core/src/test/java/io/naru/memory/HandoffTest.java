package io.naru.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.decision.Answer;
import io.naru.decision.JoinOutcome;
import io.naru.decision.Request;
import io.naru.line.Moved;
import io.naru.line.Spot;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Edit;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.support.Seeded;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A place goes along to another device: the same place, and nobody else's changes. */
class HandoffTest extends MemoryScenario {

  private HandedOff handOff(EntryKey entry, String to) {
    return await(queues().handOff(entry, to));
  }

  private EntryKey taken(EntryKey entry, String to) {
    HandedOff handed = handOff(entry, to);
    assertThat(handed).isInstanceOf(HandedOff.Has.class);
    return ((HandedOff.Has) handed).entry();
  }

  @Test
  void handOff_waiting_isTheSamePlaceOfAnotherEntry() {
    activateCalm(10, 1);
    keyOf("first");
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("ben");
    Place before = placeOf("ann");
    var spot = new Spot(placeOf("ben").score(), 2, placeOf("ben").line().change());
    long change = placeOf("ben").line().change();

    EntryKey phone = taken(ann, "phone");

    assertThat(phone.user()).isEqualTo("phone");
    assertThat(phone.joined()).isGreaterThan(ben.joined());
    assertThat(placeOf("phone").ahead()).isEqualTo(before.ahead());
    assertThat(placeOf("phone").score()).isEqualTo(before.score());
    assertThat(placeOf("ben").ahead()).isEqualTo(2);
    assertThat(figures().waiting()).isEqualTo(3);
    assertThat(spot.follow(((Moved.Steps) await(line().since(queue, change))).moves()))
        .as("whoever watches is not moved")
        .isEqualTo(Spot.Seen.SAME);
    var old = new Spot(before.score(), before.ahead(), change);
    assertThat(old.follow(((Moved.Steps) await(line().since(queue, change))).moves()))
        .as("whoever had it is told")
        .isEqualTo(Spot.Seen.OUT);
  }

  /** What a link gives is used up with it, and the place stays where it went. */
  @Test
  void handOff_again_isRefusedToOthersAndThePlaceStays() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    EntryKey phone = taken(ann, "phone");

    assertThat(handOff(ann, "thief")).isEqualTo(new HandedOff.NoPlace());
    assertThat(join("thief")).isInstanceOf(Joined.Waiting.class);
    assertThat(handOff(ann, "thief")).as("with a place").isEqualTo(new HandedOff.NoPlace());

    assertThat(placeOf("phone").entry().key()).isEqualTo(phone);
  }

  /** The answer may be lost on its way to the one who has the place by then. */
  @Test
  void handOff_againByWhoTookIt_isTheSamePlace() {
    activateCalm(10, 1);
    keyOf("first");
    EntryKey ann = keyOf("ann");
    EntryKey phone = taken(ann, "phone");
    long change = figures().change();

    assertThat(taken(ann, "phone")).isEqualTo(phone);
    assertThat(figures().change()).as("nothing happens").isEqualTo(change);
    keyOf("ann");
    assertThat(taken(ann, "phone")).as("ann came anew").isEqualTo(phone);
    admitByHand(2);
    assertThat(taken(ann, "phone")).as("inside").isEqualTo(phone);

    complete(phone);
    assertThat(handOff(ann, "phone")).isEqualTo(new HandedOff.NoPlace());
  }

  @Test
  void handOff_leftByWhoTookIt_isOver() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    leave(taken(ann, "phone"));
    assertThat(handOff(ann, "phone")).isEqualTo(new HandedOff.NoPlace());

    keyOf("phone");
    assertThat(handOff(ann, "phone")).as("another place").isEqualTo(new HandedOff.NoPlace());
  }

  @Test
  void handOff_toOneself_keepsThePlace() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");

    assertThat(taken(ann, "ann")).isEqualTo(ann);
    assertThat(taken(ann, "phone").user()).isEqualTo("phone");
  }

  @Test
  void handOff_toSomebodyWithAPlace_keepsBoth() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("ben");

    assertThat(handOff(ben, "ann")).isEqualTo(new HandedOff.HasOwn());
    admitByHand(1);
    assertThat(handOff(ben, "ann")).as("inside").isEqualTo(new HandedOff.HasOwn());

    assertThat(placeOf("ben").entry().key()).isEqualTo(ben);
    assertThat(placeOf("ann").entry().key()).isEqualTo(ann);
  }

  @Test
  void handOff_whoHasCompletedWhereOneMayOnce_isRefused() {
    activate(Map.of("once", true, "entryIntervalSeconds", CALM_SECONDS));
    EntryKey ann = keyOf("ann");
    admitByHand(1);
    complete(ann);
    EntryKey ben = keyOf("ben");

    assertThat(handOff(ben, "ann")).isEqualTo(new HandedOff.OnceOnly());
  }

  @Test
  void handOff_notWaiting_isRefused() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("ben");
    EntryKey cid = keyOf("cid");
    admitByHand(1);
    leave(ben);
    edit(Edit.of(Edit.Act.END, ""));

    for (EntryKey entry : List.of(ann, ben, cid)) {
      assertThat(handOff(entry, "phone")).isEqualTo(new HandedOff.NoPlace());
    }
  }

  @Test
  void handOff_tooOften_isRefusedAndThePlaceStays() {
    activate(Map.of("newPlacesPerMinute", 3, "entryIntervalSeconds", CALM_SECONDS));
    EntryKey place = keyOf("ann");
    for (int i = 0; i < 2; i++) {
      place = taken(taken(place, "phone"), "ann");
    }
    place = taken(place, "phone");

    assertThat(handOff(place, "ann")).isEqualTo(new HandedOff.TooOften(60));
    assertThat(placeOf("phone").entry().key()).isEqualTo(place);
    assertThat(taken(place, "phone")).as("to oneself").isEqualTo(place);

    advance(Duration.ofSeconds(60));
    assertThat(taken(place, "ann").user()).isEqualTo("ann");
  }

  @Test
  void handOff_tooOftenInTheLobby_isRefusedAndThePlaceStays() {
    activate(
        Map.of(
            "newPlacesPerMinute",
            1,
            "lobbyOpensAt",
            clock.instant().toString(),
            "opensAt",
            clock.instant().plus(Duration.ofHours(1)).toString()));
    EntryKey phone = taken(keyOf("ann"), "phone");

    assertThat(handOff(phone, "ann")).isEqualTo(new HandedOff.TooOften(60));
    assertThat(placeOf("phone").entry().key()).isEqualTo(phone);
  }

  /** Places go from hand to hand while people come, leave and go in: the order of places stays. */
  @Test
  void handOff_randomHistories_everybodyGoesInByPlace() {
    Seeded.histories(20, this::history);
  }

  private void history(Random random) {
    var each = new HandoffTest();
    each.run(random);
  }

  private void run(Random random) {
    activate(
        random.nextBoolean()
            ? Map.of("maxCapacity", 1_000, "entryIntervalSeconds", CALM_SECONDS)
            : Map.of(
                "maxCapacity",
                1_000,
                "lanes",
                List.of(Map.of("name", "vip", "share", 3), Map.of("name", "all", "share", 1))));
    List<EntryKey> line = new ArrayList<>();
    int people = 0;
    for (int step = 0; step < 200; step++) {
      int at = line.isEmpty() ? 0 : random.nextInt(line.size());
      switch (line.isEmpty() ? 0 : random.nextInt(4)) {
        case 0 -> line.add(keyOf("user" + people++));
        case 1 -> line.set(at, taken(line.get(at), "user" + people++));
        case 2 -> leave(line.remove(at));
        default -> {
          advance(Duration.ofSeconds(1));
          int count = 1 + random.nextInt(3);
          List<EntryKey> went = keys(admitByHand(count));
          assertThat(went).isEqualTo(line.subList(0, Math.min(count, line.size())));
          line.subList(0, went.size()).clear();
        }
      }
      for (EntryKey entry : line) {
        assertThat(placeOf(entry.user()).ahead()).isEqualTo(line.indexOf(entry));
      }
    }
  }

  /** The same where places change hands in the very step that lets people in. */
  @Test
  void handOff_randomHistoriesOfBatches_everybodyGoesInByPlace() {
    Seeded.histories(20, random -> new Batches(random).run());
  }

  /** Two lanes, of which the first goes first; or one. */
  private static final class Batches {
    private static final QueueId QUEUE = new QueueId("TEST", "1");

    private final Random random;
    private final MemoryBook book =
        new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), new MemoryFeed(() -> 0), 1);
    private final List<List<EntryKey>> lanes = List.of(new ArrayList<>(), new ArrayList<>());
    private final boolean hasLanes;
    private long now = 86_400 * Micros.PER_SECOND;
    private int people;

    Batches(Random random) {
      this.random = random;
      this.hasLanes = random.nextBoolean();
    }

    void run() {
      Map<String, Object> settings = new HashMap<>(Map.of("maxCapacity", 1_000_000));
      if (hasLanes) {
        settings.put(
            "lanes", List.of(Map.of("name", "vip", "share", 1), Map.of("name", "all", "share", 1)));
        settings.put("laneOrder", "STRICT");
      }
      decide(List.of(new Request.Alter(QUEUE, Edit.activate(settings))));
      for (int step = 0; step < 200; step++) {
        for (int i = random.nextInt(5); i > 0; i--) {
          join();
        }
        together();
        now += random.nextLong(Micros.PER_SECOND);
      }
    }

    private List<Answer<?>> decide(List<Request<?>> requests) {
      return book.decide(requests, now).answers();
    }

    private void join() {
      int lane = hasLanes ? random.nextInt(2) : 0;
      var claim = new Claim(hasLanes && lane == 0 ? "vip" : "", "");
      var joined = decide(List.of(new Request.Join(QUEUE, "user" + people++, claim))).getFirst();
      var waiting = (Joined.Waiting) ((JoinOutcome.Final) requireNonNull(joined.value())).joined();
      lanes.get(lane).add(waiting.place().entry().key());
    }

    /** Some leave, some places change hands, and some go in, at one moment. */
    private void together() {
      List<Request<?>> requests = new ArrayList<>();
      List<EntryKey> handed = new ArrayList<>();
      for (List<EntryKey> lane : lanes) {
        for (EntryKey entry : List.copyOf(lane)) {
          switch (random.nextInt(20)) {
            case 0, 1 -> handed.add(entry);
            case 2 -> {
              requests.add(new Request.Leave(entry));
              lane.remove(entry);
            }
            default -> {}
          }
        }
      }
      int leaving = requests.size();
      handed.forEach(each -> requests.add(new Request.HandOff(each, "user" + people++)));
      int count = 1 + random.nextInt(3);
      requests.add(new Request.Admit(QUEUE, new Admission.ByHand(count, Actor.SYSTEM)));

      List<Answer<?>> answers = decide(requests);

      for (int i = 0; i < handed.size(); i++) {
        var has = (HandedOff.Has) requireNonNull(answers.get(leaving + i).value());
        EntryKey before = handed.get(i);
        lanes.forEach(lane -> lane.replaceAll(each -> each.equals(before) ? has.entry() : each));
      }
      var admitted = (Admitted.Done) requireNonNull(answers.getLast().value());
      List<EntryKey> line = lanes.stream().flatMap(List::stream).toList();
      List<EntryKey> first = line.subList(0, Math.min(count, line.size()));
      assertThat(admitted.entries().stream().map(Entry::key).toList()).isEqualTo(first);
      lanes.forEach(lane -> lane.removeAll(first));
    }
  }
}
