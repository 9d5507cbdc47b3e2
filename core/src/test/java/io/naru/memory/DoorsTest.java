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
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.Proved;
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
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Those who owe something when their turn comes hold nobody up, and are next with the proof. */
class DoorsTest extends MemoryScenario {

  private static final int PROOF_SECONDS = 30;
  private static final int SLOW_SECONDS = 20;

  private static Map<String, Object> settings(int batch, int capacity) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("entryBatchSize", batch);
    settings.put("entryIntervalSeconds", 1);
    settings.put("maxCapacity", capacity);
    settings.put("passTtlSeconds", 30);
    settings.put("newPlacesPerMinute", 0);
    return settings;
  }

  private static Map<String, Object> doors() {
    return Map.of("proofSeconds", PROOF_SECONDS, "slowSeconds", SLOW_SECONDS);
  }

  private static Claim from(boolean isCrowded, boolean isPlain) {
    return new Claim("", "", new Claim.From(false, isCrowded, isPlain));
  }

  @Test
  void aFloodThatProvesNothing_holdsNobodyUp() {
    Map<String, Object> settings = settings(10, 1_000);
    settings.put("doors", doors());
    activate(settings);
    for (int i = 0; i < 5_000; i++) {
      await(memory.join(queue, "bot" + i, from(true, false)));
    }
    joinMany("user", 20);

    int steps = 0;
    Admitted.Done step;
    do {
      step = admitPaced();
      steps++;
    } while (step.more() && step.entries().isEmpty());

    assertThat(keys(step)).extracting(EntryKey::user).startsWith("user0", "user1");
    assertThat(steps).as("steps at once").isLessThan(20);
    advance(Duration.ofSeconds(PROOF_SECONDS));
    for (int i = 0; i < 20; i++) {
      admitPaced();
    }
    assertThat(figures().waiting()).isZero();
    assertThat(figures().proofs()).isEqualTo(new Figures.Proofs(0, 0, 5_000));
  }

  /** Where nobody owes anything, all is as without doors. */
  @Test
  void nobodyOwes_everythingIsThePlainOne() {
    Seeded.histories(
        3,
        random -> {
          QueueId plain = newQueueId();
          QueueId guarded = newQueueId();
          Map<String, Object> settings = settings(1 + random.nextInt(5), 30);
          await(memory.edit(plain, Edit.activate(settings)));
          settings.put("doors", doors());
          await(memory.edit(guarded, Edit.activate(settings)));
          int number = 0;
          for (int second = 0; second < 60; second++) {
            for (int i = random.nextInt(6); i > 0; i--) {
              String user = "user" + number++;
              Place one = ((Joined.Waiting) await(memory.join(plain, user))).place();
              Place other = ((Joined.Waiting) await(memory.join(guarded, user))).place();
              assertThat(other.ahead()).isEqualTo(one.ahead());
            }
            assertThat(users(memory.admit(guarded, new Admission.Paced())))
                .isEqualTo(users(memory.admit(plain, new Admission.Paced())));
            clock.advance(Duration.ofSeconds(1));
          }
        });
  }

  private static List<String> users(CompletionStage<Admitted> step) {
    return done(await(step)).entries().stream().map(entry -> entry.key().user()).toList();
  }

  @Test
  void anyHistory_nobodyWhoOwesGoesIn_nobodyProvenIsHeldUp_placesNeverRise() {
    Seeded.histories(8, random -> new History(random).run());
  }

  /** Somebody whose time was up when all who waited had been passed over was taken to be away. */
  @Test
  void slowIsOver_whileAllWerePassedOver_whoWasSeenJustNowIsNext() {
    new History(new Random(5_897_854_937_473L)).run();
  }

  /** One person, as they really are. */
  private static final class Person {
    EntryKey key;
    final long score;
    Owed owed;
    long ahead;
    boolean isThere = true;
    long seenAt;

    Person(Place place, Owed owed) {
      this.key = place.entry().key();
      this.score = place.score();
      this.owed = owed;
      this.ahead = place.ahead();
      this.seenAt = key.joined();
    }

    @Override
    public String toString() {
      return key.user() + " owes " + owed + " at " + score;
    }
  }

  /** A line in which some owe, some prove it, some are away, and servers fail. */
  private final class History {
    private static final int CAPACITY = 20;

    private final Random random;
    private final QueueId id = newQueueId();
    private final boolean hasLanes;
    private final boolean looks;
    private final TreeMap<Long, Person> waiting = new TreeMap<>();
    private final Map<EntryKey, Integer> inside = new HashMap<>();
    private int number;
    private int outageSeconds;
    private long outageUntil;
    private boolean hasLooked;

    History(Random random) {
      this.random = random;
      this.hasLanes = random.nextBoolean();
      this.looks = random.nextBoolean();
    }

    private long now() {
      return Micros.now(clock);
    }

    void run() {
      Map<String, Object> settings = settings(1 + random.nextInt(5), CAPACITY);
      settings.put("doors", doors());
      settings.put("absenceGraceSeconds", looks ? 40 : 0);
      settings.put("onExpiry", random.nextBoolean() ? "REQUEUE" : "END");
      if (hasLanes) {
        settings.put(
            "lanes",
            List.of(Map.of("name", "vip", "share", 60), Map.of("name", "normal", "share", 40)));
      }
      await(memory.edit(id, Edit.activate(settings)));
      for (int second = 0; second < 150; second++) {
        come();
        outage();
        if (outageSeconds == 0) {
          look();
          proveSome();
          handSomeOff();
          steps();
        }
        finish();
        clock.advance(Duration.ofMillis(900 + random.nextInt(200)));
      }
      assertThat(number).isPositive();
    }

    private void come() {
      for (int i = random.nextInt(6); i > 0; i--) {
        boolean isCrowded = random.nextInt(3) > 0;
        boolean isPlain = random.nextInt(5) == 0;
        String lane = hasLanes && random.nextInt(3) == 0 ? "vip" : "";
        var claim = new Claim(lane, "", new Claim.From(false, isCrowded, isPlain));
        Joined joined = await(memory.join(id, "user" + number++, claim));
        Owed owed = !isCrowded ? Owed.NOTHING : isPlain ? Owed.SLOW : Owed.WORK;
        var person = new Person(((Joined.Waiting) joined).place(), owed);
        assertThat(await(memory.owed(person.key))).isEqualTo(owed);
        waiting.put(person.score, person);
      }
      if (random.nextInt(10) == 0 && !waiting.isEmpty()) {
        Person leaving = some();
        await(memory.leave(leaving.key));
        waiting.remove(leaving.score);
      }
      waiting.values().stream()
          .filter(_ -> looks && random.nextInt(60) == 0)
          .forEach(person -> person.isThere = !person.isThere);
    }

    private Person some() {
      return new ArrayList<>(waiting.values()).get(random.nextInt(waiting.size()));
    }

    private void outage() {
      if (outageSeconds > 0) {
        outageSeconds--;
        // Before anybody was looked at nothing can be lost: they are passed over behind the outage.
        outageUntil = hasLooked ? now() + Micros.PER_SECOND * 60 : 0;
      } else if (random.nextInt(60) == 0) {
        outageSeconds = 5 + random.nextInt(60);
      }
    }

    private void look() {
      hasLooked = true;
      List<Sight> people = new ArrayList<>();
      for (Person person : waiting.values()) {
        if (person.isThere) {
          people.add(new Sight(person.key.joined(), person.score));
          person.seenAt = now();
        }
      }
      await(memory.see(id, new Sightings("server", people, Goes.ON)));
    }

    private void proveSome() {
      for (Person person : waiting.values()) {
        if (person.isThere && person.owed != Owed.NOTHING && random.nextInt(25) == 0) {
          assertThat(await(memory.prove(person.key))).isEqualTo(Proved.DONE);
          person.owed = Owed.NOTHING;
          person.seenAt = now();
        }
      }
    }

    private void handSomeOff() {
      if (waiting.isEmpty() || random.nextInt(10) > 0) {
        return;
      }
      Person person = some();
      person.key = ((HandedOff.Has) await(memory.handOff(person.key, "other" + number++))).entry();
      person.isThere = true;
      person.seenAt = now();
      assertThat(await(memory.owed(person.key))).isEqualTo(person.owed);
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
      readLine();
      if (isByHand && admitted == 0 && step.figures().inside() < CAPACITY) {
        assertThat(waiting.values())
            .as("held up")
            .noneMatch(person -> person.isThere && person.owed == Owed.NOTHING);
      }
      Figures figures = await(memory.find(id)).orElseThrow().figures();
      assertThat(figures.absent()).isBetween(0L, figures.waiting());
      assertThat(figures.proofs().owing())
          .isEqualTo(waiting.values().stream().filter(p -> p.owed != Owed.NOTHING).count());
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
      assertThat(person.owed).as("%s went in", person).isNotEqualTo(Owed.WORK);
      // Within a lane nobody goes in before somebody who is there and owes nothing.
      assertThat(waiting.headMap(person.score).values())
          .filteredOn(p -> Score.lane(p.score) == Score.lane(person.score))
          .as("before %s at %d", person, now())
          .noneMatch(p -> p.owed == Owed.NOTHING && now() - p.seenAt <= 10 * Micros.PER_SECOND);
    }

    /** Nobody's place is worse than it was, and nobody is out before their time. */
    private void readLine() {
      for (Person person : List.copyOf(waiting.values())) {
        Place place = ((Standing.Found) await(memory.earlier(person.key))).place();
        if (place.entry().status() == Status.EXPIRED) {
          assertThat(place.entry().isUnproven()).isEqualTo(person.owed == Owed.WORK);
          assertThat(person.owed == Owed.WORK || place.entry().isAbsent()).isTrue();
          assertThat(now()).as("in our outage").isGreaterThanOrEqualTo(outageUntil);
          waiting.remove(person.score);
          continue;
        }
        assertThat(place.entry().status()).isEqualTo(Status.WAITING);
        long ahead = ((Standing.Found) await(memory.locate(id, person.key.user()))).place().ahead();
        assertThat(ahead).as("%s", person).isLessThanOrEqualTo(person.ahead);
        person.ahead = ahead;
        if (person.owed == Owed.SLOW && await(memory.owed(person.key)) == Owed.NOTHING) {
          person.owed = Owed.NOTHING;
        }
      }
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
