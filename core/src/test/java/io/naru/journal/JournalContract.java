package io.naru.journal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Claim;
import io.naru.queue.DrawStep;
import io.naru.queue.Draws;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueScenario;
import io.naru.queue.Seal;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Goes;
import io.naru.queue.Sightings.Sight;
import io.naru.queue.Signal;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.support.Seeded;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What every store promises of the journal of a queue that is logged: all that was decided is in
 * it, once, in order, and whoever reads it knows the queue; and of the log that is made of it.
 */
public abstract class JournalContract extends QueueScenario {

  private static final Duration HOLD = Duration.ofSeconds(30);

  protected abstract LogStore logs();

  protected abstract Draws draws();

  protected Optional<Behind> behind() {
    return logs().behind(10_000).stream().filter(b -> b.log().queue().equals(queue)).findFirst();
  }

  private List<Journaled> journal() {
    return behind().map(b -> logs().journal(b.log(), 0, 1_000_000)).orElse(List.of());
  }

  private List<String> lines() {
    return journal().stream().flatMap(change -> change.lines().stream()).toList();
  }

  private void activateLogged(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("log", true);
    settings.putIfAbsent("entryIntervalSeconds", CALM_SECONDS);
    settings.put("newPlacesPerMinute", 0);
    activate(settings);
  }

  @Test
  void journal_queueThatIsNotLogged_hasNothing() {
    activateCalm(1, 1);
    joinMany("user", 3);
    admitByHand(1);

    assertThat(behind()).isEmpty();
  }

  @Test
  void journal_everythingOfASmallSale_isThereInOrder() {
    activateLogged(Map.of("maxCapacity", 2, "passTtlSeconds", 600));
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("b\"e\\n");
    admitByHand(2);
    redeem(ann, "session");
    complete(ann);
    leave(ben);
    edit(Edit.of(Edit.Act.END, ""));

    List<String> lines = new ArrayList<>(lines());
    assertThat(lines).hasSize(11);
    assertThat(lines.remove(1))
        .matches("\\[\"lobby\",0,\"SEED\",\"[0-9a-f]{64}\",\"[0-9a-f]{64}\",\"\"]");
    assertThat(lines.removeLast()).matches("\\[\"seeds\",\"[0-9a-f]{64}\"]");
    assertThat(lines.getFirst())
        .startsWith("[\"rules\",1,{")
        .contains("\"maxCapacity\":2")
        .contains("\"log\":true")
        .doesNotContain("\"title\"")
        .endsWith("},\"OPEN\",true,false,0]");
    assertThat(lines.get(1))
        .isEqualTo("[\"join\",%1$d,\"ann\",\"\",%1$d,1]".formatted(ann.joined()));
    assertThat(lines.get(2))
        .isEqualTo("[\"join\",%1$d,\"b\\\"e\\\\n\",\"\",%1$d,2]".formatted(ben.joined()));
    assertThat(lines.get(3)).isEqualTo("[\"byhand\",2]");
    assertThat(lines.get(4)).startsWith("[\"enter\"," + ann.joined() + ",");
    assertThat(lines.get(5)).startsWith("[\"enter\"," + ben.joined() + ",");
    assertThat(lines.get(6)).isEqualTo("[\"end\",%d,\"COMPLETED\",\"\"]".formatted(ann.joined()));
    assertThat(lines.get(7)).isEqualTo("[\"end\",%d,\"LEFT\",\"\"]".formatted(ben.joined()));
    assertThat(lines.get(8)).startsWith("[\"rules\",2,{").contains("},\"ENDED\",false,true,");
    // Who redeems a pass changes no order.
    assertThat(journal()).hasSize(7);
    assertThat(journal().getLast().change()).isEqualTo(figures().change());
  }

  @Test
  void journal_whoIsPassedOverAndBack_isAChangeEach() {
    activateLogged(
        Map.of("absenceGraceSeconds", 600, "maxCapacity", 1_000, "entryBatchSize", 1_000));
    List<EntryKey> keys = joinMany("user", 2);
    for (int i = 0; i < 14; i++) {
      see("user1");
      advance(Duration.ofSeconds(1));
    }
    see("user1");
    long before = figures().change();
    assertThat(keys(admitByHand(1))).containsExactly(keys.get(1));
    assertThat(lines()).contains("[\"pass\"," + keys.get(0).joined() + "]");
    assertThat(figures().change()).isEqualTo(before + 1);

    see("user0");

    assertThat(lines().getLast()).isEqualTo("[\"back\"," + keys.get(0).joined() + "]");
    assertThat(figures().change()).isEqualTo(before + 2);
  }

  private void see(String... users) {
    List<Sight> people =
        Arrays.stream(users)
            .map(this::locate)
            .filter(Standing.Found.class::isInstance)
            .map(found -> ((Standing.Found) found).place())
            .filter(place -> place.entry().isWaiting())
            .map(place -> new Sight(place.entry().key().joined(), place.score()))
            .toList();
    await(queues().see(queue, new Sightings("server", people, Goes.ON)));
  }

  // Random histories.

  @Test
  void journal_randomHistories_replayedComeToTheSame() {
    Set<String> kinds = new HashSet<>();
    Seeded.histories(histories(), random -> kinds.addAll(new History(random).run()));
    assertThat(kinds).containsAll(kinds());
  }

  /** Which events there are in so many histories, by all odds. */
  protected Set<String> kinds() {
    return Set.of("rules", "join", "enter", "end");
  }

  /** So many of them; each is a few hundred steps. */
  protected int histories() {
    return 3;
  }

  /** Anything that may be asked, one after the other. */
  private final class History {
    private static final int USERS = 24;
    private final Random random;
    private final List<EntryKey> keys = new ArrayList<>();
    private long version;
    private final int jitter;

    History(Random random) {
      this.random = random;
      this.jitter = Integer.bitCount(random.nextInt()) % 2 * 700;
    }

    /** Which kinds of events there were. */
    Set<String> run() {
      await(queues().delete(queue, Actor.SYSTEM));
      activate(settings());
      for (int i = 0; i < 250; i++) {
        step();
        if (i % 50 == 49) {
          compare();
        }
      }
      return compare();
    }

    private Map<String, Object> settings() {
      Map<String, Object> settings = new HashMap<>();
      settings.put("log", true);
      settings.put("jitterMillis", jitter);
      settings.put("maxCapacity", 3 + random.nextInt(9));
      settings.put("entryBatchSize", 1 + random.nextInt(5));
      settings.put("passTtlSeconds", 20 + random.nextInt(60));
      settings.put("onExpiry", random.nextBoolean() ? "REQUEUE" : "END");
      settings.put("newPlacesPerMinute", 0);
      settings.put("maxReturns", 3);
      settings.put("retrySeconds", random.nextInt(2) * 10);
      settings.put("absenceGraceSeconds", random.nextInt(4) == 0 ? 0 : 40);
      settings.put(
          "lanes", List.of(Map.of("name", "vip", "share", 2), Map.of("name", "all", "share", 1)));
      settings.put("stock", random.nextBoolean() ? Map.of() : null);
      settings.put("adaptive", random.nextBoolean() ? Map.of() : null);
      return settings;
    }

    private void step() {
      boolean goesBack = random.nextInt(60) == 0;
      advance(Duration.ofMillis(goesBack ? -random.nextInt(30_000) : random.nextInt(1_500)));
      see(present());
      String user = "user" + random.nextInt(USERS);
      switch (keys.isEmpty() ? 0 : random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5 -> join(user);
        case 6 -> leave(key());
        case 7, 8 -> complete(key());
        case 9 -> await(queues().giveBack(key(), random.nextBoolean(), CompletedBy.VISITOR));
        case 10 ->
            await(queues().move(queue, user, random.nextBoolean() ? "vip" : "all", Actor.SYSTEM));
        case 11 -> await(queues().handOff(key(), user));
        case 12 -> await(queues().remove(queue, user, EndReason.REMOVED, Actor.SYSTEM));
        case 13 -> await(queues().redeem(key(), "session"));
        case 14 ->
            await(
                queues()
                    .push(
                        queue,
                        Stock.of(
                            ++version,
                            List.of(
                                Map.of(
                                    "name",
                                    "seats",
                                    "remaining",
                                    random.nextInt(50),
                                    "held",
                                    0)))));
        case 15 -> await(queues().signal(queue, new Signal("shop", 100, 0, 10, 0)));
        case 16 -> admit(new Admission.ByHand(1 + random.nextInt(3), Actor.SYSTEM));
        case 17 -> edit();
        default -> admit(new Admission.Paced());
      }
    }

    private void join(String user) {
      String lane = random.nextBoolean() ? "vip" : "";
      await(queues().join(queue, user, new Claim(lane, "")));
      if (locate(user) instanceof Standing.Found(Place place)) {
        keys.add(place.entry().key());
      }
    }

    private void edit() {
      if (random.nextInt(4) == 0) {
        JournalContract.this.edit(Edit.of(Edit.Act.PAUSE, "why"));
      }
      JournalContract.this.edit(Edit.activate(settings()));
    }

    /** Half of them are never there. */
    private String[] present() {
      return IntStream.range(0, USERS)
          .filter(i -> i % 2 == 0 || random.nextInt(20) == 0)
          .mapToObj(i -> "user" + i)
          .toArray(String[]::new);
    }

    private EntryKey key() {
      return keys.get(random.nextInt(keys.size()));
    }

    private Set<String> compare() {
      var replayed = new Replayed();
      journal().forEach(replayed::add);
      Figures figures = figures();
      assertThat(replayed.count(Status.WAITING)).isEqualTo(figures.waiting());
      assertThat(replayed.count(Status.ENTERED)).isEqualTo(figures.inside());
      assertThat(replayed.events("join") + replayed.events("handoff"))
          .isEqualTo((int) figures.joined());
      assertThat(replayed.events("enter")).isEqualTo((int) figures.entered());
      assertThat(replayed.count(Status.COMPLETED)).isEqualTo(figures.completed());
      assertThat(replayed.count(Status.LEFT)).isEqualTo(figures.left());
      assertThat(replayed.count(Status.EXPIRED)).isEqualTo(figures.expired());
      assertThat(replayed.passed()).isEqualTo(figures.absent());
      for (int i = 0; i < USERS; i++) {
        compare("user" + i, replayed.live("user" + i));
      }
      return replayed.kinds().keySet();
    }

    private void compare(String user, Replayed.@Nullable Known known) {
      Standing standing = locate(user);
      if (standing instanceof Standing.Found(Place place) && place.entry().isLive()) {
        requireNonNull(known, user);
        assertThat(known.joined).as(user).isEqualTo(place.entry().key().joined());
        assertThat(known.status).as(user).isEqualTo(place.entry().status());
        if (known.status == Status.WAITING) {
          if (known.score == null) {
            assertThat(Score.isUnsettled(Score.lane(place.score()))).as(user).isTrue();
          } else {
            assertThat(known.score).as(user).isEqualTo(place.score());
          }
          assertThat(known.ticket).as(user).isEqualTo(place.ticket());
        } else {
          assertThat(known.until).as(user).isEqualTo(place.entry().until());
        }
      } else if (known != null) {
        // Their time is up, and nobody has noticed.
        assertThat(known.status).as(user).isEqualTo(Status.ENTERED);
      }
    }
  }

  /** From the lobby to the last place, and the seeds when it is over. */
  @Test
  void journal_ofADraw_hasEveryStep() {
    activateLogged(Map.of());
    Instant here = Micros.toInstant(overview().queue().createdAt());
    Instant opens = here.plusSeconds(3_600);
    await(queues().delete(queue, Actor.SYSTEM));
    activateLogged(
        Map.of("lobbyOpensAt", here.minusSeconds(60).toString(), "opensAt", opens.toString()));
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("ben");
    EntryKey cat = keyOf("cat");
    advance(Duration.ofSeconds(3_700));
    admit(new Admission.Paced());
    leave(ben);
    String draw = await(draws().draw(queue)).orElseThrow().commitment();
    var seal = new Seal(draw, "seal", "ab".repeat(32), List.of(3L));
    assertThat(await(draws().seal(queue, seal))).isInstanceOf(DrawStep.Taken.class);
    EntryKey late = keyOf("late");
    await(draws().settle(queue, draw, 0, List.of(cat.joined(), ben.joined(), ann.joined())));
    admit(new Admission.Paced());

    List<String> lines = lines().stream().filter(line -> !line.startsWith("[\"enter")).toList();
    assertThat(lines.get(1)).startsWith("[\"lobby\",1,\"SEED\",");
    assertThat(lines.get(2)).isEqualTo("[\"join\",%d,\"ann\",\"\",null,0]".formatted(ann.joined()));
    assertThat(lines.get(5)).isEqualTo("[\"close\",1,%d,3]".formatted(cat.joined()));
    assertThat(lines.get(6)).startsWith("[\"end\"," + ben.joined());
    assertThat(lines.get(7))
        .isEqualTo("[\"seal\",1,\"%s\",3,[[\"\",3]],0]".formatted("ab".repeat(32)));
    assertThat(lines.get(8)).startsWith("[\"draw\",1,\"SEED\",\"");
    assertThat(lines.get(9)).startsWith("[\"join\"," + late.joined());
    assertThat(lines.get(10))
        .matches("\\[\"settled\",1,0,3,\\{\"\":\\[\\d+,1]},\\[%d]]".formatted(ben.joined()));
    assertThat(lines.get(11)).startsWith("[\"settle\"," + late.joined() + ",\"\",");
    assertThat(lines.get(12)).isEqualTo("[\"done\",1]");
  }

  // The log.

  private Log started() {
    activateLogged(Map.of());
    // One change each.
    for (int i = 0; i < 5; i++) {
      joinNew("user" + i);
    }
    return behind().orElseThrow().log();
  }

  private static Addition addition(
      long to, long cursor, String holder, @Nullable String checkpoint) {
    return new Addition(
        to,
        cursor,
        "origin",
        holder,
        HOLD.toSeconds() * 1_000_000,
        List.of(new HashTile(0, 0, bytes(32 * (int) to))),
        List.of(new Bundle(0, (int) to, 10 * to, bytes((int) to))),
        checkpoint,
        to);
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) length);
    return bytes;
  }

  @Test
  void log_nothingInIt_isNone() {
    Log log = started();

    assertThat(log).isEqualTo(Log.empty(log.id(), queue, log.original()));
    assertThat(await(logs().log(queue))).isEmpty();
    assertThat(await(logs().log(newQueueId()))).isEmpty();
    assertThat(await(logs().tile(log, 0, 0))).isEmpty();
    assertThat(await(logs().bundle(log, 0))).isEmpty();
    assertThat(await(logs().bundleOf(log, 0))).isEmpty();
  }

  @Test
  void append_fromWhereItIs_isDoneOnceAndTheJournalIsTrimmed() {
    Log log = started();
    List<Journaled> journal = journal();
    long half = journal.get(journal.size() / 2).change();

    assertThat(logs().append(log, addition(3, half, "one", "signed"))).isTrue();
    assertThat(logs().append(log, addition(4, half, "one", "again"))).as("twice").isFalse();

    Log after = await(logs().log(queue)).orElseThrow();
    assertThat(after.size()).isEqualTo(3);
    assertThat(after.cursor()).isEqualTo(half);
    assertThat(after.checkpoint()).isEqualTo("signed");
    assertThat(after.signedAt()).isEqualTo(3);
    assertThat(after.origin()).isEqualTo("origin");
    assertThat(await(logs().tile(after, 0, 0)).orElseThrow().hashes()).isEqualTo(bytes(96));
    assertThat(await(logs().bundle(after, 0)).orElseThrow().content()).isEqualTo(bytes(3));
    assertThat(journal()).isEqualTo(journal.subList(journal.size() / 2 + 1, journal.size()));
    assertThat(behind().orElseThrow().changes()).isEqualTo(figures().change() - half);

    long last = figures().change();
    assertThat(logs().append(after, addition(5, last, "one", null))).isTrue();
    assertThat(behind()).isEmpty();
    after = await(logs().log(queue)).orElseThrow();
    assertThat(after.checkpoint()).as("not signed again").isEqualTo("signed");
    assertThat(await(logs().tile(after, 0, 0)).orElseThrow().width()).isEqualTo(5);
    assertThat(await(logs().bundle(after, 0)).orElseThrow().count()).isEqualTo(5);
  }

  @Test
  void append_heldByAnother_isRefusedUntilTheirTimeIsUp() {
    Log log = started();
    assertThat(logs().append(log, addition(1, 1, "one", "signed"))).isTrue();
    Log after = await(logs().log(queue)).orElseThrow();
    assertThat(after.holder()).isEqualTo("one");

    assertThat(logs().append(after, addition(2, 2, "two", "signed"))).isFalse();
    advance(HOLD.plusSeconds(1));
    assertThat(behind().orElseThrow().log().isHeldBefore("two", behind().orElseThrow().now()))
        .isFalse();

    assertThat(logs().append(after, addition(2, 2, "two", "signed"))).isTrue();
    assertThat(logs().append(after, addition(2, 2, "one", "signed"))).isFalse();
  }

  @Test
  void append_heldWhileTheClockWasAhead_isHeldByNobody() {
    Log log = started();
    Duration ahead = Duration.ofHours(1);
    advance(ahead);
    assertThat(logs().append(log, addition(1, 1, "one", "signed"))).isTrue();
    advance(ahead.negated());
    Log after = await(logs().log(queue)).orElseThrow();

    assertThat(after.isHeldBefore("two", behind().orElseThrow().now())).isFalse();
    assertThat(logs().append(after, addition(2, 2, "two", "signed"))).isTrue();
  }

  @Test
  void bundleOf_somebody_isTheFirstInWhichTheyCanBe() {
    Log log = started();
    var addition =
        new Addition(
            700,
            figures().change(),
            "origin",
            "one",
            0,
            List.of(),
            List.of(
                new Bundle(0, 256, 100, bytes(1)),
                new Bundle(1, 256, 100, bytes(2)),
                new Bundle(2, 188, 200, bytes(3))),
            null,
            0);
    assertThat(logs().append(log, addition)).isTrue();

    assertThat(await(logs().bundleOf(log, 1)).orElseThrow().number()).isZero();
    assertThat(await(logs().bundleOf(log, 100)).orElseThrow().number()).isZero();
    assertThat(await(logs().bundleOf(log, 101)).orElseThrow().number()).isEqualTo(2);
    assertThat(await(logs().bundleOf(log, 201))).isEmpty();
  }

  @Test
  void log_queueDeletedAndMadeAnew_isAnother() {
    Log log = started();
    assertThat(logs().append(log, addition(1, 1, "one", "signed"))).isTrue();
    await(queues().delete(queue, Actor.SYSTEM));

    assertThat(await(logs().log(queue))).isEmpty();
    assertThat(behind()).isEmpty();
    Log next = started();

    assertThat(next.id()).isNotEqualTo(log.id());
    assertThat(next.original()).isNotEqualTo(log.original());
    assertThat(await(logs().log(queue))).isEmpty();
    assertThat(await(logs().tile(next, 0, 0))).isEmpty();
    assertThat(lines()).hasSize(7);
  }
}
