package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.DrawStep;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Draws;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.LobbyEntry;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Seal;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Goes;
import io.naru.queue.Sightings.Sight;
import io.naru.queue.Stay.CompletedBy;
import io.naru.support.Seeded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Lobbies, draws, jitter and windows, at a time that a test sets. */
class DrawTest extends MemoryScenario {

  private static final String ENTROPY = "11".repeat(32);
  private static final String ROOT = "00".repeat(32);
  private static final Duration HOUR = Duration.ofHours(1);

  private static long number(long joined) {
    return ByteBuffer.wrap(mac(mac(HexFormat.of().parseHex(ENTROPY), "window"), "" + joined))
        .getLong();
  }

  private static byte[] mac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private Map<String, Object> lobby() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("lobbyOpensAt", clock.instant().toString());
    settings.put("opensAt", clock.instant().plus(HOUR).toString());
    return settings;
  }

  private DrawView draw(QueueId id) {
    return await(memory.draw(id)).orElseThrow();
  }

  /** Reads the lobby as a server does; all lanes one behind the other. */
  private Seal seal(QueueId id, String name, List<Long> joined) {
    List<Long> counts = new ArrayList<>();
    for (int lane = 0; lane < draw(id).lanes().size(); lane++) {
      List<LobbyEntry> some = await(memory.lobby(id, lane, 0, 1_000_000));
      some.forEach(entry -> joined.add(entry.joined()));
      counts.add((long) some.size());
    }
    return new Seal(draw(id).commitment(), name, ROOT, counts);
  }

  @Test
  void lobby_aHairBeforeTheOpening_isOpen() {
    activate(lobby());
    keyOf("ann");
    advance(HOUR.minusNanos(1_000));
    keyOf("bob");
    assertThat(draw(queue).drawing().phase()).isEqualTo(Phase.LOBBY);
    advance(Duration.ofNanos(1_000));
    Place late = joinNew("cid");
    DrawView draw = draw(queue);
    assertThat(draw.drawing().phase()).isEqualTo(Phase.CLOSED);
    assertThat(draw.closedAt()).isEqualTo(Micros.now(clock));
    assertThat(draw.lanes().getFirst().waiting()).isEqualTo(2);
    assertThat(late.entry().key().joined()).isGreaterThan(draw.drawing().lastJoined());
  }

  @Test
  void draw_thousandsBehind_getTheirPlacesInBoundedSteps() {
    Map<String, Object> settings = lobby();
    settings.put(
        "lanes", List.of(Map.of("name", "vip", "share", 1), Map.of("name", "all", "share", 1)));
    activate(settings);
    keyOf("ann");
    advance(HOUR);
    int count = 2 * Draws.MAX_STEP + 500;
    for (int i = 0; i < count; i++) {
      await(memory.join(queue, "late" + i, new Claim(i % 2 == 0 ? "vip" : "all", "")));
    }
    edit(Edit.of(Edit.Act.PAUSE, ""));
    List<Long> order = new ArrayList<>();
    await(memory.seal(queue, seal(queue, "a", order)));
    await(memory.settle(queue, draw(queue).commitment(), 0, order));
    assertThat(placeOf("ann").isSettled()).isTrue();
    assertThat(placeOf("late0").isSettled()).isFalse();

    int steps = 0;
    while (draw(queue).drawing().phase() != Phase.DONE) {
      assertThat(await(memory.due())).containsExactly(queue);
      admit(new Admission.Paced());
      assertThat(steps++).isLessThan(9);
    }

    assertThat(steps).isEqualTo(3);
    for (int i = 0; i < count; i++) {
      Place place = placeOf("late" + i);
      assertThat(place.isSettled()).isTrue();
      // One who was drawn is before those of the second lane.
      assertThat(place.ahead()).isEqualTo(i / 2 + i % 2);
    }
  }

  @Test
  void window_full_endsBeforeItsTime() {
    edit(Edit.activate(Map.of("fairWindowMillis", 1_000)).entropy(ENTROPY));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    List<EntryKey> all = joinMany("user", 10_003);
    assertThat(await(memory.due())).as("nobody has noticed").isEmpty();
    List<String> first =
        all.subList(0, 10_000).stream()
            .sorted(Comparator.comparing(k -> number(k.joined()), Long::compareUnsigned))
            .map(EntryKey::user)
            .toList();
    assertThat(placeOf(first.getFirst()).ahead()).isZero();
    assertThat(placeOf(first.getLast()).ahead()).isEqualTo(9_999);
    assertThat(placeOf(all.get(10_000).user()).isSettled()).isFalse();
    // The last ones joined a little ahead of the clock, which stood still.
    advance(Duration.ofSeconds(2));
    admit(new Admission.Paced());
    assertThat(placeOf(all.get(10_000).user()).ahead()).isBetween(10_000L, 10_002L);
  }

  @Test
  void chance_clockGoesBack_nobodyWaitsForIt() {
    edit(Edit.activate(Map.of("jitterMillis", 1_000)).entropy(ENTROPY));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    joinMany("user", 3);
    advance(HOUR.negated());
    joinNew("late");
    for (int i = 0; i < 3; i++) {
      assertThat(placeOf("user" + i).isSettled()).isTrue();
    }
    admit(new Admission.Paced());
    assertThat(placeOf("late").ahead()).isEqualTo(3);
  }

  @Test
  void jitter_clockWentBack_whoComesAloneLaterDoesNotWaitForItEither() {
    comeAloneAfterTheClockWentBack(Map.of("jitterMillis", 1_000));
  }

  @Test
  void window_clockWentBack_whoComesAloneLaterDoesNotWaitForItEither() {
    comeAloneAfterTheClockWentBack(Map.of("fairWindowMillis", 1_000));
  }

  private void comeAloneAfterTheClockWentBack(Map<String, Object> settings) {
    edit(Edit.activate(settings).entropy(ENTROPY));
    goThrough("ann");
    advance(HOUR.negated());
    goThrough("ben");
    joinNew("cid");
    assertThat(await(memory.due())).containsExactly(queue);
    admit(new Admission.Paced());
    assertThat(placeOf("cid").isSettled()).isTrue();
  }

  private void goThrough(String user) {
    EntryKey key = keyOf(user);
    for (int second = 0; second < 30 && statusOf(user) == Entry.Status.WAITING; second++) {
      advance(Duration.ofSeconds(1));
      admit(new Admission.Paced());
    }
    assertThat(complete(key)).isEqualTo(Ended.DONE);
  }

  @Test
  void window_thoseWhoCameAndLeft_openNoneForOthers() {
    edit(Edit.activate(Map.of("fairWindowMillis", 100)).entropy(ENTROPY));
    for (int i = 0; i < 50; i++) {
      leave(keyOf("user" + i));
      advance(Duration.ofMillis(200));
    }
    Place ann = joinNew("ann");
    advance(Duration.ofMillis(99));
    assertThat(await(memory.due())).isEmpty();
    advance(Duration.ofMillis(1));
    assertThat(await(memory.due())).containsExactly(queue);
    admit(new Admission.Paced());
    assertThat(statusOf("ann")).isEqualTo(Entry.Status.WAITING);
    assertThat(placeOf("ann").isSettled()).isTrue();
    assertThat(placeOf("ann").entry().key()).isEqualTo(ann.entry().key());
  }

  /** Else the queue would be looked at again and again until somebody's moment has come. */
  @Test
  void jitter_firstHasLeft_whoIsNextIsRememberedAlsoWherePresenceMatters() {
    edit(Edit.activate(Map.of("jitterMillis", 1_000, "absenceGraceSeconds", 30)).entropy(ENTROPY));
    List<EntryKey> all =
        joinMany("user", 5).stream().sorted(Comparator.comparingLong(this::momentOf)).toList();
    leave(all.getFirst());
    advanceTo(momentOf(all.getFirst()));
    assertThat(await(memory.due())).containsExactly(queue);

    admit(new Admission.Paced());

    assertThat(placeOf(all.get(1).user()).isSettled()).isFalse();
    assertThat(await(memory.due())).as("nobody's moment has come").isEmpty();
    advanceTo(momentOf(all.get(1)));
    assertThat(await(memory.due())).containsExactly(queue);
    admit(new Admission.Paced());
    assertThat(statusOf(all.get(1).user())).isEqualTo(Entry.Status.WAITING);
    assertThat(placeOf(all.get(1).user()).isSettled()).isTrue();
  }

  private long momentOf(EntryKey key) {
    return key.joined() + Long.remainderUnsigned(number(key.joined()), 1_000_001);
  }

  private void advanceTo(long moment) {
    advance(Duration.of(moment - Micros.now(clock), ChronoUnit.MICROS));
  }

  /** Servers see nobody in a lobby; whoever has just got a place is not away for that. */
  @Test
  void presence_placesThatHaveJustComeAbout_areNobodysAbsence() {
    Map<String, Object> settings = lobby();
    settings.putAll(Map.of("absenceGraceSeconds", 30, "maxCapacity", 100));
    activate(settings);
    joinMany("user", 5);
    advance(HOUR);
    for (int second = 0; second < 20; second++) {
      await(memory.see(queue, new Sightings("server", List.of(), Goes.ON)));
      advance(Duration.ofSeconds(1));
    }
    List<Long> order = new ArrayList<>();
    await(memory.seal(queue, seal(queue, "a", order)));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    await(memory.settle(queue, draw(queue).commitment(), 0, order));
    assertThat(figures().absent()).isZero();
    edit(Edit.of(Edit.Act.RESUME, ""));
    assertThat(admitByHand(2).entries()).hasSize(2);
    assertThat(figures().absent()).isZero();
    for (int second = 0; second < 12; second++) {
      await(memory.see(queue, new Sightings("server", List.of(), Goes.ON)));
      advance(Duration.ofSeconds(1));
    }
    assertThat(admitByHand(1).entries()).as("but later they are").isEmpty();
    assertThat(figures().absent()).isEqualTo(3);
  }

  @Test
  void anyHistory_ordersAreThoseOfChance_andNoShownPlaceRises() {
    Seeded.histories(20, random -> new History(random).run());
  }

  /** One who waits, as a model has it. */
  private static final class Person {
    EntryKey key;

    /** Whether an operator put them where they are, or they stand in line for the second time. */
    boolean isApart;

    /** Whether they came after the lobby was closed, and before its draw was done. */
    boolean isLate;

    /** When the first of their window came. */
    long window;

    long ahead = Long.MAX_VALUE;

    Person(EntryKey key) {
      this.key = key;
    }
  }

  /** A sale with everything on: people, operators, two servers and a beat, in any order. */
  private final class History {
    private static final int CAPACITY = 15;

    private final Random random;
    private final QueueId id = newQueueId();
    private final boolean hasLobby;
    private final boolean hasLanes;
    private final int jitter;
    private final int window;
    private final boolean isCoin;
    private final boolean isRequeueing;
    private final Map<String, Person> people = new LinkedHashMap<>();
    private final List<EntryKey> inside = new ArrayList<>();
    private final int grace;
    private List<Long> order = List.of();
    private long lastWindow;
    private int next;

    History(Random random) {
      this.random = random;
      this.hasLobby = random.nextInt(4) > 0;
      this.hasLanes = random.nextBoolean();
      int kind = random.nextInt(3);
      this.jitter = kind == 0 ? 1 + random.nextInt(1_000) : 0;
      this.window = kind == 1 || (!hasLobby && kind == 2) ? 1 + random.nextInt(1_000) : 0;
      this.isCoin = random.nextBoolean();
      // They would open windows that the model knows nothing of.
      this.isRequeueing = window == 0 && random.nextInt(3) == 0;
      this.grace = random.nextBoolean() ? 60 : 0;
    }

    void run() {
      Map<String, Object> settings = hasLobby ? lobby() : new HashMap<>();
      settings.put("jitterMillis", jitter);
      settings.put("fairWindowMillis", window);
      settings.put("draw", isCoin ? "COIN" : "SEED");
      settings.put("maxCapacity", CAPACITY);
      settings.put("entryBatchSize", 1 + random.nextInt(4));
      settings.put("entryIntervalSeconds", 1);
      settings.put("passTtlSeconds", 30);
      settings.put("absenceGraceSeconds", grace);
      settings.put("onExpiry", isRequeueing ? "REQUEUE" : "END");
      if (hasLanes) {
        settings.put(
            "lanes",
            List.of(Map.of("name", "vip", "share", 60), Map.of("name", "normal", "share", 40)));
      }
      await(memory.edit(id, Edit.activate(settings).entropy(ENTROPY)));
      long opening = Micros.now(clock) + (hasLobby ? HOUR.toSeconds() * Micros.PER_SECOND : 0);
      for (int step = 0; step < 150; step++) {
        act();
        check();
        Duration by = Duration.ofMillis(random.nextInt(hasLobby && step < 40 ? 50 : 400));
        clock.advance(by);
        if (hasLobby && step == 40) {
          clock.advance(Duration.between(clock.instant(), Micros.toInstant(opening)));
        }
      }
      drain();
    }

    private void act() {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> come();
        case 3 -> leave();
        case 4 -> operate();
        case 5 -> finish();
        case 6, 7 -> serve();
        default -> beat();
      }
    }

    private void come() {
      for (int i = random.nextInt(6); i >= 0; i--) {
        String lane = hasLanes && random.nextInt(3) == 0 ? "vip" : "";
        String user = "user" + next++;
        var joined = (Joined.Waiting) await(memory.join(id, user, new Claim(lane, "")));
        var person = new Person(joined.place().entry().key());
        DrawView draw = draw(id);
        person.isLate =
            draw.drawing().isUnderWay() && person.key.joined() > draw.drawing().lastJoined();
        // Who is drawn opens no window, and neither does who comes meanwhile.
        boolean isDrawn = draw.drawing().isUnderWay() || draw.drawing().phase() == Phase.LOBBY;
        if (!isDrawn && person.key.joined() >= lastWindow + 1_000L * window) {
          lastWindow = person.key.joined();
        }
        person.window = window > 0 ? lastWindow : 0;
        people.put(user, person);
      }
    }

    private Person some() {
      return List.copyOf(people.values()).get(random.nextInt(people.size()));
    }

    private void leave() {
      if (!people.isEmpty()) {
        Person person = some();
        await(memory.leave(person.key));
        people.remove(person.key.user());
      }
    }

    private void operate() {
      if (people.isEmpty()) {
        return;
      }
      Person person = some();
      switch (random.nextInt(4)) {
        case 0 -> {
          if (hasLanes
              && await(memory.move(id, person.key.user(), "vip", Actor.SYSTEM))
                  instanceof Shifted.Done(long ahead, boolean isMoved)
              && isMoved) {
            // Without a place it makes no difference to the order.
            person.isApart |= ahead != Shifted.NO_PLACE;
            person.ahead = Long.MAX_VALUE;
          }
        }
        case 1 -> {
          String to = "other" + next++;
          if (await(memory.handOff(person.key, to)) instanceof HandedOff.Has(EntryKey has)) {
            people.remove(person.key.user());
            person.key = has;
            person.isApart = true;
            people.put(to, person);
          }
        }
        case 2 -> {
          await(memory.remove(id, person.key.user(), EndReason.REMOVED, Actor.SYSTEM));
          people.remove(person.key.user());
        }
        default -> {
          await(memory.edit(id, Edit.of(Edit.Act.PAUSE, "")));
          await(memory.edit(id, Edit.of(Edit.Act.RESUME, "")));
        }
      }
    }

    private void finish() {
      if (!inside.isEmpty()) {
        EntryKey key = inside.remove(random.nextInt(inside.size()));
        await(memory.complete(key, CompletedBy.VISITOR));
      }
    }

    private void beat() {
      Map<Integer, List<EntryKey>> placed = placed();
      Admission how =
          random.nextInt(3) == 0 ? new Admission.ByHand(2, Actor.SYSTEM) : new Admission.Paced();
      if (await(memory.admit(id, how)) instanceof Admitted.Done done) {
        for (Entry entry : done.entries()) {
          goIn(entry.key(), placed);
        }
      }
    }

    /** Those who have a place, by lane and in order. */
    private Map<Integer, List<EntryKey>> placed() {
      Map<Integer, List<EntryKey>> placed = new HashMap<>();
      people.values().stream()
          .map(this::place)
          .filter(place -> place.entry().isWaiting() && place.isSettled())
          .sorted(Comparator.comparingLong(Place::score))
          .forEach(
              place ->
                  placed
                      .computeIfAbsent(Score.lane(place.score()), _ -> new ArrayList<>())
                      .add(place.entry().key()));
      return placed;
    }

    private void goIn(EntryKey key, Map<Integer, List<EntryKey>> placed) {
      inside.add(key);
      if (people.remove(key.user()) == null) {
        // One whose time inside was up once and who stands in line anew.
        return;
      }
      List<EntryKey> lane =
          placed.values().stream().filter(l -> l.contains(key)).findFirst().orElseThrow();
      if (!isRequeueing && grace == 0) {
        assertThat(lane.getFirst()).as("whose turn it is").isEqualTo(key);
      }
      lane.remove(key);
    }

    /** What two servers do for a draw, of which each may be late, or do it again. */
    private void serve() {
      DrawView draw = draw(id);
      if (random.nextBoolean()) {
        await(memory.see(id, new Sightings("server", sights(), Goes.ON)));
      }
      switch (draw.drawing().phase()) {
        case CLOSED -> {
          if (draw.isWaitingForCoin()) {
            bringCoin(draw);
          } else if (!draw.isSealed()) {
            List<Long> joined = new ArrayList<>();
            Seal seal = seal(id, "list" + next++, joined);
            if (random.nextInt(3) == 0) {
              leave();
            }
            if (await(memory.seal(id, seal)) instanceof DrawStep.Taken) {
              Collections.shuffle(joined, random);
              order = joined;
            }
          }
        }
        case DRAWN -> {
          long from = Math.max(0, draw.drawing().settled() - random.nextInt(2));
          List<Long> some = order.stream().skip(from).limit(random.nextInt(5)).toList();
          await(memory.settle(id, draw.commitment(), from, some));
        }
        case NONE, LOBBY, DONE -> {}
      }
    }

    private void bringCoin(DrawView draw) {
      if (random.nextInt(4) == 0) {
        await(memory.edit(id, Edit.put(Map.of("draw", "SEED"), OptionalLong.empty())));
      } else {
        long round = draw.round() + (random.nextInt(3) == 0 ? 1 : 0);
        await(memory.coin(id, draw.commitment(), round, "ab"));
      }
    }

    private List<Sight> sights() {
      return people.values().stream()
          .map(person -> new Sight(person.key.joined(), place(person).score()))
          .toList();
    }

    private Place place(Person person) {
      return ((Standing.Found) await(memory.locate(id, person.key.user()))).place();
    }

    private void check() {
      Figures figures = await(memory.find(id)).orElseThrow().figures();
      assertThat(figures.inside()).isLessThanOrEqualTo(CAPACITY);
      Map<Integer, List<Person>> lanes = new HashMap<>();
      long unsettled = 0;
      for (Person person : List.copyOf(people.values())) {
        if (!(await(memory.locate(id, person.key.user())) instanceof Standing.Found(Place place))) {
          throw new AssertionError(person.key + " is lost");
        }
        if (!place.entry().key().equals(person.key) || !place.entry().isWaiting()) {
          // Their turn was over, or they were away for too long.
          people.remove(person.key.user());
          continue;
        }
        if (!place.isSettled()) {
          assertThat(person.ahead).as("%s had a place", person.key).isEqualTo(Long.MAX_VALUE);
          unsettled++;
          continue;
        }
        assertThat(place.ahead()).as("place of %s", person.key).isLessThanOrEqualTo(person.ahead);
        person.ahead = place.ahead();
        lanes.computeIfAbsent(Score.lane(place.score()), _ -> new ArrayList<>()).add(person);
      }
      lanes.values().forEach(this::checkOrder);
      Phase phase = draw(id).drawing().phase();
      if (phase == Phase.LOBBY || phase == Phase.CLOSED) {
        assertThat(lanes).isEmpty();
      }
      if (phase == Phase.DONE && jitter + window == 0 && !isRequeueing) {
        assertThat(unsettled).isZero();
      }
    }

    private void checkOrder(List<Person> lane) {
      List<Person> placed =
          lane.stream()
              .filter(person -> !person.isApart)
              .sorted(Comparator.comparingLong(person -> place(person).score()))
              .toList();
      List<Person> expected = new ArrayList<>(placed);
      expected.sort(
          Comparator.comparingInt(this::kind)
              .thenComparingInt(person -> order.indexOf(person.key.joined()))
              .thenComparingLong(this::due)
              .thenComparing(this::chance, Long::compareUnsigned)
              .thenComparingLong(person -> person.key.joined()));
      assertThat(placed).extracting(p -> p.key).isEqualTo(keys(expected));
    }

    private static List<EntryKey> keys(List<Person> some) {
      return some.stream().map(person -> person.key).toList();
    }

    /** Who was drawn stands before who came until that was done, and those before all others. */
    private int kind(Person person) {
      return order.contains(person.key.joined()) ? 0 : person.isLate ? 1 : 2;
    }

    private long due(Person person) {
      long joined = person.key.joined();
      if (kind(person) < 2) {
        return 0;
      }
      return jitter > 0
          ? joined + Long.remainderUnsigned(number(joined), 1_000L * jitter + 1)
          : person.window;
    }

    private long chance(Person person) {
      return kind(person) < 2 || jitter + window == 0 ? 0 : number(person.key.joined());
    }

    private void drain() {
      for (int i = 0; i < 300 && !people.isEmpty(); i++) {
        serve();
        check();
        clock.advance(Duration.ofMillis(500));
        beat();
        check();
        List.copyOf(inside).forEach(_ -> finish());
      }
      assertThat(people).as("held up").isEmpty();
      assertThat(draw(id).drawing().phase()).isIn(Phase.NONE, Phase.DONE);
    }
  }
}
