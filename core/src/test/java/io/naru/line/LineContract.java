package io.naru.line;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Pacing;
import io.naru.queue.Actor;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.queue.QueueScenario;
import io.naru.queue.Stay.CompletedBy;
import io.naru.support.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link Line} promises. */
public abstract class LineContract extends QueueScenario {
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  @Test
  void locate_unknownQueue_isNoQueue() {
    assertThat(locate("ann")).isEqualTo(new Standing.NoQueue());
  }

  @Test
  void locate_unknownUser_isUnknown() {
    activateCalm(10, 10);
    keyOf("bob");

    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
  }

  @Test
  void locate_waiting_isWhatJoinSaid() {
    activateCalm(10, 10);
    keyOf("ann");

    Place joined = joinNew("bob");

    assertThat(placeOf("bob")).isEqualTo(joined);
    assertThat(placeOf("bob").position()).isEqualTo(2);
  }

  @Test
  void locate_repeated_changesNothing() {
    activateCalm(10, 10);
    keyOf("ann");
    Place first = placeOf("ann");

    for (int i = 0; i < 20; i++) {
      assertThat(placeOf("ann")).isEqualTo(first);
    }
    assertThat(locate("nobody")).isEqualTo(new Standing.Unknown());
    assertThat(figures().change()).isEqualTo(first.line().change());
  }

  @Test
  void locate_anyStatus_saysWhatIsTheSameForAll() {
    activate(
        Map.of(
            "maxCapacity", 3,
            "entryBatchSize", 4,
            "entryIntervalSeconds", 90,
            "passTtlSeconds", 600,
            "targetUrl", "https://shop.example/sale",
            "audience", "shop"));
    List<EntryKey> all = joinMany("user", 5);
    admitPaced();
    complete(all.get(0));

    long change = figures().change();
    for (EntryKey key : all) {
      assertThat(placeOf(key.user()).line().change()).isEqualTo(change);
      assertThat(placeOf(key.user()).line().waiting()).isEqualTo(2);
      assertThat(placeOf(key.user()).line().settings().pacing()).isEqualTo(new Pacing(4, 90));
      assertThat(placeOf(key.user()).line().settings().look().targetUrl())
          .isEqualTo("https://shop.example/sale");
      assertThat(placeOf(key.user()).line().settings().look().audience()).isEqualTo("shop");
    }
    assertThat(placeOf(all.get(4).user()).estimatedWaitSeconds()).isEqualTo(90);
  }

  @Test
  void locate_settingsChanged_saysTheNewOnes() {
    activate(Map.of("targetUrl", "https://shop.example/old"));
    keyOf("ann");

    activate(
        Map.of(
            "entryBatchSize", 2,
            "entryIntervalSeconds", 30,
            "targetUrl", "https://shop.example/new"));

    assertThat(placeOf("ann").line().settings().pacing()).isEqualTo(new Pacing(2, 30));
    assertThat(placeOf("ann").line().settings().look().targetUrl())
        .isEqualTo("https://shop.example/new");
    activate(Map.of("targetUrl", ""));
    assertThat(placeOf("ann").line().settings().look().targetUrl()).isEmpty();
  }

  @Test
  void locate_deactivatedAndActivatedAgain_saysWhetherPeopleAreLetIn() {
    activateCalm(1, 1);
    keyOf("ann");
    admitPaced();
    assertThat(joinNew("bob").line().state().isActive()).isTrue();

    edit(Edit.deactivate());
    for (String user : List.of("ann", "bob")) {
      assertThat(placeOf(user).line().state().isActive()).as(user).isFalse();
    }
    assertThat(join("bob"))
        .isInstanceOfSatisfying(
            Joined.AlreadyIn.class,
            in -> assertThat(in.place().line().state().isActive()).isFalse());
    assertThat(await(line().since(queue, placeOf("bob").line().change())))
        .isInstanceOfSatisfying(
            Moved.Steps.class, steps -> assertThat(steps.line().state().isActive()).isFalse());

    activate(Map.of());
    assertThat(placeOf("bob").line().state().isActive()).isTrue();
  }

  @Test
  void locate_wholeWay_isWaitingThenEnteredThenCompleted() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    assertThat(placeOf("ann").entry()).isEqualTo(Entry.waiting(ann));

    Entry admitted = admitPaced().entries().getFirst();
    assertThat(placeOf("ann").entry()).isEqualTo(admitted);
    assertThat(placeOf("ann").ahead()).isZero();
    assertThat(admitted.status()).isEqualTo(Status.ENTERED);

    complete(ann);
    assertThat(placeOf("ann").entry())
        .isEqualTo(new Entry(ann, Status.COMPLETED, admitted.entered(), admitted.until()));
    assertThat(placeOf("ann").ahead()).isZero();
  }

  @Test
  void locate_timeIsUp_isExpired() {
    activate(Map.of("passTtlSeconds", 60));
    EntryKey ann = keyOf("ann");
    admitPaced();

    advance(Duration.ofSeconds(60));

    assertThat(placeOf("ann").entry().key()).isEqualTo(ann);
    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
    assertThat(placeOf("ann").ahead()).isZero();
    admitPaced();
    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
    advance(Duration.ofHours(1));
    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
  }

  @Test
  void locate_left_isUnknown() {
    activateCalm(10, 10);
    EntryKey waiting = keyOf("ann");
    leave(waiting);
    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());

    EntryKey inside = keyOf("ann");
    admitPaced();
    leave(inside);
    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
  }

  @Test
  void locate_manyInOneBreath_eachGetsTheirOwn() {
    activateCalm(10, 10);
    List<EntryKey> all = joinMany("user", 2_000);

    List<Place> places = locateAll(all);

    for (int i = 0; i < all.size(); i++) {
      assertThat(places.get(i).entry().key()).isEqualTo(all.get(i));
      assertThat(places.get(i).ahead()).isEqualTo(i);
    }
  }

  /** As soon as all is in it: while a copy is away, what moved is told a little later. */
  private Moved.Steps since(long change) {
    long now = figures().change();
    long start = System.nanoTime();
    while (true) {
      Moved moved = await(line().since(queue, change));
      assertThat(moved).as("since %d", change).isInstanceOf(Moved.Steps.class);
      var steps = (Moved.Steps) moved;
      if (steps.line().change() >= now || System.nanoTime() - start > PATIENCE_NANOS) {
        return steps;
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static Spot spot(Place place) {
    return new Spot(place.score(), place.ahead(), place.line().change());
  }

  @Test
  void since_unknownQueue_isAGap() {
    assertThat(await(line().since(queue, 0))).isEqualTo(new Moved.Gap());
  }

  // Turns that are over before their pass is.

  @Test
  void over_noQueue_isNoQueue() {
    var heard = new ArrayList<OverTurn>();

    assertThat(await(line().over(queue, 0, heard::add))).isEqualTo(new Told.NoQueue());
    assertThat(heard).isEmpty();
  }

  @Test
  void over_leftOrCompletedInside_isTold_inTheOrderOfChanges() {
    activateCalm(10, 10);
    joinMany("user", 4);
    List<Entry> inside = admitPaced().entries();

    leave(inside.get(2).key());
    complete(inside.get(0).key());
    leave(inside.get(3).key());

    List<OverTurn> over = over(0);
    assertThat(over.stream().map(OverTurn::entry).map(this::asAdmitted))
        .containsExactly(inside.get(2), inside.get(0), inside.get(3));
    assertThat(over).isSortedAccordingTo(Comparator.comparingLong(OverTurn::change));
    assertThat(upTo(0).change()).isEqualTo(figures().change());
  }

  @Test
  void over_waitingOrStillInsideOrRunOut_isNotTold() {
    activate(Map.of("maxCapacity", 2, "passTtlSeconds", 60));
    keyOf("stays");
    keyOf("runs-out");
    admitPaced();
    leave(keyOf("leaves-the-line"));
    assertThat(over(0)).isEmpty();

    advance(Duration.ofSeconds(60));
    admitPaced();

    assertThat(statusOf("runs-out")).isEqualTo(Status.EXPIRED);
    assertThat(over(0)).isEmpty();
  }

  @Test
  void over_requeued_isNotTold_butHowTheNextTurnEndsIs() {
    activate(Map.of("passTtlSeconds", 60, "onExpiry", "REQUEUE"));
    EntryKey first = keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(61));
    admitPaced();
    admitByHand(1);
    Entry second = placeOf("ann").entry();
    assertThat(second.key()).isNotEqualTo(first);
    assertThat(over(0)).isEmpty();

    complete(second.key());

    assertThat(over(0).stream().map(turn -> turn.entry().key())).containsExactly(second.key());
  }

  @Test
  void over_afterAChange_isOnlyWhatIsNew() {
    activateCalm(10, 10);
    joinMany("user", 3);
    List<Entry> inside = admitPaced().entries();
    leave(inside.get(0).key());
    long then = upTo(0).change();
    assertThat(over(then)).isEmpty();

    complete(inside.get(1).key());
    joinMany("later", 3);

    assertThat(over(then).stream().map(turn -> turn.entry().key()))
        .containsExactly(inside.get(1).key());
    assertThat(over(upTo(then).change())).isEmpty();
  }

  @Test
  void over_afterAChangeThatIsNotThere_isAll() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();
    leave(ann);

    assertThat(over(figures().change() + 1_000).stream().map(turn -> turn.entry().key()))
        .containsExactly(ann);
  }

  @Test
  void over_passRanOut_isForgotten() {
    activate(Map.of("passTtlSeconds", 60));
    EntryKey ann = keyOf("ann");
    admitPaced();
    leave(ann);
    assertThat(over(0)).hasSize(1);

    advance(Duration.ofSeconds(61));

    assertThat(over(0)).isEmpty();
  }

  /** More than any part that is read at a time. */
  @Test
  void over_many_areAllToldOnce() {
    activateCalm(10_000, 10_000);
    for (int i = 0; i < 10; i++) {
      joinMany("user" + i + "-", 500);
    }
    List<Entry> inside = new ArrayList<>();
    while (inside.size() < 5_000) {
      inside.addAll(admitByHand(1_000).entries());
    }
    for (int from = 0; from < 5_000; from += 500) {
      inside.subList(from, from + 500).stream()
          .map(entry -> queues().complete(entry.key(), CompletedBy.VISITOR))
          .toList()
          .forEach(done -> await(done));
    }

    List<OverTurn> over = over(0);
    assertThat(over.stream().map(turn -> turn.entry().key()))
        .containsExactlyInAnyOrderElementsOf(inside.stream().map(Entry::key).toList());
    assertThat(over).isSortedAccordingTo(Comparator.comparingLong(OverTurn::change));
    long half = over.get(2_500).change();
    assertThat(over(half))
        .isNotEmpty()
        .isSortedAccordingTo(Comparator.comparingLong(OverTurn::change))
        .containsExactlyInAnyOrderElementsOf(
            over.stream().filter(turn -> turn.change() > half).toList());

    var latest = new ArrayList<OverTurn>();
    Told told = await(line().latestOver(queue, 1_000, latest::add));
    long before = told instanceof Told.Latest some ? some.after() : 0;
    assertThat(latest)
        .isSortedAccordingTo(Comparator.comparingLong(OverTurn::change))
        .containsExactlyInAnyOrderElementsOf(
            over.stream().filter(turn -> turn.change() > before).toList());
    assertThat(latest).isNotEmpty();
    assertThat(told)
        .isEqualTo(
            before == 0 ? upTo(0) : new Told.Latest(upTo(0).born(), before, figures().change()));
  }

  @Test
  void latestOver_few_areAll_andWhereNoneIsThereIsNone() {
    assertThat(await(line().latestOver(queue, 1_000, _ -> {}))).isEqualTo(new Told.NoQueue());
    activateCalm(10, 10);
    joinMany("user", 4);
    admitPaced().entries().forEach(entry -> leave(entry.key()));

    var latest = new ArrayList<OverTurn>();
    assertThat(await(line().latestOver(queue, 1_000, latest::add))).isEqualTo(upTo(0));
    assertThat(latest).isEqualTo(over(0));
  }

  @Test
  void over_deletedAndMadeAnew_isAnotherLife() {
    activateCalm(10, 10);
    EntryKey before = keyOf("ann");
    admitPaced();
    long firstLife = upTo(0).born();
    assertThat(before.joined()).isGreaterThanOrEqualTo(firstLife);

    await(queues().delete(queue, Actor.SYSTEM));
    assertThat(await(line().over(queue, 0, _ -> {}))).isEqualTo(new Told.NoQueue());
    advance(Duration.ofMillis(1));
    activateCalm(10, 10);
    EntryKey now = keyOf("ann");

    assertThat(upTo(0).born()).isGreaterThan(before.joined()).isLessThanOrEqualTo(now.joined());
    assertThat(over(0)).isEmpty();
  }

  private List<OverTurn> over(long after) {
    var heard = new ArrayList<OverTurn>();
    await(line().over(queue, after, heard::add));
    return heard;
  }

  private Told.UpTo upTo(long after) {
    return (Told.UpTo) await(line().over(queue, after, _ -> {}));
  }

  private Entry asAdmitted(Entry entry) {
    return new Entry(entry.key(), Status.ENTERED, entry.entered(), entry.until());
  }

  // What happened since.

  @Test
  void since_nothingHappened_saysHowTheLineIs() {
    activateCalm(10, 10);
    Place ann = joinNew("ann");

    assertThat(since(ann.line().change())).isEqualTo(new Moved.Steps(ann.line(), List.of()));
  }

  @Test
  void since_changeThatIsNotThereYet_isOlder() {
    activateCalm(10, 10);
    Place ann = joinNew("ann");

    assertThat(await(line().since(queue, ann.line().change() + 1))).isEqualTo(new Moved.Older());
  }

  @Test
  void since_peopleJoin_nobodyIsMoved() {
    activateCalm(10, 10);
    Spot ann = spot(joinNew("ann"));
    joinMany("user", 5);

    Moved.Steps steps = since(ann.change());

    assertThat(ann.follow(steps.moves())).isEqualTo(Spot.Seen.SAME);
    assertThat(ann.change()).isEqualTo(figures().change());
    assertThat(steps.line().waiting()).isEqualTo(6);
  }

  @Test
  void since_settingsChanged_saysTheNewOnes() {
    activate(Map.of("entryBatchSize", 5));
    Place ann = joinNew("ann");
    activate(
        Map.of("entryBatchSize", 9, "targetUrl", "https://shop.example/new", "audience", "shop"));

    LineState line = since(ann.line().change()).line();

    assertThat(line.settings().pacing().batch()).isEqualTo(9);
    assertThat(line.settings().look().targetUrl()).isEqualTo("https://shop.example/new");
    assertThat(line.settings().look().audience()).isEqualTo("shop");
  }

  @Test
  void since_someLeaveAndSomeGoIn_movesThoseBehind() {
    activateCalm(10, 10);
    List<EntryKey> all = joinMany("user", 6);
    List<Spot> spots = all.stream().map(key -> spot(placeOf(key.user()))).toList();
    long then = figures().change();

    leave(all.get(3));
    admitByHand(2);
    List<Move> moves = since(then).moves();

    assertThat(spots.stream().map(spot -> spot.follow(moves)))
        .containsExactly(
            Spot.Seen.OUT,
            Spot.Seen.OUT,
            Spot.Seen.NEARER,
            Spot.Seen.OUT,
            Spot.Seen.NEARER,
            Spot.Seen.NEARER);
    assertThat(spots.get(2).ahead()).isZero();
    assertThat(spots.get(4).ahead()).isEqualTo(1);
    assertThat(spots.get(5).ahead()).isEqualTo(2);
  }

  @Test
  void since_manyChangesAgo_isAGapOrExact() {
    activateCalm(10, 10);
    List<EntryKey> all = joinMany("user", 6_000);
    Spot last = spot(placeOf(all.getLast().user()));
    for (int i = 0; i < 6_000 - 1; i += 500) {
      List<CompletionStage<Ended>> leaves = new ArrayList<>();
      all.subList(i, Math.min(i + 500, 5_999)).forEach(key -> leaves.add(queues().leave(key)));
      leaves.forEach(leave -> await(leave));
    }

    // A ledger makes few changes of this, the others one of each.
    switch (await(line().since(queue, last.change()))) {
      case Moved.Gap _ -> assertThat(figures().change() - last.change()).isGreaterThan(4_000);
      case Moved.Steps steps -> {
        assertThat(last.follow(steps.moves())).isEqualTo(Spot.Seen.NEARER);
        assertThat(last.ahead()).isZero();
      }
      case Moved.Older _ -> throw new AssertionError("nothing is older than that");
    }
  }

  /** As often as this may happen, nobody who finished is forgotten. */
  private static final int MAX_EXPIRIES = 5;

  private static final int PASS_SECONDS = 600;

  /** Hundreds in line, some leave, some go in, some come; beside it a plain list says who where. */
  @Test
  void locate_randomHistory_isExactForEveryone() {
    Seeded.histories(
        1,
        random -> {
          replay(random);
          // The next one begins without anybody.
          await(queues().delete(queue, Actor.SYSTEM));
        });
  }

  private void replay(Random random) {
    activate(
        Map.of(
            "maxCapacity",
            1_000_000,
            "entryBatchSize",
            1,
            "entryIntervalSeconds",
            CALM_SECONDS,
            "passTtlSeconds",
            PASS_SECONDS,
            "onExpiry",
            random.nextInt(3) == 0 ? "END" : "REQUEUE"));
    var history = new History(random);
    for (int step = 1; step <= 180; step++) {
      history.step(step);
      if (random.nextInt(3) == 0) {
        history.follow();
      }
      if (step % 15 == 0) {
        history.checkEveryone();
      } else {
        history.checkSomebody();
      }
    }
  }

  private final class History {

    private final Random random;
    private final List<EntryKey> waiting = new ArrayList<>(joinMany("user", 600));
    private final Map<EntryKey, Status> out = new HashMap<>();
    private final List<EntryKey> inside = new ArrayList<>();
    private final List<EntryKey> left = new ArrayList<>();
    private final Map<EntryKey, Long> lastAhead = new HashMap<>();
    private final Map<EntryKey, Spot> spots = new HashMap<>();

    /** In the order in which they came to the line. */
    private final Map<EntryKey, Long> tickets = new HashMap<>();

    private long lastChange;
    private int expiries;

    History(Random random) {
      this.random = random;
      watch(waiting);
    }

    private void watch(List<EntryKey> some) {
      List<Place> places = locateAll(some);
      IntStream.range(0, some.size()).forEach(i -> spots.put(some.get(i), spot(places.get(i))));
      some.forEach(key -> tickets.put(key, tickets.size() + 1L));
    }

    /** Where tickets are counted, they say the same as places. */
    private void checkTickets() {
      await(line().tickets(queue)).ifPresent(this::checkTickets);
    }

    private void checkTickets(Tickets said) {
      List<Long> all = waiting.stream().map(key -> requireNonNull(tickets.get(key))).toList();
      var range =
          all.isEmpty()
              ? Tickets.Range.empty(0)
              : new Tickets.Range(0, all.getFirst(), all.getLast());
      var model = new TreeSet<>(all);
      assertThat(said)
          .isEqualTo(
              Tickets.of(said.line(), List.of(range), (_, ticket) -> model.headSet(ticket).size()));
      var block = new Tile.Block(0, range.front() / 1_024 * 1_024, 1_024);
      assertThat(await(line().tile(queue, block)).orElseThrow())
          .isEqualTo(
              Tile.of(
                  said.line().change(),
                  range,
                  block,
                  List.copyOf(model.subSet(block.from(), block.upTo()))));
      assertThat(locateAll(waiting).stream().map(Place::ticket).toList()).isEqualTo(all);
    }

    /** All that watch stand where those who ask stand, whenever they began. */
    void follow() {
      long oldest = spots.values().stream().mapToLong(Spot::change).min().orElseThrow();
      List<Move> moves = since(oldest).moves();
      spots.values().removeIf(spot -> spot.follow(moves) == Spot.Seen.OUT);
      assertThat(spots.keySet()).isEqualTo(Set.copyOf(waiting));
      for (int i = 0; i < waiting.size(); i++) {
        assertThat(requireNonNull(spots.get(waiting.get(i))).ahead()).isEqualTo(i);
      }
    }

    void step(int number) {
      if (expiries < MAX_EXPIRIES && random.nextInt(40) == 0) {
        expireAll();
        return;
      }
      switch (random.nextInt(6)) {
        case 0 -> {
          List<EntryKey> late = joinMany("late" + number + "-", 1 + random.nextInt(5));
          waiting.addAll(late);
          watch(late);
        }
        case 1 -> {
          List<EntryKey> admitted = keys(admitByHand(1 + random.nextInt(8)));
          assertThat(admitted).isEqualTo(waiting.subList(0, admitted.size()));
          waiting.subList(0, admitted.size()).clear();
          inside.addAll(admitted);
        }
        case 2 -> {
          if (!inside.isEmpty()) {
            EntryKey done = inside.remove(random.nextInt(inside.size()));
            assertThat(complete(done)).isEqualTo(Ended.DONE);
            out.put(done, Status.COMPLETED);
          }
        }
        default -> {
          if (!waiting.isEmpty()) {
            EntryKey gone = waiting.remove(random.nextInt(waiting.size()));
            assertThat(leave(gone)).isEqualTo(Ended.DONE);
            left.add(gone);
          }
        }
      }
    }

    /** Everybody's time is up; a step later they are out, or at the end of the line. */
    private void expireAll() {
      expiries++;
      advance(Duration.ofSeconds(PASS_SECONDS));
      Admitted.Done step = admitByHand(1 + random.nextInt(8));
      assertThat(step.expired()).isEqualTo(inside.size());
      assertThat(keys(step)).isEqualTo(waiting.subList(0, step.entries().size()));
      waiting.subList(0, step.entries().size()).clear();
      if (overview().queue().settings().stay().requeues()) {
        List<EntryKey> again =
            inside.stream()
                .sorted(Comparator.comparingLong(EntryKey::joined))
                .map(key -> placeOf(key.user()).entry().key())
                .toList();
        waiting.addAll(again);
        watch(again);
      } else {
        inside.forEach(key -> out.put(key, Status.EXPIRED));
      }
      inside.clear();
      inside.addAll(keys(step));
    }

    void checkSomebody() {
      if (!waiting.isEmpty()) {
        int at = random.nextInt(waiting.size());
        checkWaiting(at, placeOf(waiting.get(at).user()));
      }
    }

    void checkEveryone() {
      List<Place> places = locateAll(waiting);
      for (int i = 0; i < places.size(); i++) {
        checkWaiting(i, places.get(i));
      }
      for (EntryKey key : inside) {
        assertThat(placeOf(key.user()).entry().key()).isEqualTo(key);
        assertThat(statusOf(key.user())).isEqualTo(Status.ENTERED);
      }
      out.forEach((key, status) -> assertThat(statusOf(key.user())).isEqualTo(status));
      for (EntryKey key : left) {
        assertThat(locate(key.user())).isEqualTo(new Standing.Unknown());
      }
      Figures figures = figures();
      assertThat(figures.waiting()).isEqualTo(waiting.size());
      assertThat(figures.inside()).isEqualTo(inside.size());
      assertThat(figures.change()).isEqualTo(lastChange);
      checkTickets();
    }

    private void checkWaiting(int at, Place place) {
      assertThat(place.entry()).isEqualTo(Entry.waiting(waiting.get(at)));
      assertThat(place.ahead()).isEqualTo(at);
      assertThat(place.line().waiting()).isEqualTo(waiting.size());
      assertThat(place.line().change()).isGreaterThanOrEqualTo(lastChange);
      lastChange = place.line().change();
      Long before = lastAhead.put(waiting.get(at), place.ahead());
      assertThat(place.ahead()).isLessThanOrEqualTo(before == null ? Long.MAX_VALUE : before);
    }
  }

  private List<Place> locateAll(List<EntryKey> keys) {
    List<CompletionStage<Standing>> asked =
        keys.stream().map(key -> line().locate(queue, key.user())).toList();
    return asked.stream().map(stage -> ((Standing.Found) await(stage)).place()).toList();
  }
}
