package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Moved;
import io.naru.line.Spot;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.support.Seeded;
import java.time.Duration;
import java.util.ArrayList;
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
  void handOff_again_isRefusedAndThePlaceStays() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    EntryKey phone = taken(ann, "phone");

    assertThat(handOff(ann, "thief")).isEqualTo(new HandedOff.NoPlace());
    assertThat(handOff(ann, "phone")).as("told again").isEqualTo(new HandedOff.NoPlace());

    assertThat(placeOf("phone").entry().key()).isEqualTo(phone);
    assertThat(join("thief")).isInstanceOf(Joined.Waiting.class);
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
}
