package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Edit;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Goes;
import io.naru.queue.Sightings.Sight;
import io.naru.queue.Stay.CompletedBy;
import io.naru.support.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Those who are not there when their turn comes hold nobody up, and keep their place a while. */
class PresenceTest extends MemoryScenario {

  /** Who was seen within this time must never be passed over. */
  private static final long AWAY_MICROS = 10_000_000;

  private static Map<String, Object> settings(int graceSeconds, int batch, int capacity) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("absenceGraceSeconds", graceSeconds);
    settings.put("entryBatchSize", batch);
    settings.put("entryIntervalSeconds", 1);
    settings.put("maxCapacity", capacity);
    settings.put("passTtlSeconds", 30);
    settings.put("newPlacesPerMinute", 0);
    return settings;
  }

  private void see(String server, Goes goes, List<Sight> people) {
    await(queues().see(queue, new Sightings(server, people, goes)));
  }

  private static Sight sightOf(Place place) {
    return new Sight(place.entry().key().joined(), place.score());
  }

  /** All steps that make sense at one moment. */
  private List<Entry> admitAll() {
    List<Entry> all = new ArrayList<>();
    Admitted.Done step = admitPaced();
    all.addAll(step.entries());
    for (int i = 0; i < 50 && step.more(); i++) {
      step = admitPaced();
      all.addAll(step.entries());
    }
    assertThat(step.more()).as("it comes to an end").isFalse();
    return all;
  }

  @Test
  void aThirdAbsent_thePlacesInsideAreUsedAllTheSame() {
    activate(settings(600, 20, 100));
    var random = new Random(7);
    Map<EntryKey, Sight> present = new HashMap<>();
    for (int i = 0; i < 3_000; i++) {
      Place place = joinNew("user" + i);
      if (random.nextInt(10) >= 3) {
        present.put(place.entry().key(), sightOf(place));
      }
    }
    long used = 0;
    long stale = 0;
    Map<EntryKey, Integer> leaving = new HashMap<>();
    for (int second = 0; second < 120; second++) {
      see("server", Goes.ON, present.values().stream().limit(5_000).toList());
      for (Entry entry : admitAll()) {
        boolean isThere = present.remove(entry.key()) != null;
        stale += isThere || second < 15 ? 0 : 1;
        if (isThere) {
          leaving.put(entry.key(), second + 10);
        }
      }
      used += second >= 60 ? figures().inside() : 0;
      int now = second;
      leaving.entrySet().removeIf(e -> e.getValue() == now && complete(e.getKey()) != null);
      advance(Duration.ofSeconds(1));
    }
    assertThat(stale).as("let in although they were not there").isZero();
    assertThat(used / 60.0).as("of 100 places").isGreaterThanOrEqualTo(95);
  }

  @Test
  void aBigStepAmongThoseNobodyLookedAt_takesThemForPresent() {
    activate(settings(600, 1, 10_000));
    joinMany("user", 2_500);
    for (int i = 0; i <= 13; i++) {
      see("server", Goes.ON, List.of());
      advance(Duration.ofSeconds(1));
    }
    assertThat(figures().absent()).isZero();

    int admitted = 0;
    for (int i = 0; i < 20 && admitted < 900; i++) {
      admitted += admitByHand(900 - admitted).entries().size();
    }
    assertThat(admitted).isEqualTo(900);

    assertThat(figures().absent()).as("as far as servers looked").isBetween(900L, 1_100L);
  }

  @Test
  void whoIsBackTwice_andGoesAgain_isPassedOverAgain() {
    activate(settings(60, 1, 1));
    EntryKey inside = keyOf("inside");
    admitPaced();
    Place ann = joinNew("ann");
    Place ben = joinNew("ben");
    watch(13, ben);
    complete(inside);
    assertThat(keys(admitPaced())).containsExactly(ben.entry().key());
    see("server", Goes.ON, List.of(sightOf(ann)));
    assertThat(figures().absent()).isZero();
    watch(12);
    complete(ben.entry().key());
    assertThat(admitPaced().entries()).as("away again").isEmpty();
    assertThat(figures().absent()).isEqualTo(1);
    // Its grace counts from the last time.
    watch(59);
    assertThat(statusOf("ann")).isEqualTo(Status.WAITING);
    see("server", Goes.ON, List.of(sightOf(ann)));
    assertThat(keys(admitPaced())).containsExactly(ann.entry().key());
  }

  private void watch(int seconds, Place... present) {
    for (int i = 0; i < seconds; i++) {
      see("server", Goes.ON, List.of(present).stream().map(PresenceTest::sightOf).toList());
      advance(Duration.ofSeconds(1));
      admitPaced();
    }
  }

  @Test
  void paused_nobodyIsPassedOver() {
    activate(settings(600, 10, 100));
    joinMany("user", 5);
    edit(Edit.of(Edit.Act.PAUSE, ""));
    for (int i = 0; i < 20; i++) {
      see("server", Goes.ON, List.of());
      admit(new Admission.Paced());
      advance(Duration.ofSeconds(1));
    }
    assertThat(figures().absent()).isZero();
  }

  /** Whoever is there goes in as they do where it does not matter. */
  @Test
  void everybodyIsThere_theOrderIsThePlainOne() {
    Seeded.histories(
        3,
        random -> {
          QueueId plain = newQueueId();
          QueueId watched = newQueueId();
          int batch = 1 + random.nextInt(5);
          await(memory.edit(plain, Edit.activate(settings(0, batch, 30))));
          await(memory.edit(watched, Edit.activate(settings(60, batch, 30))));
          Map<EntryKey, Sight> waiting = new HashMap<>();
          int number = 0;
          for (int second = 0; second < 60; second++) {
            for (int i = random.nextInt(6); i > 0; i--) {
              String user = "user" + number++;
              await(memory.join(plain, user));
              Place place = ((Joined.Waiting) await(memory.join(watched, user))).place();
              waiting.put(place.entry().key(), sightOf(place));
            }
            List<Sight> people = List.copyOf(waiting.values());
            await(memory.see(watched, new Sightings("server", people, Goes.ON)));
            List<Entry> admitted =
                done(await(memory.admit(watched, new Admission.Paced()))).entries();
            assertThat(admitted)
                .extracting(entry -> entry.key().user())
                .isEqualTo(
                    done(await(memory.admit(plain, new Admission.Paced()))).entries().stream()
                        .map(entry -> entry.key().user())
                        .toList());
            admitted.forEach(entry -> waiting.remove(entry.key()));
            clock.advance(Duration.ofSeconds(1));
          }
        });
  }

  /** One person, as they really are. */
  private static final class Person {
    final EntryKey key;
    final long score;
    boolean isThere = true;

    /** Whether they are not there because of us. */
    boolean isThrown;

    long seenAt;
    long backAt;

    Person(Place place) {
      this.key = place.entry().key();
      this.score = place.score();
      this.seenAt = key.joined();
    }

    @Override
    public String toString() {
      return key.user() + " seen at " + seenAt + (isThere ? "" : ", away until " + backAt);
    }

    void go(long back) {
      isThere = false;
      backAt = back;
    }
  }

  @Test
  void anyHistory_nobodyPresentIsPassedOver_nobodyIsHeldUp_nobodyBackInTimeLosesTheirPlace() {
    Seeded.histories(8, random -> new History(random).run());
  }

  /** A line with people who come and go, and servers that fail. */
  private final class History {
    private static final int CAPACITY = 20;

    private final Random random;
    private final QueueId id = newQueueId();
    private final boolean hasLanes;
    private final int graceSeconds;
    private final TreeMap<Long, Person> waiting = new TreeMap<>();
    private final Map<EntryKey, Integer> inside = new HashMap<>();
    private boolean hasOther = true;
    private int starts;
    private int number;
    private int outageSeconds;

    History(Random random) {
      this.random = random;
      this.hasLanes = random.nextBoolean();
      this.graceSeconds = 20 + random.nextInt(60);
    }

    private long now() {
      return Micros.now(clock);
    }

    void run() {
      Map<String, Object> settings = settings(graceSeconds, 1 + random.nextInt(5), CAPACITY);
      settings.put("onExpiry", random.nextBoolean() ? "REQUEUE" : "END");
      if (hasLanes) {
        settings.put(
            "lanes",
            List.of(Map.of("name", "vip", "share", 60), Map.of("name", "normal", "share", 40)));
      }
      await(memory.edit(id, Edit.activate(settings)));
      for (int second = 0; second < 200; second++) {
        come();
        waiting.values().forEach(this::goOrComeBack);
        breakAndMend();
        if (outageSeconds == 0) {
          look();
          steps();
        }
        finish();
        clock.advance(Duration.ofMillis(900 + random.nextInt(200)));
      }
      assertThat(number).isPositive();
    }

    private void come() {
      for (int i = random.nextInt(6); i > 0; i--) {
        String lane = hasLanes && random.nextInt(3) == 0 ? "vip" : "";
        Joined joined = await(memory.join(id, "user" + number++, new Claim(lane, "")));
        var person = new Person(((Joined.Waiting) joined).place());
        waiting.put(person.score, person);
      }
      if (random.nextInt(10) == 0 && !waiting.isEmpty()) {
        Person leaving = waiting.ceilingEntry(waiting.firstKey()).getValue();
        await(memory.leave(leaving.key));
        waiting.remove(leaving.score);
      }
    }

    private void goOrComeBack(Person person) {
      if (person.isThere && !person.isThrown && random.nextInt(40) == 0) {
        boolean isForGood = random.nextInt(3) == 0;
        person.go(isForGood ? Long.MAX_VALUE : now() + micros(1 + random.nextInt(100)));
      } else if (!person.isThere && now() >= person.backAt) {
        person.isThere = true;
      }
    }

    private static long micros(int seconds) {
      return seconds * Micros.PER_SECOND;
    }

    private void breakAndMend() {
      if (outageSeconds > 0) {
        outageSeconds--;
      } else if (random.nextInt(60) == 0) {
        outageSeconds = 4 + random.nextInt(60);
        throwOut(outageSeconds);
      } else if (hasOther && random.nextInt(60) == 0) {
        hasOther = false;
        if (random.nextBoolean()) {
          await(memory.see(id, new Sightings(other(), List.of(), Goes.DOWN)));
        }
        throwOut(0);
      } else if (!hasOther && random.nextInt(30) == 0) {
        hasOther = true;
        starts++;
      }
    }

    /** Each run of a server has a name of its own. */
    private String other() {
      return "other" + starts;
    }

    /** A server is gone: those whom it saw find another one after a while. */
    private void throwOut(int seconds) {
      waiting.values().stream()
          .filter(person -> person.isThere && now() - person.seenAt < micros(2))
          .filter(_ -> random.nextBoolean() || seconds > 0)
          .forEach(
              person -> {
                person.go(now() + micros(seconds + random.nextInt(20)));
                person.isThrown = true;
              });
    }

    private void look() {
      List<Sight> people = new ArrayList<>();
      for (Person person : waiting.values()) {
        if (person.isThere) {
          people.add(new Sight(person.key.joined(), person.score));
          person.seenAt = now();
          person.isThrown = false;
        }
      }
      await(memory.see(id, new Sightings("server", people, Goes.ON)));
      if (hasOther) {
        await(memory.see(id, new Sightings(other(), List.of(), Goes.ON)));
      }
    }

    private void steps() {
      boolean isByHand = random.nextInt(3) == 0;
      int steps = 0;
      int admitted = 0;
      Admitted.Done step;
      do {
        step =
            done(
                await(
                    memory.admit(
                        id,
                        isByHand ? new Admission.ByHand(1, Actor.SYSTEM) : new Admission.Paced())));
        step.entries().forEach(this::goIn);
        admitted += step.entries().size();
        assertThat(steps++).as("steps at one moment").isLessThan(60);
      } while (step.more() && (!isByHand || admitted == 0));
      expire();
      if (isByHand && admitted == 0 && step.figures().inside() < CAPACITY) {
        // Rule 7: those absent never stall the line.
        assertThat(waiting.values()).as("held up").noneMatch(person -> person.isThere);
      }
    }

    private void goIn(Entry entry) {
      inside.put(entry.key(), 5 + random.nextInt(10));
      Person person =
          waiting.values().stream().filter(p -> p.key.equals(entry.key())).findFirst().orElse(null);
      if (person == null) {
        // One whose time inside was up once and who stands in line anew.
        return;
      }
      waiting.remove(person.score);
      // Rule 6: within a lane nobody is admitted before somebody who is present.
      assertThat(waiting.headMap(person.score).values())
          .filteredOn(p -> Score.lane(p.score) == Score.lane(person.score))
          .as("before %s at %d", person, now())
          .noneMatch(p -> p.isThrown || now() - p.seenAt <= AWAY_MICROS);
    }

    private void expire() {
      for (Person person : List.copyOf(waiting.values())) {
        Entry entry = ((Standing.Found) await(memory.earlier(person.key))).place().entry();
        if (entry.status() == Status.EXPIRED) {
          assertThat(entry.isAbsent()).isTrue();
          // Rule 7: whoever returns within the grace time still has their place.
          assertThat(now() - person.seenAt).isGreaterThanOrEqualTo(micros(graceSeconds));
          assertThat(person.isThrown).isFalse();
          waiting.remove(person.score);
        }
      }
      Figures figures = await(memory.find(id)).orElseThrow().figures();
      assertThat(figures.absent()).isBetween(0L, figures.waiting());
    }

    private void finish() {
      inside.replaceAll((_, left) -> left - 1);
      for (EntryKey key : List.copyOf(inside.keySet())) {
        if (inside.getOrDefault(key, 0) <= 0) {
          await(memory.complete(key, CompletedBy.VISITOR));
          inside.remove(key);
        }
      }
    }
  }
}
