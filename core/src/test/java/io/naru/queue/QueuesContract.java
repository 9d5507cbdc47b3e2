package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.naru.admission.Pacing;
import io.naru.line.Standing;
import io.naru.queue.Entry.Status;
import io.naru.queue.Stay.CompletedBy;
import io.naru.support.PaceRecord;
import io.naru.support.Seeded;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every implementation of {@link Queues} promises. An implementation extends it, says how its
 * store is reached and how its clock is moved, and adds nothing.
 */
public abstract class QueuesContract extends QueueScenario {

  // Who may complete.

  @Test
  void complete_whereTheSiteAloneMay_refusesTheVisitorAndChangesNothing() {
    activateCalm(10, 10);
    activate(Map.of("completedBy", "SITE"));
    EntryKey ann = keyOf("ann");
    admitPaced();
    Figures before = figures();

    assertThat(complete(ann)).isEqualTo(Ended.SITE_ONLY);
    assertThat(figures()).isEqualTo(before);

    assertThat(await(queues().complete(ann, CompletedBy.SITE))).isEqualTo(Ended.DONE);
    assertThat(statusOf("ann")).isEqualTo(Status.COMPLETED);
    assertThat(complete(ann)).as("again, when it is done").isEqualTo(Ended.DONE);
    EntryKey bob = keyOf("bob");
    admitPaced();
    assertThat(leave(bob)).as("leaving is everybody's own").isEqualTo(Ended.DONE);
  }

  @Test
  void complete_bySiteWhereVisitorsMay_isDone() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();

    assertThat(await(queues().complete(ann, CompletedBy.SITE))).isEqualTo(Ended.DONE);
  }

  // Making and changing queues.

  @Test
  void edit_newQueue_isCreatedWithDefaults() {
    Edited edited = edit(Edit.activate(Map.of()));

    assertThat(edited).isInstanceOf(Edited.Created.class);
    Overview overview = ((Edited.Created) edited).overview();
    Queue made = overview.queue();
    assertThat(made.id()).isEqualTo(queue);
    assertThat(made.settings()).isEqualTo(Settings.DEFAULT);
    assertThat(made.state().isActive()).isTrue();
    assertThat(made.version()).isEqualTo(1);
    assertThat(made.createdAt()).isPositive();
    assertThat(made.activatedAt()).isGreaterThanOrEqualTo(made.createdAt());
    assertThat(made.deactivatedAt()).isZero();
    assertThat(overview.figures().joined()).isZero();
    assertThat(overview().queue()).isEqualTo(made);
  }

  @Test
  void edit_putNewQueue_isCreatedNotActive() {
    Edited edited = edit(Edit.put(Map.of("maxCapacity", 5), OptionalLong.empty()));

    assertThat(edited).isInstanceOf(Edited.Created.class);
    Queue made = overview().queue();
    assertThat(made.settings().pace().maxCapacity()).isEqualTo(5);
    assertThat(made.state().isActive()).isFalse();
    assertThat(made.activatedAt()).isZero();
    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
  }

  @Test
  void edit_everySetting_isKept() {
    var settings =
        new Settings(
            new Pace(7, 11, 13, Pacing.Kind.LEAKY_BUCKET, Optional.of(17), Optional.empty()),
            Times.DEFAULT,
            Fairness.DEFAULT,
            Lanes.NONE,
            Supply.DEFAULT,
            new Stay(17, Stay.OnExpiry.REQUEUE, true, CompletedBy.SITE),
            Fallback.DEFAULT,
            new Door(19, 23, 0, Optional.empty()),
            Reporting.DEFAULT,
            new Look(
                new Words(Map.of("", "나루 \"x\" {y} %s", "pt-BR", "Fila")),
                "https://shop.example/a?b=1&c=é#d",
                "#1A73e8",
                "https://cdn.example/logo.svg?v=1&w=é",
                Words.of("Today: 100 % \"off\" {z} 여러분"),
                "shop {a} \"b\"",
                Words.NONE,
                ""),
            Map.of());
    activate(settings.asMap());

    assertThat(overview().queue().settings()).isEqualTo(settings);
  }

  @Test
  void edit_settingsLeftOut_keepTheirValue() {
    activate(Map.of("maxCapacity", 5, "title", "Sale", "passTtlSeconds", 60));

    edit(Edit.put(Map.of("maxCapacity", 6), OptionalLong.empty()));
    edit(Edit.deactivate());
    activate(Map.of("entryBatchSize", 9));

    assertThat(overview().queue().settings())
        .isEqualTo(
            Settings.DEFAULT.with(
                Map.of(
                    "maxCapacity", 6, "title", "Sale", "passTtlSeconds", 60, "entryBatchSize", 9)));
  }

  @Test
  void edit_textSetToEmpty_isEmpty() {
    activate(Map.of("title", "Sale", "targetUrl", "https://shop.example/"));

    activate(Map.of("title", "", "targetUrl", ""));

    assertThat(overview().queue().settings()).isEqualTo(Settings.DEFAULT);
  }

  @Test
  void edit_eachChange_countsVersion() {
    assertThat(activate(Map.of()).queue().version()).isEqualTo(1);
    assertThat(activate(Map.of("maxCapacity", 5)).queue().version()).isEqualTo(2);
    edit(Edit.deactivate());
    assertThat(overview().queue().version()).isEqualTo(3);
    assertThat(activate(Map.of()).queue().version()).isEqualTo(4);
    assertThat(activate(Map.of("title", "Sale", "maxWaiting", 9)).queue().version()).isEqualTo(5);
  }

  @Test
  void edit_nothingChanged_keepsVersion() {
    activate(Map.of("maxCapacity", 5));

    assertThat(activate(Map.of()).queue().version()).isEqualTo(1);
    assertThat(activate(Map.of("maxCapacity", 5)).queue().version()).isEqualTo(1);
    edit(Edit.put(Map.of("maxCapacity", 5), OptionalLong.of(1)));
    assertThat(overview().queue().version()).isEqualTo(1);
  }

  @Test
  void edit_joinsAndAdmissions_keepVersion() {
    activateCalm(10, 10);
    keyOf("ann");
    admitPaced();

    assertThat(overview().queue().version()).isEqualTo(1);
  }

  @Test
  void edit_versionSeen_isTaken() {
    activate(Map.of());

    Edited edited = edit(Edit.put(Map.of("maxCapacity", 5), OptionalLong.of(1)));

    assertThat(edited).isInstanceOf(Edited.Updated.class);
    assertThat(((Edited.Updated) edited).overview().queue().version()).isEqualTo(2);
    assertThat(overview().queue().settings().pace().maxCapacity()).isEqualTo(5);
  }

  @Test
  void edit_versionOvertaken_conflictsAndChangesNothing() {
    activate(Map.of());
    activate(Map.of("maxCapacity", 5));
    Queue before = overview().queue();

    Edited edited = edit(Edit.put(Map.of("maxCapacity", 6), OptionalLong.of(1)));

    assertThat(edited).isEqualTo(new Edited.Conflict(2));
    assertThat(overview().queue()).isEqualTo(before);
  }

  @Test
  void edit_sameVersionSeenByMany_oneWins() {
    activate(Map.of());

    List<Edited> all =
        inParallel(8, i -> edit(Edit.put(Map.of("maxCapacity", 2_000 + i), OptionalLong.of(1))));

    assertThat(all).filteredOn(Edited.Updated.class::isInstance).hasSize(1);
    assertThat(all).filteredOn(new Edited.Conflict(2)::equals).hasSize(7);
  }

  @Test
  void edit_madeByMany_isCreatedOnce() {
    List<Edited> all = inParallel(8, _ -> edit(Edit.activate(Map.of())));

    assertThat(all).filteredOn(Edited.Created.class::isInstance).hasSize(1);
    assertThat(all).filteredOn(Edited.Updated.class::isInstance).hasSize(7);
    assertThat(overview().queue().version()).isEqualTo(1);
  }

  @Test
  void edit_beingMade_isNeverSeenHalfMade() {
    for (int round = 0; round < 100; round++) {
      QueueId fresh = newQueueId();
      var made = new AtomicInteger();
      inParallel(
          2,
          i -> {
            if (i == 0) {
              await(queues().edit(fresh, Edit.activate(Map.of("maxCapacity", 7))));
              return made.incrementAndGet();
            }
            while (made.get() == 0) {
              await(queues().find(fresh)).ifPresent(QueuesContract::assertWhollyMade);
            }
            return 0;
          });
      await(queues().delete(fresh, Actor.SYSTEM));
    }
  }

  private static void assertWhollyMade(Overview seen) {
    assertThat(seen.queue().version()).isEqualTo(1);
    assertThat(seen.queue().state().isActive()).isTrue();
    assertThat(seen.queue().settings().pace().maxCapacity()).isEqualTo(7);
  }

  @Test
  void edit_missingQueue_isNotMade() {
    assertThat(edit(Edit.deactivate())).isEqualTo(new Edited.NoQueue());
    assertThat(edit(Edit.put(Map.of("maxCapacity", 5), OptionalLong.of(1))))
        .isEqualTo(new Edited.NoQueue());
    var seenElsewhere = Edit.activate(Map.of()).ifVersion(OptionalLong.of(1));
    assertThat(edit(seenElsewhere)).isNotInstanceOf(Edited.Created.class);
    assertThat(await(queues().find(queue))).isEmpty();
  }

  static Stream<Arguments> badValues() {
    return Stream.of(
        arguments("maxCapacity", 0, "1..10000000"),
        arguments("maxCapacity", 10_000_001, "1..10000000"),
        arguments("entryBatchSize", 100_001, "1..100000"),
        arguments("entryBatchSize", "10", "1..100000"),
        arguments("entryIntervalSeconds", 0, "1..3600"),
        arguments("entryIntervalSeconds", 1.5, "1..3600"),
        arguments("pacing", "BUCKET", "STEPS or TOKEN_BUCKET or LEAKY_BUCKET"),
        arguments("burst", 0, "null, or 1..100000"),
        arguments("burst", 100_001L, "null, or 1..100000"),
        arguments("burst", "10", "null, or 1..100000"),
        arguments("passTtlSeconds", 9, "10..86400"),
        arguments("passTtlSeconds", Long.MAX_VALUE, "10..86400"),
        arguments("maxWaiting", -1, "1..10000000"),
        arguments("newPlacesPerMinute", 1_001, "0..1000"),
        arguments("onExpiry", "AGAIN", "END or REQUEUE"),
        arguments("once", "true", "true or false"),
        arguments("title", "a\u0000b", "200 characters"),
        arguments("targetUrl", "javascript:alert(1)", "https://"),
        arguments("maxCapacities", 5, "maxCapacity, "));
  }

  @ParameterizedTest
  @MethodSource("badValues")
  void edit_badValue_namesFieldAndRangeAndChangesNothing(
      String field, Object value, String allowed) {
    activate(Map.of("title", "before"));
    Queue before = overview().queue();

    InvalidValue problem = refusal(Edit.activate(withTitle(field, value)));

    assertThat(problem.field()).isEqualTo(field);
    assertThat(problem.allowed()).contains(allowed);
    assertThat(overview().queue()).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("badValues")
  void edit_badValueForNewQueue_makesNoQueue(String field, Object value, String allowed) {
    InvalidValue problem = refusal(Edit.activate(withTitle(field, value)));

    assertThat(problem.field()).isEqualTo(field);
    assertThat(problem.allowed()).contains(allowed);
    assertThat(await(queues().find(queue))).isEmpty();
    assertThat(ids(await(queues().list(null, 1_000)))).doesNotContain(queue);
    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.NO_QUEUE);
  }

  /** A good value beside the bad one: it must not be taken either. */
  private static Map<String, Object> withTitle(String field, Object value) {
    return field.equals("title") ? Map.of(field, value) : Map.of(field, value, "title", "after");
  }

  private InvalidValue refusal(Edit edit) {
    var stage = queues().edit(queue, edit);
    InvalidValue problem = catchThrowableOfType(InvalidValue.class, () -> await(stage));
    assertThat(problem).as("%s is refused", edit).isNotNull();
    return problem;
  }

  @Test
  void deactivate_peopleWaiting_keepTheirPlaces() {
    activateCalm(10, 10);
    keyOf("ann");
    EntryKey bob = keyOf("bob");

    edit(Edit.deactivate());

    Queue closed = overview().queue();
    assertThat(closed.state().isActive()).isFalse();
    assertThat(closed.deactivatedAt()).isGreaterThanOrEqualTo(closed.activatedAt());
    assertThat(placeOf("bob").entry()).isEqualTo(Entry.waiting(bob));
    assertThat(placeOf("bob").ahead()).isEqualTo(1);
    assertThat(edit(Edit.activate(Map.of()))).isInstanceOf(Edited.Updated.class);
    assertThat(placeOf("bob").ahead()).isEqualTo(1);
  }

  // Joining.

  @Test
  void join_unknownQueue_isRefused() {
    assertThat(join("ann")).isEqualTo(new Joined.Refused(Joined.Reason.NO_QUEUE, 0));
  }

  @Test
  void join_activeQueue_givesPlacesAtTheEnd() {
    activate(
        Map.of(
            "entryBatchSize", 7, "entryIntervalSeconds", 60, "targetUrl", "https://shop.example/"));
    long lastJoined = -1;
    long lastChange = -1;

    for (int i = 0; i < 20; i++) {
      Place place = joinNew("user" + i);

      assertThat(place.entry().key().queue()).isEqualTo(queue);
      assertThat(place.entry().key().user()).isEqualTo("user" + i);
      assertThat(place.entry()).isEqualTo(Entry.waiting(place.entry().key()));
      assertThat(place.ahead()).isEqualTo(i);
      assertThat(place.line().waiting()).isEqualTo(i + 1);
      assertThat(place.line().settings().pacing()).isEqualTo(new Pacing(7, 60));
      assertThat(place.line().settings().look().targetUrl()).isEqualTo("https://shop.example/");
      assertThat(place.entry().key().joined()).isGreaterThan(lastJoined);
      assertThat(place.line().change()).isGreaterThan(lastChange);
      lastJoined = place.entry().key().joined();
      lastChange = place.line().change();
    }
  }

  @Test
  void join_sameUserTwice_keepsFirstPlace() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    EntryKey bob = keyOf("bob");
    keyOf("cid");
    leave(ann);

    Joined again = join("bob");

    assertThat(again).isInstanceOf(Joined.AlreadyIn.class);
    Place place = ((Joined.AlreadyIn) again).place();
    assertThat(place.entry()).isEqualTo(Entry.waiting(bob));
    assertThat(place.ahead()).isZero();
    assertThat(place.line().waiting()).isEqualTo(2);
    assertThat(figures().joined()).isEqualTo(3);
  }

  @Test
  void join_userInside_keepsThatPlace() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    Entry inside = admitPaced().entries().getFirst();

    Joined again = join("ann");

    assertThat(again).isInstanceOf(Joined.AlreadyIn.class);
    assertThat(((Joined.AlreadyIn) again).place().entry()).isEqualTo(inside);
    assertThat(inside.key()).isEqualTo(ann);
    assertThat(figures().waiting()).isZero();
  }

  @Test
  void join_inactiveQueue_isRefusedUnlessAlreadyIn() {
    activateCalm(1, 10);
    EntryKey inside = keyOf("inside");
    EntryKey waiting = keyOf("waiting");
    admitPaced();
    edit(Edit.deactivate());

    assertThat(join("late")).isEqualTo(new Joined.Refused(Joined.Reason.NOT_ACTIVE, 0));
    assertThat(alreadyIn("inside").entry().key()).isEqualTo(inside);
    assertThat(alreadyIn("waiting").entry().key()).isEqualTo(waiting);
    assertThat(locate("late")).isEqualTo(new Standing.Unknown());
  }

  @Test
  void join_lineFull_isRefusedUnlessAlreadyIn() {
    activate(Map.of("maxWaiting", 2));
    keyOf("ann");
    EntryKey bob = keyOf("bob");

    assertThat(join("cid")).isEqualTo(new Joined.Refused(Joined.Reason.LINE_FULL, 0));
    assertThat(alreadyIn("bob").entry().key()).isEqualTo(bob);
    admitByHand(1);
    assertThat(joinNew("cid").ahead()).isEqualTo(1);
    assertThat(refused("dan").reason()).isEqualTo(Joined.Reason.LINE_FULL);
  }

  @Test
  void join_lineFullAskedByMany_neverHoldsMore() {
    activate(Map.of("maxWaiting", 50));

    List<Joined> all = inParallel(200, i -> join("user" + i));

    assertThat(all).filteredOn(Joined.Waiting.class::isInstance).hasSize(50);
    assertThat(figures().waiting()).isEqualTo(50);
  }

  @Test
  void join_idsThatSortOtherwise_keepOrderOfArrival() {
    activateCalm(10, 10);
    List<String> users = List.of("u:9", "u:10", "u:1", "b", "a", "Z", "~", "!", "10", "9", "{x}");
    users.forEach(this::keyOf);

    assertThat(keys(admitByHand(100)).stream().map(EntryKey::user)).isEqualTo(users.subList(0, 10));
    assertThat(placeOf("{x}").ahead()).isZero();
  }

  @Test
  void join_manyThreads_positionsAreUnique() {
    activateCalm(10_000, 10_000);
    List<Place> places =
        inParallel(20, t -> joinRange(t * 250, 250)).stream().flatMap(List::stream).toList();

    assertThat(places).hasSize(5_000);
    assertThat(places.stream().map(Place::ahead).sorted())
        .containsExactlyElementsOf(IntStream.range(0, 5_000).mapToObj(i -> (long) i).toList());
    List<Place> byPlace = places.stream().sorted(Comparator.comparingLong(Place::ahead)).toList();
    assertThat(byPlace.stream().map(place -> place.entry().key().joined()).distinct())
        .hasSize(5_000)
        .isSorted();
    assertThat(figures().waiting()).isEqualTo(5_000);
  }

  private List<Place> joinRange(int from, int count) {
    return IntStream.range(from, from + count).mapToObj(i -> joinNew("user" + i)).toList();
  }

  @Test
  void join_oneUserThousandTimesAtOnce_hasOnePlace() {
    activateCalm(10, 10);
    keyOf("first");

    List<Joined> all =
        inParallel(20, _ -> IntStream.range(0, 50).mapToObj(_ -> join("ann")).toList()).stream()
            .flatMap(List::stream)
            .toList();

    List<Place> made =
        all.stream()
            .filter(Joined.Waiting.class::isInstance)
            .map(joined -> ((Joined.Waiting) joined).place())
            .toList();
    List<Place> found =
        all.stream()
            .filter(Joined.AlreadyIn.class::isInstance)
            .map(joined -> ((Joined.AlreadyIn) joined).place())
            .toList();
    assertThat(made).hasSize(1);
    assertThat(found).hasSize(999);
    assertThat(found)
        .allSatisfy(
            place -> {
              assertThat(place.entry()).isEqualTo(made.getFirst().entry());
              assertThat(place.ahead()).isEqualTo(1);
            });
    assertThat(figures().joined()).isEqualTo(2);
  }

  private Place alreadyIn(String user) {
    Joined joined = join(user);
    assertThat(joined).isInstanceOf(Joined.AlreadyIn.class);
    return ((Joined.AlreadyIn) joined).place();
  }

  // The limit on new places.

  @Test
  void join_fourthNewPlaceInAMinute_isTooOften() {
    activateCalm(10, 10);
    joinMany("other", 5);
    for (int i = 0; i < 3; i++) {
      leave(keyOf("ann"));
    }

    Joined.Refused refused = refused("ann");

    assertThat(refused.reason()).isEqualTo(Joined.Reason.TOO_OFTEN);
    assertThat(refused.retryAfterSeconds()).isBetween(1L, 60L);
    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
    assertThat(joinNew("bob").ahead()).isEqualTo(5);
    advance(Duration.ofSeconds(61));
    assertThat(joinNew("ann").ahead()).isEqualTo(6);
  }

  @Test
  void join_newPlacesSpreadOut_countWithinAnyMinute() {
    activateCalm(10, 10);
    for (int i = 0; i < 3; i++) {
      leave(keyOf("ann"));
      advance(Duration.ofSeconds(15));
    }

    assertThat(refused("ann").retryAfterSeconds()).isBetween(1L, 15L);
    advance(Duration.ofSeconds(15));
    leave(keyOf("ann"));
    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.TOO_OFTEN);
  }

  @Test
  void join_waitAsLongAsTold_isAllowed() {
    activateCalm(10, 10);
    for (int i = 0; i < 3; i++) {
      leave(keyOf("ann"));
    }

    advance(Duration.ofSeconds(refused("ann").retryAfterSeconds()));

    joinNew("ann");
  }

  @Test
  void join_completedEachTime_countsAsWell() {
    activateCalm(10, 10);
    for (int i = 0; i < 3; i++) {
      EntryKey ann = keyOf("ann");
      admitByHand(1);
      complete(ann);
    }

    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.TOO_OFTEN);
    assertThat(statusOf("ann")).isEqualTo(Status.COMPLETED);
  }

  @Test
  void join_expiredEachTime_countsAsWell() {
    activate(Map.of("passTtlSeconds", 10));
    for (int i = 0; i < 3; i++) {
      keyOf("ann");
      admitByHand(1);
      advance(Duration.ofSeconds(10));
    }

    Figures before = figures();
    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.TOO_OFTEN);
    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
    Figures after = figures();
    assertThat(after.change() > before.change() || after.inside() == before.inside())
        .as("figures that differ have another number: %s, %s", before, after)
        .isTrue();
  }

  @Test
  void join_repeatsThatFindTheirPlace_doNotCount() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    for (int i = 0; i < 20; i++) {
      assertThat(alreadyIn("ann").entry().key()).isEqualTo(ann);
    }
    leave(ann);

    joinNew("ann");
  }

  @Test
  void join_refusalsThatMadeNoPlace_doNotCount() {
    activate(Map.of("maxWaiting", 1));
    EntryKey other = keyOf("other");
    for (int i = 0; i < 5; i++) {
      assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.LINE_FULL);
    }
    leave(other);

    joinNew("ann");
  }

  @Test
  void join_limitSetToZero_isNotLimited() {
    activate(Map.of("newPlacesPerMinute", 0));

    for (int i = 0; i < 10; i++) {
      assertThat(leave(keyOf("ann"))).isEqualTo(Ended.DONE);
    }
  }

  @Test
  void join_limitOfOne_refusesTheSecond() {
    activate(Map.of("newPlacesPerMinute", 1));
    leave(keyOf("ann"));

    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.TOO_OFTEN);
  }

  // Leaving.

  @Test
  void leave_fromTheMiddle_movesThoseBehindUpByOne() {
    activateCalm(10, 10);
    List<EntryKey> all = joinMany("user", 10);
    long before = figures().change();

    assertThat(leave(all.get(4))).isEqualTo(Ended.DONE);

    for (int i = 0; i < 10; i++) {
      if (i == 4) {
        assertThat(locate(all.get(i).user())).isEqualTo(new Standing.Unknown());
      } else {
        Place place = placeOf(all.get(i).user());
        assertThat(place.ahead()).isEqualTo(i < 4 ? i : i - 1);
        assertThat(place.line().waiting()).isEqualTo(9);
        assertThat(place.line().change()).isGreaterThan(before);
      }
    }
    assertThat(figures().left()).isEqualTo(1);
  }

  @Test
  void leave_repeated_isUnknown() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");

    assertThat(leave(ann)).isEqualTo(Ended.DONE);
    assertThat(leave(ann)).isEqualTo(Ended.UNKNOWN);
    assertThat(figures().left()).isEqualTo(1);
  }

  @Test
  void leave_unknownQueueOrUser_isUnknown() {
    assertThat(leave(new EntryKey(queue, "ann", 1))).isEqualTo(Ended.UNKNOWN);
    activateCalm(10, 10);
    assertThat(leave(new EntryKey(queue, "ann", 1))).isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void leave_oldEntry_doesNotHitTheNextOne() {
    activateCalm(10, 10);
    EntryKey old = keyOf("ann");
    leave(old);
    EntryKey next = keyOf("ann");

    assertThat(next).isNotEqualTo(old);
    assertThat(leave(old)).isEqualTo(Ended.UNKNOWN);
    assertThat(placeOf("ann").entry().key()).isEqualTo(next);
    admitByHand(1);
    assertThat(leave(old)).isEqualTo(Ended.UNKNOWN);
    assertThat(statusOf("ann")).isEqualTo(Status.ENTERED);
  }

  @Test
  void leave_fromInside_freesThePlace() {
    activateCalm(1, 10);
    EntryKey ann = keyOf("ann");
    EntryKey bob = keyOf("bob");
    admitPaced();
    assertThat(admitPaced().entries()).isEmpty();

    assertThat(leave(ann)).isEqualTo(Ended.DONE);

    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
    assertThat(figures().inside()).isZero();
    assertThat(leave(ann)).isEqualTo(Ended.UNKNOWN);
    assertThat(complete(ann)).isEqualTo(Ended.UNKNOWN);
    assertThat(keys(admitPaced())).containsExactly(bob);
  }

  @Test
  void leave_inactiveQueue_isDone() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    edit(Edit.deactivate());

    assertThat(leave(ann)).isEqualTo(Ended.DONE);
    assertThat(figures().waiting()).isZero();
  }

  // Admission on the beat.

  @Test
  void admitPaced_unknownOrInactiveQueue_admitsNobody() {
    var paced = new Admission.Paced();
    assertThat(admit(paced)).isEqualTo(new Admitted.NoQueue());
    activateCalm(10, 10);
    keyOf("ann");
    edit(Edit.deactivate());

    assertThat(admit(paced)).isInstanceOf(Admitted.NotActive.class);
    assertThat(statusOf("ann")).isEqualTo(Status.WAITING);
  }

  @Test
  void admitPaced_justActivated_admitsOneBatchAtOnce() {
    activateCalm(100, 5);
    List<EntryKey> all = joinMany("user", 12);

    Admitted.Done step = admitPaced();

    assertThat(keys(step)).isEqualTo(all.subList(0, 5));
    assertThat(step.entries())
        .allSatisfy(
            entry -> {
              assertThat(entry.status()).isEqualTo(Status.ENTERED);
              assertThat(entry.entered()).isPositive();
              assertThat(entry.until()).isEqualTo(entry.entered() + 86_400 * Micros.PER_SECOND);
              assertThat(placeOf(entry.key().user()).entry()).isEqualTo(entry);
            });
    assertThat(step.more()).isFalse();
    assertThat(step.expired()).isZero();
    assertThat(step.figures().waiting()).isEqualTo(7);
    assertThat(step.figures().inside()).isEqualTo(5);
    assertThat(step.figures().entered()).isEqualTo(5);
    assertThat(placeOf(all.get(5).user()).ahead()).isZero();
  }

  @Test
  void admitPaced_allowanceSpent_waitsForTheRefill() {
    activateCalm(100, 5);
    joinMany("user", 12);
    admitPaced();

    Admitted.Done spent = admitPaced();
    assertThat(spent.entries()).isEmpty();
    assertThat(spent.more()).isFalse();
    assertThat(spent.nextRefillMicros()).isBetween(1L, CALM_SECONDS * Micros.PER_SECOND);
    advance(CALM.minus(SLACK));
    assertThat(admitPaced().entries()).isEmpty();
    advance(SLACK);
    assertThat(admitPaced().entries()).hasSize(5);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_longAway_doesNotCatchUp() {
    activateCalm(100, 5);
    joinMany("user", 30);
    admitPaced();

    advance(CALM.multipliedBy(10));

    assertThat(admitPaced().entries()).hasSize(5);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_unusedAllowance_doesNotAddUp() {
    activateCalm(100, 5);
    admitPaced();
    advance(CALM.multipliedBy(3));
    admitPaced();
    advance(CALM);
    joinMany("user", 30);

    assertThat(admitPaced().entries()).hasSize(5);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_leftover_isUsableUntilTheRefill() {
    activateCalm(100, 10);
    joinMany("early", 4);
    assertThat(admitPaced().entries()).hasSize(4);
    joinMany("late", 20);

    assertThat(admitPaced().entries()).hasSize(6);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_lateTick_doesNotMoveTheGrid() {
    activateCalm(100, 5);
    joinMany("user", 30);
    admitPaced();

    advance(CALM.plus(CALM.dividedBy(2)));
    Admitted.Done late = admitPaced();
    assertThat(late.entries()).hasSize(5);
    long half = CALM_SECONDS * Micros.PER_SECOND / 2;
    assertThat(late.nextRefillMicros())
        .isBetween(half - SLACK.toSeconds() * Micros.PER_SECOND, half);
    advance(CALM.dividedBy(2));

    assertThat(admitPaced().entries()).hasSize(5);
  }

  @Test
  void admitPaced_capacityFull_admitsNobody() {
    activateCalm(3, 10);
    List<EntryKey> all = joinMany("user", 6);

    Admitted.Done step = admitPaced();
    assertThat(step.entries()).hasSize(3);
    assertThat(step.more()).isFalse();
    assertThat(admitPaced().entries()).isEmpty();
    advance(CALM);
    assertThat(admitPaced().entries()).isEmpty();
    complete(all.getFirst());
    assertThat(keys(admitPaced())).containsExactly(all.get(3));
    assertThat(figures().inside()).isEqualTo(3);
  }

  @Test
  void admitPaced_moreThanOneStep_goesOnInOrder() {
    activateCalm(10_000, 2_300);
    List<EntryKey> all = joinMany("user", 2_500);
    List<EntryKey> admitted = new ArrayList<>();

    Admitted.Done first = admitPaced();
    Admitted.Done second = admitPaced();
    Admitted.Done third = admitPaced();
    List.of(first, second, third).forEach(step -> admitted.addAll(keys(step)));

    assertThat(first.entries()).hasSize(Admission.MAX_STEP);
    assertThat(first.more()).isTrue();
    assertThat(second.entries()).hasSize(Admission.MAX_STEP);
    assertThat(second.more()).isTrue();
    assertThat(third.entries()).hasSize(300);
    assertThat(third.more()).isFalse();
    assertThat(admitted).isEqualTo(all.subList(0, 2_300));
  }

  @Test
  void admitPaced_emptyLine_admitsNobodyAndHasNoMore() {
    activateCalm(10, 10);

    Admitted.Done step = admitPaced();

    assertThat(step.entries()).isEmpty();
    assertThat(step.more()).isFalse();
    assertThat(step.nextRefillMicros()).isBetween(1L, CALM_SECONDS * Micros.PER_SECOND);
  }

  @Test
  void admitPaced_activatedAgainWhileActive_getsNoNewAllowance() {
    activateCalm(100, 5);
    joinMany("user", 12);
    admitPaced();

    activate(Map.of());
    activate(Map.of("title", "Sale"));

    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_closedAndOpenedAgain_getsNoNewAllowance() {
    activateCalm(100, 5);
    joinMany("user", 30);
    assertThat(admitPaced().entries()).hasSize(5);

    for (int i = 0; i < 4; i++) {
      edit(Edit.deactivate());
      activate(Map.of());
      assertThat(admitPaced().entries()).isEmpty();
    }
    advance(CALM);
    assertThat(admitPaced().entries()).hasSize(5);
  }

  @Test
  void admitPaced_closedAndOpenedAgain_keepsWhatIsLeft() {
    activateCalm(3, 5);
    List<EntryKey> all = joinMany("user", 30);
    admitPaced();
    edit(Edit.deactivate());
    all.subList(0, 3).forEach(this::complete);

    activate(Map.of());

    assertThat(admitPaced().entries()).hasSize(2);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_reopenedAfterLong_admitsOneBatchAtOnceOnItsGrid() {
    activateCalm(100, 5);
    joinMany("user", 30);
    admitPaced();
    edit(Edit.deactivate());
    advance(CALM.multipliedBy(5).dividedBy(2));

    activate(Map.of());

    Admitted.Done step = admitPaced();
    assertThat(step.entries()).hasSize(5);
    assertThat(seconds(step.nextRefillMicros()))
        .isBetween(CALM_SECONDS / 2 - SLACK.toSeconds(), (long) CALM_SECONDS / 2);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_firstOpenedLongAfterItWasMade_admitsOneBatchAndWaitsOneInterval() {
    edit(Edit.put(Map.of("entryIntervalSeconds", CALM_SECONDS), OptionalLong.empty()));
    advance(CALM.multipliedBy(5).dividedBy(2));
    activateCalm(100, 5);
    joinMany("user", 30);

    Admitted.Done step = admitPaced();

    assertThat(step.entries()).hasSize(5);
    assertThat(seconds(step.nextRefillMicros()))
        .isBetween(CALM_SECONDS - SLACK.toSeconds(), (long) CALM_SECONDS);
  }

  @Test
  void admitPaced_intervalShortenedAndBack_getsNoNewAllowance() {
    activateCalm(100, 5);
    joinMany("user", 30);
    admitPaced();
    advance(Duration.ofSeconds(1_000));

    for (int i = 0; i < 4; i++) {
      activate(Map.of("entryIntervalSeconds", CALM_SECONDS / 4));
      assertThat(admitPaced().entries()).isEmpty();
      activate(Map.of("entryIntervalSeconds", CALM_SECONDS));
      assertThat(admitPaced().entries()).isEmpty();
    }
    assertThat(seconds(admitPaced().nextRefillMicros()))
        .isBetween(CALM_SECONDS - 1_000 - SLACK.toSeconds(), (long) CALM_SECONDS - 1_000);
  }

  @Test
  void admitPaced_intervalShortened_countsFromNow() {
    activateCalm(100, 5);
    joinMany("user", 30);
    admitPaced();
    advance(CALM.dividedBy(2));

    activate(Map.of("entryIntervalSeconds", CALM_SECONDS / 2));

    assertThat(admitPaced().entries()).isEmpty();
    advance(CALM.dividedBy(4));
    assertThat(admitPaced().entries()).hasSize(5);
  }

  /** Rule: whatever an operator does, nobody goes in faster than the rates that were set. */
  @Test
  void admitPaced_openedClosedAndEditedAtRandom_neverExceedsTheRates() {
    Seeded.histories(2, random -> paceAtRandom(random, Pacing.Kind.STEPS));
    Seeded.histories(3, random -> paceAtRandom(random, Pacing.Kind.values()));
  }

  /** Also by an operator who cannot decide, more often than the rate is worth a step. */
  @Test
  void admitPaced_batchGoesUpAndDown_isNoSlowerThanTheSmallerOne() {
    activateCalm(1_000, 10);
    joinMany("user", 60);
    int admitted = admitPaced().entries().size();
    assertThat(admitted).isEqualTo(10);

    for (int i = 0; i < 31; i++) {
      int batch = i % 2 == 0 ? 5 : 10;
      edit(Edit.put(Map.of("entryBatchSize", batch), OptionalLong.empty()));
      advance(CALM.dividedBy(10));
      admitted += admitPaced().entries().size();
    }

    assertThat(admitted).as("and three hours at five or ten an hour").isBetween(25, 40);
  }

  private void paceAtRandom(Random random, Pacing.Kind... kinds) {
    Pacing pacing = randomPacing(random, kinds);
    Map<String, Object> first = new HashMap<>(settingsOf(pacing));
    first.putAll(Map.of("maxCapacity", 1_000, "passTtlSeconds", 86_400));
    activate(first);
    List<EntryKey> all = joinMany("user", 400);
    advance(Duration.ofSeconds(1));
    var record = new PaceRecord(pacing);
    for (int i = 0; i < 60; i++) {
      switch (random.nextInt(4)) {
        case 0 -> edit(Edit.deactivate());
        case 1 -> activate(Map.of());
        case 2 -> {
          pacing = randomPacing(random, kinds);
          long before = timeOf(figures(), all);
          edit(Edit.put(settingsOf(pacing), OptionalLong.empty()));
          record.changed(before, timeOf(figures(), all), pacing);
        }
        default -> {
          long part = pacing.intervalMicros() / (1 + random.nextInt(4));
          advance(Duration.of(part, ChronoUnit.MICROS));
        }
      }
      if (admit(new Admission.Paced()) instanceof Admitted.Done step) {
        record.admitted(timeOf(step.figures(), all), step.entries().size());
      }
    }
    record.assertKept();
    await(queues().delete(queue, Actor.SYSTEM));
  }

  private static Pacing randomPacing(Random random, Pacing.Kind... kinds) {
    int[] seconds = {20, 60, 600, 3_600};
    return Pacing.of(
        kinds[random.nextInt(kinds.length)],
        1 + random.nextInt(6),
        seconds[random.nextInt(seconds.length)],
        1 + random.nextInt(12));
  }

  private static Map<String, Object> settingsOf(Pacing pacing) {
    return Map.of(
        "entryBatchSize", pacing.batch(),
        "entryIntervalSeconds", pacing.intervalSeconds(),
        "pacing", pacing.kind().name(),
        "burst", pacing.burst());
  }

  /** Opens the queue with a bucket that earns so many in {@link #CALM}. */
  private void activateBucket(Pacing.Kind kind, int batch, int burst) {
    activate(
        Map.of(
            "maxCapacity",
            1_000,
            "entryBatchSize",
            batch,
            "entryIntervalSeconds",
            CALM_SECONDS,
            "passTtlSeconds",
            86_400,
            "pacing",
            kind.name(),
            "burst",
            burst));
  }

  @Test
  void admitPaced_tokenBucket_isOneBurstAndThenOneByOne() {
    activateBucket(Pacing.Kind.TOKEN_BUCKET, 4, 6);
    joinMany("user", 40);

    assertThat(admitPaced().entries()).hasSize(6);
    Admitted.Done spent = admitPaced();
    assertThat(spent.entries()).isEmpty();
    assertThat(spent.more()).isFalse();
    assertThat(seconds(spent.nextRefillMicros()))
        .isBetween(CALM_SECONDS / 4 - SLACK.toSeconds(), (long) CALM_SECONDS / 4);
    advance(CALM.dividedBy(4).minus(SLACK));
    assertThat(admitPaced().entries()).isEmpty();
    advance(SLACK);
    assertThat(admitPaced().entries()).hasSize(1);
    advance(CALM.dividedBy(2));
    assertThat(admitPaced().entries()).hasSize(2);
    advance(CALM.multipliedBy(10));
    assertThat(admitPaced().entries()).hasSize(6);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_leakyBucket_isOneByOne() {
    activateBucket(Pacing.Kind.LEAKY_BUCKET, 4, 6);
    joinMany("user", 40);

    for (int i = 0; i < 3; i++) {
      assertThat(admitPaced().entries()).hasSize(1);
      assertThat(admitPaced().entries()).isEmpty();
      // However long nobody looked.
      advance(CALM.multipliedBy(i + 1).dividedBy(4));
    }
  }

  @Test
  void admitPaced_kindChanged_keepsWhatIsLeftAndNoMore() {
    activateBucket(Pacing.Kind.TOKEN_BUCKET, 4, 6);
    joinMany("user", 40);

    for (int i = 0; i < 2; i++) {
      edit(Edit.deactivate());
      activate(Map.of("pacing", "LEAKY_BUCKET"));
      assertThat(admitPaced().entries()).hasSize(i == 0 ? 1 : 0);
      activate(Map.of("pacing", "TOKEN_BUCKET", "burst", 9));
      assertThat(admitPaced().entries()).isEmpty();
      activate(Map.of("pacing", "STEPS"));
      assertThat(admitPaced().entries()).isEmpty();
    }
    advance(CALM);
    assertThat(admitPaced().entries()).hasSize(4);
    assertThat(overview().queue().settings().pace().pacing()).isEqualTo(Pacing.Kind.STEPS);
  }

  /** What a bucket has earned must outlive the steps that take whole people out of it. */
  @Test
  void admitPaced_bucketLookedIntoOften_losesNothing() {
    activateBucket(Pacing.Kind.TOKEN_BUCKET, 7, 2);
    joinMany("user", 40);
    int admitted = admitPaced().entries().size();
    for (int i = 0; i < 36; i++) {
      advance(CALM.dividedBy(36));
      admitted += admitPaced().entries().size();
    }
    assertThat(admitted).isEqualTo(2 + 7);
  }

  /** The store's time, which shows in how long the first of those who are left has waited. */
  private static long timeOf(Figures figures, List<EntryKey> all) {
    return all.get((int) figures.entered()).joined() + figures.longestWaitMicros();
  }

  @Test
  void admitPaced_batchLowered_cutsWhatIsLeft() {
    activateCalm(100, 10);
    joinMany("user", 30);

    activate(Map.of("entryBatchSize", 3));

    assertThat(admitPaced().entries()).hasSize(3);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitPaced_batchRaised_countsFromTheNextRefill() {
    activateCalm(100, 3);
    joinMany("user", 30);

    activate(Map.of("entryBatchSize", 10));

    assertThat(admitPaced().entries()).hasSize(3);
    advance(CALM);
    assertThat(admitPaced().entries()).hasSize(10);
  }

  @Test
  void admitPaced_capacityLoweredBelowInside_admitsNobody() {
    activateCalm(5, 10);
    List<EntryKey> all = joinMany("user", 10);
    admitPaced();

    activate(Map.of("maxCapacity", 2));

    assertThat(admitPaced().entries()).isEmpty();
    assertThat(admitByHand(10).entries()).isEmpty();
    assertThat(figures().inside()).isEqualTo(5);
    all.subList(0, 3).forEach(this::complete);
    assertThat(admitPaced().entries()).isEmpty();
    complete(all.get(3));
    assertThat(keys(admitPaced())).containsExactly(all.get(5));
  }

  // Admission by hand.

  @Test
  void admitByHand_besideTheRate_leavesTheAllowance() {
    activateCalm(100, 2);
    List<EntryKey> all = joinMany("user", 10);

    assertThat(keys(admitByHand(3))).isEqualTo(all.subList(0, 3));
    assertThat(keys(admitPaced())).isEqualTo(all.subList(3, 5));
    assertThat(keys(admitByHand(1))).isEqualTo(all.subList(5, 6));
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admitByHand_beyondCapacity_stopsThere() {
    activateCalm(4, 2);
    joinMany("user", 10);

    Admitted.Done step = admitByHand(100_000);

    assertThat(step.entries()).hasSize(4);
    assertThat(step.more()).isFalse();
    assertThat(admitByHand(1).entries()).isEmpty();
    assertThat(figures().inside()).isEqualTo(4);
  }

  @Test
  void admitByHand_moreThanOneStep_goesOnInOrder() {
    activateCalm(10_000, 1);
    List<EntryKey> all = joinMany("user", 2_500);
    List<EntryKey> admitted = new ArrayList<>();

    Admitted.Done step;
    do {
      step = admitByHand(2_200 - admitted.size());
      assertThat(step.entries()).hasSizeBetween(1, Admission.MAX_STEP);
      admitted.addAll(keys(step));
      assertThat(step.more()).isEqualTo(admitted.size() < 2_200);
    } while (admitted.size() < 2_200);

    assertThat(admitted).isEqualTo(all.subList(0, 2_200));
    Admitted.Done rest = admitByHand(1_000);
    assertThat(rest.entries()).hasSize(300);
    assertThat(rest.more()).isFalse();
  }

  @Test
  void admitByHand_unknownOrInactiveQueue_admitsNobody() {
    assertThat(admit(new Admission.ByHand(1, Actor.SYSTEM))).isEqualTo(new Admitted.NoQueue());
    activateCalm(10, 10);
    keyOf("ann");
    edit(Edit.deactivate());

    assertThat(admit(new Admission.ByHand(1, Actor.SYSTEM))).isInstanceOf(Admitted.NotActive.class);
    assertThat(statusOf("ann")).isEqualTo(Status.WAITING);
  }

  // Staying inside for too long.

  @Test
  void expire_timeIsUp_isExpiredBeforeAnySweep() {
    activate(Map.of("passTtlSeconds", 60));
    EntryKey ann = keyOf("ann");
    Entry inside = admitPaced().entries().getFirst();
    advance(Duration.ofSeconds(30));
    assertThat(statusOf("ann")).isEqualTo(Status.ENTERED);

    advance(Duration.ofSeconds(30));

    assertThat(placeOf("ann").entry())
        .isEqualTo(new Entry(ann, Status.EXPIRED, inside.entered(), inside.until()));
    assertThat(complete(ann)).isEqualTo(Ended.NOT_INSIDE);
    assertThat(leave(ann)).isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void expire_swept_freesThePlaceAndStaysKnown() {
    activate(Map.of("passTtlSeconds", 60, "maxCapacity", 2));
    List<EntryKey> all = joinMany("user", 3);
    List<Entry> inside = admitPaced().entries();
    advance(Duration.ofSeconds(60));

    Admitted.Done sweep = admitPaced();

    assertThat(sweep.expired()).isEqualTo(2);
    assertThat(keys(sweep)).containsExactly(all.get(2));
    assertThat(sweep.figures().inside()).isEqualTo(1);
    assertThat(sweep.figures().expired()).isEqualTo(2);
    assertThat(placeOf(all.getFirst().user()).entry())
        .isEqualTo(
            new Entry(
                all.getFirst(),
                Status.EXPIRED,
                inside.getFirst().entered(),
                inside.getFirst().until()));
    assertThat(complete(all.getFirst())).isEqualTo(Ended.NOT_INSIDE);
    assertThat(leave(all.getFirst())).isEqualTo(Ended.UNKNOWN);
    assertThat(admitPaced().expired()).isZero();
  }

  @Test
  void expire_beforeSweep_mayJoinAnew() {
    activate(Map.of("passTtlSeconds", 10, "maxCapacity", 1));
    EntryKey first = keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(10));

    EntryKey second = keyOf("ann");

    assertThat(second.joined()).isGreaterThan(first.joined());
    assertThat(placeOf("ann").entry()).isEqualTo(Entry.waiting(second));
    assertThat(complete(first)).isEqualTo(Ended.UNKNOWN);
    assertThat(keys(admitPaced())).containsExactly(second);
    assertThat(figures().inside()).isEqualTo(1);
    assertThat(figures().expired()).isEqualTo(1);
  }

  @Test
  void expire_afterSweep_mayJoinAnew() {
    activate(Map.of("passTtlSeconds", 10));
    EntryKey first = keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(10));
    admitPaced();

    EntryKey second = keyOf("ann");

    assertThat(placeOf("ann").entry()).isEqualTo(Entry.waiting(second));
    assertThat(complete(first)).isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void expire_inactiveQueue_stillSweeps() {
    activate(Map.of("passTtlSeconds", 10));
    keyOf("ann");
    admitPaced();
    edit(Edit.deactivate());
    advance(Duration.ofSeconds(10));

    Admitted sweep = admit(new Admission.Paced());

    assertThat(sweep)
        .isInstanceOfSatisfying(
            Admitted.NotActive.class,
            inactive -> {
              assertThat(inactive.expired()).isEqualTo(1);
              assertThat(inactive.figures().inside()).isZero();
              assertThat(inactive.figures().expired()).isEqualTo(1);
            });
    assertThat(figures().inside()).isZero();
    assertThat(figures().expired()).isEqualTo(1);
    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
  }

  @Test
  void expire_moreThanOneStep_goesOn() {
    activate(Map.of("passTtlSeconds", 10, "maxCapacity", 2_000, "entryBatchSize", 2_000));
    joinMany("user", 1_500);
    while (admitPaced().more()) {}
    assertThat(figures().inside()).isEqualTo(1_500);
    advance(Duration.ofSeconds(10));

    Admitted.Done first = admitPaced();
    assertThat(first.expired()).isEqualTo(Admission.MAX_STEP);
    assertThat(first.more()).isTrue();
    Admitted.Done second = admitPaced();
    assertThat(second.expired()).isEqualTo(500);
    assertThat(second.more()).isFalse();
    assertThat(second.figures().inside()).isZero();
    assertThat(second.figures().expired()).isEqualTo(1_500);
  }

  @Test
  void expire_ttlChanged_countsForThoseAdmittedAfter() {
    activate(Map.of("passTtlSeconds", 60));
    Entry first = admitted("ann");
    activate(Map.of("passTtlSeconds", 600));
    Entry second = admitted("bob");

    assertThat(first.until() - first.entered()).isEqualTo(60 * Micros.PER_SECOND);
    assertThat(second.until() - second.entered()).isEqualTo(600 * Micros.PER_SECOND);
    advance(Duration.ofSeconds(60));
    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
    assertThat(statusOf("bob")).isEqualTo(Status.ENTERED);
    assertThat(admitPaced().expired()).isEqualTo(1);
  }

  private Entry admitted(String user) {
    keyOf(user);
    return admitByHand(1).entries().getFirst();
  }

  // How the entry ended that was before the present one.

  private Entry expired(String user) {
    Entry inside = admitted(user);
    advance(Duration.ofSeconds(60));
    return new Entry(inside.key(), Status.EXPIRED, inside.entered(), inside.until());
  }

  private @Nullable Entry known(EntryKey key) {
    return await(line().locate(key)) instanceof Standing.Found(var place) ? place.entry() : null;
  }

  private void activateForAMinute() {
    activate(Map.of("entryBatchSize", 1, "entryIntervalSeconds", 3_600, "passTtlSeconds", 60));
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void join_afterExpiry_oldEntryIsKnownWhateverBecomesOfTheNewOne() {
    activateForAMinute();
    Entry first = expired("ann");
    admitPaced();
    assertThat(known(first.key())).isEqualTo(first);

    EntryKey second = keyOf("ann");
    assertThat(known(first.key())).as("the new one waits").isEqualTo(first);
    admitByHand(1);
    assertThat(known(first.key())).as("the new one is inside").isEqualTo(first);
    assertThat(complete(second)).isEqualTo(Ended.DONE);
    assertThat(known(first.key())).as("the new one is done").isEqualTo(first);
    assertThat(leave(first.key())).isEqualTo(Ended.UNKNOWN);
    assertThat(statusOf("ann")).isEqualTo(Status.COMPLETED);

    advance(Duration.ofHours(1));
    assertThat(known(first.key())).isNull();
  }

  @Test
  void join_beforeTheSweepOfAnExpiredOne_oldEntryIsKnown() {
    activateForAMinute();
    Entry first = expired("ann");

    EntryKey second = keyOf("ann");

    assertThat(known(first.key())).isEqualTo(first);
    assertThat(leave(second)).isEqualTo(Ended.DONE);
    keyOf("ann");
    assertThat(known(first.key())).as("after one that left").isEqualTo(first);
    assertThat(known(second)).as("who left").isNull();
  }

  @Test
  void join_afterCompletion_oldEntryIsKnown() {
    activateForAMinute();
    Entry inside = admitted("ann");
    assertThat(complete(inside.key())).isEqualTo(Ended.DONE);

    keyOf("ann");

    assertThat(known(inside.key()))
        .isEqualTo(new Entry(inside.key(), Status.COMPLETED, inside.entered(), inside.until()));
  }

  @Test
  void requeue_newEntryAdmittedOrLeft_oldOneIsKnown() {
    activate(
        Map.of(
            "entryBatchSize", 1,
            "entryIntervalSeconds", 3_600,
            "passTtlSeconds", 60,
            "onExpiry", "REQUEUE"));
    admitPaced();
    Entry first = expired("ann");
    assertThat(admitPaced().expired()).isEqualTo(1);

    EntryKey second = admitByHand(1).entries().getFirst().key();
    assertThat(second.user()).isEqualTo("ann");
    assertThat(known(first.key())).as("the new one is inside").isEqualTo(first);
    assertThat(leave(second)).isEqualTo(Ended.DONE);
    keyOf("ann");
    assertThat(known(first.key())).as("after one that left").isEqualTo(first);
  }

  // Staying inside for too long, where those who do are put in line again.

  /** Admits one batch, and then nobody but by hand. */
  private void activateRequeueing(int batch) {
    activate(
        Map.of(
            "entryBatchSize",
            batch,
            "entryIntervalSeconds",
            CALM_SECONDS,
            "passTtlSeconds",
            60,
            "onExpiry",
            "REQUEUE"));
  }

  private List<String> waitingInOrder(String... users) {
    return Stream.of(users)
        .peek(user -> assertThat(statusOf(user)).as(user).isEqualTo(Status.WAITING))
        .sorted(Comparator.comparingLong(user -> placeOf(user).ahead()))
        .toList();
  }

  @Test
  void requeue_timeIsUp_standsBehindAllWhoWaitAndBeforeWhoComesLater() {
    activate(
        Map.of(
            "maxCapacity", 2,
            "entryIntervalSeconds", 30,
            "passTtlSeconds", 60,
            "onExpiry", "REQUEUE"));
    joinMany("user", 4);
    List<Entry> inside = admitPaced().entries();
    joinMany("more", 1);
    advance(Duration.ofSeconds(60));
    long before = figures().change();

    Admitted.Done step = admitPaced();

    assertThat(step.figures().change()).as("all in one change").isEqualTo(before + 1);
    assertThat(step.expired()).isEqualTo(2);
    assertThat(step.entries()).hasSize(2).doesNotContainAnyElementsOf(inside);
    joinNew("later");
    String first = inside.get(0).key().user();
    String second = inside.get(1).key().user();
    assertThat(placeOf("more0").ahead()).isZero();
    assertThat(placeOf(first).ahead()).isEqualTo(1);
    assertThat(placeOf(second).ahead()).isEqualTo(2);
    assertThat(placeOf("later").ahead()).isEqualTo(3);
    assertThat(placeOf(first).entry().isWaiting()).isTrue();
    assertThat(placeOf(first).line().waiting()).isEqualTo(4);
  }

  @Test
  void requeue_nobodyElseWaits_isAdmittedAsAnotherEntryByTheNextStep() {
    activate(Map.of("maxCapacity", 1, "passTtlSeconds", 60, "onExpiry", "REQUEUE"));
    EntryKey first = keyOf("ann");
    Entry once = admitPaced().entries().getFirst();
    advance(Duration.ofSeconds(60));

    Admitted.Done sweep = admitPaced();
    assertThat(sweep.entries()).isEmpty();
    assertThat(sweep.more()).isTrue();
    assertThat(sweep.figures().inside()).isZero();
    assertThat(sweep.figures().waiting()).isEqualTo(1);
    EntryKey second = placeOf("ann").entry().key();
    assertThat(second.joined()).isGreaterThan(first.joined());
    Entry twice = admitPaced().entries().getFirst();

    assertThat(twice.key()).isEqualTo(second);
    assertThat(twice.entered()).isGreaterThanOrEqualTo(once.until());
    assertThat(complete(first)).isEqualTo(Ended.UNKNOWN);
    assertThat(redeem(first, "session")).isEqualTo(Redeemed.UNKNOWN);
    assertThat(complete(second)).isEqualTo(Ended.DONE);
    Figures figures = figures();
    assertThat(figures.joined()).isEqualTo(2);
    assertThat(figures.entered()).isEqualTo(2);
    assertThat(figures.expired()).isEqualTo(1);
    assertThat(figures.completed()).isEqualTo(1);
    assertThat(figures.waiting() + figures.inside()).isZero();
  }

  @Test
  void requeue_severalInOneStep_keepTheirOrder() {
    activateRequeueing(3);
    List.of("cid", "bob", "ann").forEach(this::joinNew);
    admitPaced();
    joinNew("dan");
    advance(Duration.ofSeconds(60));

    assertThat(admitPaced().expired()).isEqualTo(3);

    assertThat(waitingInOrder("ann", "bob", "cid", "dan"))
        .containsExactly("dan", "cid", "bob", "ann");
  }

  @Test
  void requeue_laterOnesExpireSooner_keepTheirOrderAllTheSame() {
    activateRequeueing(1);
    activate(Map.of("passTtlSeconds", 600));
    admitted("ann");
    activate(Map.of("passTtlSeconds", 60));
    admitted("bob");
    advance(Duration.ofMinutes(10));

    assertThat(admitPaced().expired()).isEqualTo(2);

    assertThat(waitingInOrder("bob", "ann")).containsExactly("ann", "bob");
  }

  @Test
  void requeue_lineFull_happensAllTheSame() {
    activateRequeueing(1);
    activate(Map.of("maxWaiting", 1));
    joinNew("ann");
    admitPaced();
    joinNew("bob");
    advance(Duration.ofSeconds(60));

    admitPaced();

    assertThat(waitingInOrder("ann", "bob")).containsExactly("bob", "ann");
    assertThat(refused("cid").reason()).isEqualTo(Joined.Reason.LINE_FULL);
  }

  @Test
  void requeue_inactiveQueue_happensWithTheSweep() {
    activateRequeueing(1);
    EntryKey first = keyOf("ann");
    admitPaced();
    edit(Edit.deactivate());
    advance(Duration.ofSeconds(60));

    Admitted sweep = admit(new Admission.Paced());

    assertThat(((Admitted.NotActive) sweep).expired()).isEqualTo(1);
    assertThat(((Admitted.NotActive) sweep).figures().waiting()).isEqualTo(1);
    assertThat(placeOf("ann").entry().isWaiting()).isTrue();
    assertThat(placeOf("ann").entry().key()).isNotEqualTo(first);
  }

  @Test
  void requeue_askedBeforeTheSweep_isTheirPlaceAlready() {
    activateRequeueing(1);
    EntryKey first = keyOf("ann");
    admitPaced();
    joinNew("bob");
    activate(Map.of("maxWaiting", 1, "newPlacesPerMinute", 1));
    edit(Edit.deactivate());
    advance(Duration.ofSeconds(60));

    Place place = ((Joined.AlreadyIn) join("ann")).place();

    assertThat(place.entry().isWaiting()).isTrue();
    assertThat(place.entry().key().joined()).isGreaterThan(first.joined());
    assertThat(place.ahead()).isEqualTo(1);
    assertThat(placeOf("ann")).isEqualTo(place);
    assertThat(join("ann")).isEqualTo(new Joined.AlreadyIn(place));
    Admitted.NotActive sweep = (Admitted.NotActive) admit(new Admission.Paced());
    assertThat(sweep.expired()).isZero();
    assertThat(sweep.figures().joined()).isEqualTo(3);
    assertThat(sweep.figures().expired()).isEqualTo(1);
    assertThat(sweep.figures().inside()).isZero();
  }

  @Test
  void requeue_repeatedSteps_happensOnce() {
    activateRequeueing(2);
    joinMany("user", 2);
    admitPaced();
    advance(Duration.ofSeconds(60));
    admitPaced();
    Figures figures = figures();
    EntryKey key = placeOf("user0").entry().key();

    for (int i = 0; i < 5; i++) {
      assertThat(admitPaced().expired()).isZero();
      assertThat(join("user0")).isInstanceOf(Joined.AlreadyIn.class);
    }

    assertThat(figures().joined()).isEqualTo(figures.joined()).isEqualTo(4);
    assertThat(figures().expired()).isEqualTo(2);
    assertThat(placeOf("user0").entry().key()).isEqualTo(key);
  }

  @Test
  void requeue_againAndAgain_isNotTooOften() {
    activate(Map.of("maxCapacity", 1, "passTtlSeconds", 10, "onExpiry", "REQUEUE"));
    joinNew("ann");
    for (int turn = 1; turn <= 5; turn++) {
      assertThat(admitByHand(1).entries()).hasSize(1);
      advance(Duration.ofSeconds(10));
      assertThat(admitPaced().expired()).isEqualTo(1);
      assertThat(statusOf("ann")).isEqualTo(Status.WAITING);
    }
    assertThat(figures().joined()).isEqualTo(6);
  }

  @Test
  void requeue_oldEntry_isKnownAsExpiredAndHitsNothing() {
    activateRequeueing(1);
    EntryKey first = keyOf("ann");
    Entry inside = admitPaced().entries().getFirst();
    advance(Duration.ofSeconds(60));
    admitPaced();
    Place second = placeOf("ann");

    assertThat(await(line().locate(first)))
        .isEqualTo(
            new Standing.Found(
                new Place(
                    new Entry(first, Status.EXPIRED, inside.entered(), inside.until()),
                    0,
                    0,
                    0,
                    second.line())));
    assertThat(await(line().locate(second.entry().key()))).isEqualTo(new Standing.Found(second));
    assertThat(leave(first)).isEqualTo(Ended.UNKNOWN);
    assertThat(placeOf("ann")).isEqualTo(second);
    assertThat(await(line().locate(new EntryKey(queue, "ann", first.joined() - 1))))
        .isEqualTo(new Standing.Unknown());
    advance(Duration.ofHours(1));
    assertThat(await(line().locate(first))).isEqualTo(new Standing.Unknown());
  }

  @Test
  void requeue_newEntryLeft_isUnknown() {
    activateRequeueing(1);
    keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(60));
    admitPaced();

    assertThat(leave(placeOf("ann").entry().key())).isEqualTo(Ended.DONE);

    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
    assertThat(figures().waiting()).isZero();
    assertThat(join("ann")).isInstanceOf(Joined.Waiting.class);
  }

  @Test
  void requeue_ruleTakenBack_endsThoseInside() {
    activateRequeueing(1);
    keyOf("ann");
    admitPaced();
    activate(Map.of("onExpiry", "END"));
    advance(Duration.ofSeconds(60));

    assertThat(admitPaced().expired()).isEqualTo(1);

    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
    assertThat(figures().waiting()).isZero();
  }

  @Test
  void requeue_moreThanOneStep_goesOnWithinCapacity() {
    activate(
        Map.of(
            "passTtlSeconds", 60,
            "maxCapacity", 1_500,
            "entryBatchSize", 1_500,
            "onExpiry", "REQUEUE"));
    joinMany("user", 2_000);
    while (admitPaced().more()) {}
    assertThat(figures().inside()).isEqualTo(1_500);
    advance(Duration.ofSeconds(60));

    int expired = 0;
    Admitted.Done step;
    do {
      step = admitPaced();
      expired += step.expired();
      assertThat(step.figures().inside()).isLessThanOrEqualTo(1_500);
      assertThat(step.figures().inside() + step.figures().waiting()).isEqualTo(2_000);
    } while (step.more());

    assertThat(expired).isEqualTo(1_500);
    assertThat(step.figures().joined()).isEqualTo(3_500);
    assertThat(step.figures().entered()).isEqualTo(3_000);
  }

  /** Hunts for somebody who is requeued by two steps, or by a step and by asking. */
  @Test
  void requeue_manyStepsAndJoinsAtOnce_happensOnceForEach() {
    int people = 300;
    activateRequeueing(people);
    joinMany("user", people);
    admitPaced();
    advance(Duration.ofSeconds(60));

    List<List<Joined>> answers =
        inParallel(
            8,
            i -> {
              List<Joined> all = new ArrayList<>();
              for (int user = 0; user < people; user++) {
                if (user % 50 == i) {
                  admitPaced();
                }
                all.add(join("user" + user));
              }
              return all;
            });

    assertThat(answers.stream().flatMap(List::stream))
        .allSatisfy(joined -> assertThat(joined).isInstanceOf(Joined.AlreadyIn.class));
    Figures figures = figures();
    assertThat(figures.joined()).isEqualTo(2L * people);
    assertThat(figures.expired()).isEqualTo(people);
    assertThat(figures.waiting()).isEqualTo(people);
    assertThat(figures.inside()).isZero();
  }

  // Being let in once only.

  private Entry completedOnce(String user) {
    Entry inside = admitted(user);
    assertThat(complete(inside.key())).isEqualTo(Ended.DONE);
    return new Entry(inside.key(), Status.COMPLETED, inside.entered(), inside.until());
  }

  private void assertOver(String user, Entry completed) {
    Joined joined = join(user);
    assertThat(joined).as("join of %s", user).isInstanceOf(Joined.Over.class);
    assertThat(((Joined.Over) joined).place().entry()).isEqualTo(completed);
  }

  @Test
  void once_completed_mayNotEnterAgain() {
    activate(Map.of("once", true));
    Entry ann = completedOnce("ann");
    Figures before = figures();

    for (int i = 0; i < 5; i++) {
      assertOver("ann", ann);
    }

    assertThat(figures()).isEqualTo(before);
    assertThat(placeOf("ann").entry()).isEqualTo(ann);
    joinNew("bob");
  }

  @Test
  void once_inactiveOrFull_saysThatTheyAreDone() {
    activate(Map.of("once", true, "maxWaiting", 1, "entryIntervalSeconds", CALM_SECONDS));
    Entry ann = completedOnce("ann");
    joinNew("bob");
    assertOver("ann", ann);

    edit(Edit.deactivate());

    assertOver("ann", ann);
  }

  @Test
  void once_leftOrExpired_mayEnterAgain() {
    activate(Map.of("once", true, "passTtlSeconds", 60));
    leave(keyOf("ann"));
    leave(admitted("ann").key());
    advance(Duration.ofSeconds(60));
    admitted("ann");
    advance(Duration.ofSeconds(60));
    admitPaced();

    joinNew("ann");
  }

  @Test
  void once_completedAfterBeingRequeued_mayNotEnterAgain() {
    activateRequeueing(1);
    activate(Map.of("once", true));
    joinNew("ann");
    admitPaced();
    advance(Duration.ofSeconds(60));
    assertThat(admitPaced().expired()).isEqualTo(1);
    Entry second = admitByHand(1).entries().getFirst();
    complete(second.key());

    assertOver("ann", new Entry(second.key(), Status.COMPLETED, second.entered(), second.until()));
  }

  @Test
  void once_weeksLater_isKnownForThirtyDays() {
    activate(Map.of("once", true));
    Entry ann = completedOnce("ann");
    advance(Duration.ofHours(2));
    admitPaced();
    assertThat(locate("ann"))
        .as("its status is known for an hour")
        .isInstanceOf(Standing.Unknown.class);
    assertOver("ann", ann);
    advance(Duration.ofDays(29));
    admitPaced();
    assertOver("ann", ann);

    advance(Duration.ofDays(1));
    admitPaced();

    joinNew("ann");
  }

  @Test
  void once_turnedOnLater_countsWhoHasCompleted() {
    activate(Map.of());
    Entry ann = completedOnce("ann");
    advance(Duration.ofMinutes(30));

    activate(Map.of("once", true));

    assertOver("ann", ann);
    advance(Duration.ofDays(20));
    admitPaced();
    assertOver("ann", ann);
  }

  @Test
  void once_turnedOff_mayEnterAgain() {
    activate(Map.of("once", true));
    completedOnce("ann");

    activate(Map.of("once", false));

    joinNew("ann");
  }

  @Test
  void once_deletedAndMadeAnew_knowsNobody() {
    activate(Map.of("once", true));
    completedOnce("ann");
    await(queues().delete(queue, Actor.SYSTEM));

    activate(Map.of("once", true));

    joinNew("ann");
  }

  // Completing.

  // Binding somebody inside to a session.

  @Test
  void redeem_firstSession_isDoneAsOftenAsItAsks() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();

    assertThat(redeem(ann, "s1")).isEqualTo(Redeemed.DONE);
    assertThat(redeem(ann, "s1")).isEqualTo(Redeemed.DONE);
    assertThat(statusOf("ann")).isEqualTo(Status.ENTERED);
    assertThat(placeOf("ann").entry().key()).isEqualTo(ann);
    assertThat(figures().inside()).isEqualTo(1);
  }

  @Test
  void redeem_anotherSession_isRefused() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    EntryKey bob = keyOf("bob");
    admitPaced();
    redeem(ann, "s1");

    assertThat(redeem(ann, "s2")).isEqualTo(Redeemed.OTHER_SESSION);
    assertThat(redeem(ann, "s1")).isEqualTo(Redeemed.DONE);
    assertThat(redeem(bob, "s2")).isEqualTo(Redeemed.DONE);
  }

  @Test
  void redeem_manySessionsAtOnce_oneIsDone() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();

    List<Redeemed> answers = inParallel(20, i -> redeem(ann, "s" + i));

    assertThat(answers).containsOnly(Redeemed.DONE, Redeemed.OTHER_SESSION);
    assertThat(Collections.frequency(answers, Redeemed.DONE)).isEqualTo(1);
  }

  @Test
  void redeem_waiting_isNotInside() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");

    assertThat(redeem(ann, "s1")).isEqualTo(Redeemed.NOT_INSIDE);

    admitPaced();
    assertThat(redeem(ann, "s2")).isEqualTo(Redeemed.DONE);
  }

  @Test
  void redeem_afterTheEnd_isNotInside() {
    activateCalm(10, 10);
    EntryKey done = keyOf("done");
    EntryKey gone = keyOf("gone");
    EntryKey late = keyOf("late");
    admitPaced();
    redeem(done, "s1");
    redeem(gone, "s1");
    redeem(late, "s1");

    complete(done);
    leave(gone);
    advance(Duration.ofDays(1));

    assertThat(redeem(late, "s1")).isEqualTo(Redeemed.NOT_INSIDE);
    assertThat(redeem(gone, "s1")).isEqualTo(Redeemed.UNKNOWN);
    admitPaced();
    assertThat(redeem(late, "s1")).isEqualTo(Redeemed.NOT_INSIDE);
  }

  @Test
  void redeem_completed_isNotInside() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();
    redeem(ann, "s1");
    complete(ann);

    assertThat(redeem(ann, "s1")).isEqualTo(Redeemed.NOT_INSIDE);
    assertThat(complete(ann)).isEqualTo(Ended.DONE);
  }

  @Test
  void redeem_nextEntryOfTheSameUser_isFreeAgain() {
    activateCalm(10, 10);
    EntryKey first = keyOf("ann");
    admitPaced();
    redeem(first, "s1");
    leave(first);
    EntryKey second = keyOf("ann");
    admitPaced();

    assertThat(redeem(first, "s1")).isEqualTo(Redeemed.UNKNOWN);
    assertThat(redeem(second, "s2")).isEqualTo(Redeemed.DONE);
    assertThat(redeem(second, "s1")).isEqualTo(Redeemed.OTHER_SESSION);
  }

  @Test
  void redeem_unknownEntry_isUnknown() {
    assertThat(redeem(new EntryKey(queue, "ann", 1), "s1")).isEqualTo(Redeemed.UNKNOWN);
    activateCalm(10, 10);
    assertThat(redeem(new EntryKey(queue, "ann", 1), "s1")).isEqualTo(Redeemed.UNKNOWN);
  }

  @Test
  void redeem_enterLimit_stillCounts() {
    activate(Map.of("newPlacesPerMinute", 1, "entryIntervalSeconds", CALM_SECONDS));
    EntryKey ann = keyOf("ann");
    admitPaced();
    redeem(ann, "7s1");
    complete(ann);

    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.TOO_OFTEN);
  }

  @Test
  void complete_inside_isDoneAndFreesThePlace() {
    activateCalm(1, 10);
    EntryKey ann = keyOf("ann");
    EntryKey bob = keyOf("bob");
    Entry inside = admitPaced().entries().getFirst();
    long before = figures().change();

    assertThat(complete(ann)).isEqualTo(Ended.DONE);

    assertThat(placeOf("ann").entry())
        .isEqualTo(new Entry(ann, Status.COMPLETED, inside.entered(), inside.until()));
    assertThat(figures().change()).isGreaterThan(before);
    assertThat(figures().inside()).isZero();
    assertThat(keys(admitPaced())).containsExactly(bob);
  }

  @Test
  void complete_repeated_isDone() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();

    assertThat(complete(ann)).isEqualTo(Ended.DONE);
    assertThat(complete(ann)).isEqualTo(Ended.DONE);
    assertThat(figures().completed()).isEqualTo(1);
    assertThat(leave(ann)).isEqualTo(Ended.UNKNOWN);
    assertThat(statusOf("ann")).isEqualTo(Status.COMPLETED);
  }

  @Test
  void complete_waiting_isNotInside() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");

    assertThat(complete(ann)).isEqualTo(Ended.NOT_INSIDE);
    assertThat(placeOf("ann").entry()).isEqualTo(Entry.waiting(ann));
    assertThat(figures().completed()).isZero();
  }

  @Test
  void complete_unknownEntry_isUnknown() {
    assertThat(complete(new EntryKey(queue, "ann", 1))).isEqualTo(Ended.UNKNOWN);
    activateCalm(10, 10);
    assertThat(complete(new EntryKey(queue, "ann", 1))).isEqualTo(Ended.UNKNOWN);
    EntryKey ann = keyOf("ann");
    leave(ann);
    assertThat(complete(ann)).isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void complete_oldEntry_doesNotHitTheNextOne() {
    activateCalm(10, 10);
    EntryKey old = keyOf("ann");
    admitPaced();
    complete(old);
    EntryKey next = keyOf("ann");

    assertThat(complete(old)).isEqualTo(Ended.UNKNOWN);
    assertThat(placeOf("ann").entry()).isEqualTo(Entry.waiting(next));
    admitPaced();
    assertThat(complete(old)).isEqualTo(Ended.UNKNOWN);
    assertThat(placeOf("ann").entry().key()).isEqualTo(next);
    assertThat(statusOf("ann")).isEqualTo(Status.ENTERED);
    assertThat(complete(next)).isEqualTo(Ended.DONE);
  }

  @Test
  void complete_inactiveQueue_isDone() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();
    edit(Edit.deactivate());

    assertThat(complete(ann)).isEqualTo(Ended.DONE);
    assertThat(figures().inside()).isZero();
  }

  @Test
  void complete_anHourAgo_isForgotten() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();
    complete(ann);

    advance(Duration.ofHours(1).minus(SLACK));
    assertThat(statusOf("ann")).isEqualTo(Status.COMPLETED);
    assertThat(complete(ann)).isEqualTo(Ended.DONE);
    advance(SLACK);
    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
    assertThat(complete(ann)).isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void complete_askedByMany_countsOnce() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();

    assertThat(inParallel(20, _ -> complete(ann))).containsOnly(Ended.DONE);
    assertThat(figures().completed()).isEqualTo(1);
    assertThat(figures().inside()).isZero();
  }

  // Looking on.

  @Test
  void find_afterAHistory_countsEverything() {
    activate(
        Map.of(
            "maxCapacity",
            5,
            "entryBatchSize",
            5,
            "entryIntervalSeconds",
            60,
            "passTtlSeconds",
            30));
    List<EntryKey> all = joinMany("user", 12);
    admitPaced();
    complete(all.get(0));
    complete(all.get(1));
    leave(all.get(2));
    leave(all.get(11));
    leave(all.get(10));
    advance(Duration.ofSeconds(30));
    admitByHand(1);

    Figures figures = figures();

    assertThat(figures.joined()).isEqualTo(12);
    assertThat(figures.entered()).isEqualTo(6);
    assertThat(figures.completed()).isEqualTo(2);
    assertThat(figures.left()).isEqualTo(3);
    assertThat(figures.expired()).isEqualTo(2);
    assertThat(figures.inside()).isEqualTo(1);
    assertThat(figures.waiting()).isEqualTo(4);
    assertThat(placeOf(all.get(9).user()).line().change()).isEqualTo(figures.change());
  }

  @Test
  void find_longestWait_isThatOfTheFirst() {
    activateCalm(10, 1);
    assertThat(figures().longestWaitMicros()).isZero();
    keyOf("ann");
    advance(Duration.ofSeconds(100));
    keyOf("bob");
    advance(Duration.ofSeconds(50));

    assertThat(seconds(figures().longestWaitMicros())).isBetween(150L, 150 + SLACK.toSeconds());
    Figures after = admitPaced().figures();
    assertThat(seconds(after.longestWaitMicros())).isBetween(50L, 50 + SLACK.toSeconds());
    admitByHand(1);
    assertThat(figures().longestWaitMicros()).isZero();
  }

  private static long seconds(long micros) {
    return micros / Micros.PER_SECOND;
  }

  @Test
  void findAll_someOfThemUnknown_areThoseThatExist() {
    activateCalm(1, 1);
    keyOf("ann");
    keyOf("bob");
    admitPaced();
    QueueId other = newQueueId();
    await(queues().edit(other, Edit.activate(Map.of("title", "other"))));

    List<Overview> found = await(queues().findAll(Set.of(queue, newQueueId(), other)));

    assertThat(ids(found)).containsExactlyInAnyOrder(queue, other);
    for (Overview each : found) {
      assertThat(each.queue())
          .isEqualTo(await(queues().find(each.queue().id())).orElseThrow().queue());
      assertThat(each.figures().joined()).isEqualTo(each.queue().id().equals(queue) ? 2 : 0);
      assertThat(each.figures().inside()).isEqualTo(each.queue().id().equals(queue) ? 1 : 0);
    }
    assertThat(await(queues().findAll(Set.of()))).isEmpty();
    await(queues().delete(other, Actor.SYSTEM));
  }

  @Test
  void find_unknownQueue_isEmpty() {
    assertThat(await(queues().find(queue))).isEmpty();
  }

  private static List<QueueId> ids(List<Overview> overviews) {
    return overviews.stream().map(o -> o.queue().id()).toList();
  }

  @Test
  void list_severalPages_namesEachOnceInOrder() {
    List<QueueId> made = new ArrayList<>();
    // Ids that sort otherwise as numbers, and types that sort otherwise with what is behind them.
    for (String type : new String[] {"PAGED", "PAGED1", "PAGED_"}) {
      for (String id : new String[] {"10", "9", "a", "B", "a.b", "a-b"}) {
        made.add(new QueueId(type, id + queue.id()));
      }
    }
    made.forEach(q -> await(queues().edit(q, Edit.activate(Map.of("title", q.toString())))));

    List<Overview> listed = new ArrayList<>();
    QueueId after = new QueueId("PAGED", "0");
    List<Overview> page;
    do {
      page = await(queues().list(after, 5));
      listed.addAll(page);
      after = page.isEmpty() ? after : page.getLast().queue().id();
    } while (page.size() == 5);

    assertThat(ids(listed)).isSorted().containsAll(made).doesNotHaveDuplicates();
    assertThat(listed)
        .filteredOn(o -> made.contains(o.queue().id()))
        .allMatch(
            o -> o.queue().settings().look().title().in("en").equals(o.queue().id().toString()));
    made.forEach(q -> await(queues().delete(q, Actor.SYSTEM)));
    assertThat(ids(await(queues().list(null, 1_000)))).doesNotContainAnyElementsOf(made);
  }

  @Test
  void list_isWhatFindSays() {
    activateCalm(2, 1);
    joinMany("user", 4);
    admitPaced();
    var before = new QueueId(queue.type(), queue.id().substring(0, queue.id().length() - 1));

    Overview listed = await(queues().list(before, 1)).getFirst();

    assertThat(listed.queue()).isEqualTo(overview().queue());
    assertThat(listed.figures())
        .usingRecursiveComparison()
        .ignoringFields("longestWaitMicros")
        .isEqualTo(figures());
    assertThat(listed.figures().longestWaitMicros()).isLessThanOrEqualTo(SLACK.toNanos() / 1_000);
  }

  @Test
  void summary_namesTheBusiestAndAddsAllUp() {
    Summary before = await(queues().summary(0));
    activateCalm(3, 2);
    joinMany("user", 50);
    admitPaced();
    QueueId empty = newQueueId();
    await(queues().edit(empty, Edit.activate(Map.of())));

    Summary after = await(queues().summary(1_000));

    assertThat(before.busiest()).isEmpty();
    assertThat(after.queues()).isEqualTo(before.queues() + 2);
    assertThat(after.all().waiting()).isEqualTo(before.all().waiting() + 48);
    assertThat(after.all().inside()).isEqualTo(before.all().inside() + 2);
    assertThat(after.all().joined()).isEqualTo(before.all().joined() + 50);
    assertThat(after.all().entered()).isEqualTo(before.all().entered() + 2);
    assertThat(ids(after.busiest())).contains(queue, empty);
    assertThat(after.busiest())
        .isSortedAccordingTo(
            Comparator.comparingLong((Overview o) -> o.figures().waiting() + o.figures().inside())
                .reversed());
    assertThat(await(queues().summary(1)).busiest())
        .singleElement()
        .satisfies(
            o -> assertThat(o.queue().id()).isEqualTo(after.busiest().getFirst().queue().id()));
  }

  // What is due.

  private void assertDue() {
    assertThat(await(queues().due())).contains(queue);
  }

  private void assertNotDue() {
    assertThat(await(queues().due())).doesNotContain(queue);
  }

  @Test
  void due_nobodyInIt_isNot() {
    activateCalm(2, 2);
    assertNotDue();

    EntryKey ann = keyOf("ann");
    assertDue();
    admitPaced();
    complete(ann);

    assertNotDue();
    leave(keyOf("ben"));
    assertNotDue();
  }

  @Test
  void due_refilled_is() {
    activateCalm(10, 1);
    joinMany("user", 2);
    admitPaced();

    advance(CALM);

    assertDue();
    assertThat(admitPaced().entries()).hasSize(1);
  }

  /** Else nobody would go in until the clock has caught up. */
  @Test
  void due_clockWentBack_isSoThatTheIntervalBeginsAnew() {
    activateCalm(10, 1);
    List<EntryKey> all = joinMany("user", 2);
    admitPaced();
    complete(all.getFirst());

    advance(CALM.multipliedBy(-2));

    assertDue();
    assertThat(admitPaced().entries()).isEmpty();
    advance(CALM);
    assertDue();
    assertThat(keys(admitPaced())).containsExactly(all.getLast());
    advance(CALM);
  }

  @Test
  void due_placeFreedWhileSomebodyWaits_is() {
    activateCalm(1, 10);
    List<EntryKey> all = joinMany("user", 2);
    admitPaced();
    complete(all.getFirst());

    assertDue();
  }

  @Test
  void due_somebodyOverstayed_is() {
    activate(Map.of("maxCapacity", 1, "passTtlSeconds", 60));
    keyOf("ann");
    admitPaced();

    advance(Duration.ofSeconds(60));

    assertDue();
    assertThat(admitPaced().expired()).isEqualTo(1);
    assertNotDue();
  }

  @Test
  void due_overstayedInAClosedQueue_is() {
    activate(Map.of("maxCapacity", 1, "passTtlSeconds", 60));
    keyOf("ann");
    admitPaced();
    edit(Edit.deactivate());

    advance(Duration.ofSeconds(60));

    assertDue();
  }

  @Test
  void due_openedAgainOrMoreRoom_is() {
    activateCalm(1, 10);
    joinMany("user", 2);
    admitPaced();
    activate(Map.of("maxCapacity", 2));
    assertDue();

    edit(Edit.deactivate());
    activate(Map.of());
    assertDue();
  }

  @Test
  void due_deleted_isNot() {
    activateCalm(1, 1);
    keyOf("ann");

    await(queues().delete(queue, Actor.SYSTEM));

    assertNotDue();
  }

  @Test
  void queues_ofDifferentName_areApart() {
    activateCalm(10, 10);
    QueueId second = newQueueId();
    await(queues().edit(second, Edit.activate(Map.of())));
    EntryKey here = keyOf("ann");

    assertThat(await(line().locate(second, "ann"))).isEqualTo(new Standing.Unknown());
    assertThat(leave(new EntryKey(second, "ann", here.joined()))).isEqualTo(Ended.UNKNOWN);
    assertThat(await(queues().join(second, "ann"))).isInstanceOf(Joined.Waiting.class);
    assertThat(placeOf("ann").entry()).isEqualTo(Entry.waiting(here));
  }

  @Test
  void delete_queueWithPeople_isGone() {
    activateCalm(1, 10);
    EntryKey inside = keyOf("inside");
    EntryKey waiting = keyOf("waiting");
    admitPaced();

    assertThat(await(queues().delete(queue, Actor.SYSTEM))).isTrue();

    assertThat(await(queues().find(queue))).isEmpty();
    assertThat(ids(await(queues().list(null, 1_000)))).doesNotContain(queue);
    assertThat(locate("waiting")).isEqualTo(new Standing.NoQueue());
    assertThat(join("waiting")).isEqualTo(new Joined.Refused(Joined.Reason.NO_QUEUE, 0));
    assertThat(leave(waiting)).isEqualTo(Ended.UNKNOWN);
    assertThat(complete(inside)).isEqualTo(Ended.UNKNOWN);
    assertThat(admit(new Admission.ByHand(1, Actor.SYSTEM))).isEqualTo(new Admitted.NoQueue());
    assertThat(edit(Edit.deactivate())).isEqualTo(new Edited.NoQueue());
    assertThat(await(queues().delete(queue, Actor.SYSTEM))).isFalse();
  }

  @Test
  void delete_thenMadeAnew_startsFromScratch() {
    activateCalm(2, 10);
    EntryKey inside = keyOf("inside");
    EntryKey finished = keyOf("finished");
    EntryKey waiting = keyOf("waiting");
    admitPaced();
    complete(finished);
    for (int i = 0; i < 3; i++) {
      leave(keyOf("often"));
    }
    await(queues().delete(queue, Actor.SYSTEM));
    advance(Duration.ofSeconds(1));

    assertThat(edit(Edit.activate(Map.of()))).isInstanceOf(Edited.Created.class);

    Overview anew = overview();
    assertThat(anew.queue().settings()).isEqualTo(Settings.DEFAULT);
    assertThat(anew.queue().version()).isEqualTo(1);
    assertThat(anew.queue().deactivatedAt()).isZero();
    Figures figures = anew.figures();
    assertThat(figures.waiting() + figures.inside() + figures.joined() + figures.entered())
        .isZero();
    assertThat(figures.completed() + figures.left() + figures.expired()).isZero();
    for (EntryKey old : List.of(inside, finished, waiting)) {
      assertThat(locate(old.user())).isEqualTo(new Standing.Unknown());
    }
    assertThat(joinNew("often").ahead()).isZero();
    assertThat(joinNew("waiting").ahead()).isEqualTo(1);
    assertThat(leave(waiting)).isEqualTo(Ended.UNKNOWN);
    assertThat(admitPaced().entries()).hasSize(2);
  }

  // Being told of room.

  private final BlockingQueue<QueueId> rooms = new LinkedBlockingQueue<>();

  void listen() {
    queues().onRoom(rooms::add);
  }

  void assertToldOfRoom() throws InterruptedException {
    QueueId told = rooms.poll(5, TimeUnit.SECONDS);
    while (told != null && !told.equals(queue)) {
      told = rooms.poll(5, TimeUnit.SECONDS);
    }
    assertThat(told).as("told of room").isEqualTo(queue);
  }

  private void assertNotToldOfRoom() {
    overview(); // One more answer from the store: what came of the step before has arrived.
    assertThat(rooms).doesNotContain(queue);
  }

  @Test
  void onRoom_joinWithRoomAndAllowance_tells() throws InterruptedException {
    activateCalm(10, 10);
    listen();

    keyOf("ann");

    assertToldOfRoom();
  }

  @Test
  void onRoom_refillSinceLastTick_tells() throws InterruptedException {
    activateCalm(10, 1);
    joinMany("user", 2);
    admitPaced();
    advance(CALM);
    listen();

    keyOf("ann");

    assertToldOfRoom();
  }

  @Test
  void onRoom_joinWithoutRoom_doesNotTell() {
    activateCalm(1, 10);
    keyOf("ann");
    admitPaced();
    listen();

    keyOf("bob");

    assertNotToldOfRoom();
  }

  @Test
  void onRoom_joinWithoutAllowance_doesNotTell() {
    activateCalm(10, 1);
    keyOf("ann");
    admitPaced();
    listen();

    keyOf("bob");

    assertNotToldOfRoom();
  }

  @Test
  void onRoom_completeWhileSomebodyWaits_tells() throws InterruptedException {
    activateCalm(1, 10);
    EntryKey ann = keyOf("ann");
    keyOf("bob");
    admitPaced();
    listen();

    complete(ann);

    assertToldOfRoom();
  }

  @Test
  void onRoom_leaveFromInsideWhileSomebodyWaits_tells() throws InterruptedException {
    activateCalm(1, 10);
    EntryKey ann = keyOf("ann");
    keyOf("bob");
    admitPaced();
    listen();

    leave(ann);

    assertToldOfRoom();
  }

  @Test
  void onRoom_completeWithoutAllowance_doesNotTell() {
    activateCalm(1, 1);
    EntryKey ann = keyOf("ann");
    keyOf("bob");
    admitPaced();
    listen();

    complete(ann);

    assertNotToldOfRoom();
  }

  @Test
  void onRoom_completeWhileNobodyWaits_doesNotTell() {
    activateCalm(1, 10);
    EntryKey ann = keyOf("ann");
    admitPaced();
    listen();

    complete(ann);

    assertNotToldOfRoom();
  }

  @Test
  void onRoom_completeWhileInactive_doesNotTell() {
    activateCalm(1, 10);
    EntryKey ann = keyOf("ann");
    keyOf("bob");
    admitPaced();
    edit(Edit.deactivate());
    listen();

    complete(ann);

    assertNotToldOfRoom();
  }

  @Test
  void onRoom_capacityRaised_tells() throws InterruptedException {
    activateCalm(1, 10);
    joinMany("user", 2);
    admitPaced();
    listen();

    activate(Map.of("maxCapacity", 2));

    assertToldOfRoom();
  }

  @Test
  void onRoom_openedAgainWhileSomebodyWaits_tells() throws InterruptedException {
    activateCalm(10, 10);
    keyOf("ann");
    edit(Edit.deactivate());
    listen();

    activate(Map.of());

    assertToldOfRoom();
  }

  @Test
  void onRoom_editThatMakesNone_doesNotTell() {
    activateCalm(1, 10);
    joinMany("user", 2);
    admitPaced();
    listen();

    activate(Map.of("title", "Sale"));

    assertNotToldOfRoom();
  }

  // Many at once.

  /**
   * Hunts for an admission that two writers both make, for a place inside that two give away, and
   * for a step that overtakes another.
   */
  @Test
  void admit_manyWritersAtOnce_admitsEachOnceInOrderWithinCapacity() {
    int people = 1_500;
    int capacity = 50;
    int batch = 500;
    activateCalm(capacity, batch);
    var steps = new ConcurrentLinkedQueue<Admitted.Done>();
    var toComplete = new LinkedBlockingQueue<EntryKey>();
    var completed = new AtomicInteger();
    var pacedAdmitted = new AtomicInteger();
    var mostInside = new ConcurrentLinkedQueue<Long>();
    Runnable completer =
        () -> {
          EntryKey key = next(toComplete);
          if (key != null) {
            assertThat(complete(key)).isEqualTo(Ended.DONE);
            completed.incrementAndGet();
          }
        };
    IntFunction<Runnable> admitter =
        i ->
            () -> {
              Admitted.Done step = i < 2 ? admitPaced() : admitByHand(7);
              mostInside.add(step.figures().inside());
              if (!step.entries().isEmpty()) {
                pacedAdmitted.addAndGet(i < 2 ? step.entries().size() : 0);
                steps.add(step);
                toComplete.addAll(keys(step));
              }
            };
    Runnable watcher = () -> mostInside.add(figures().inside());

    inParallel(
        12,
        i -> {
          if (i < 4) {
            return joinRange(i * people / 4, people / 4);
          }
          Runnable act = i < 8 ? admitter.apply(i - 4) : i < 11 ? completer : watcher;
          long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
          while (completed.get() < people && System.nanoTime() < giveUp) {
            act.run();
          }
          return List.of();
        });

    assertThat(completed).hasValue(people);
    assertThat(Collections.max(mostInside)).isLessThanOrEqualTo(capacity);
    assertThat(pacedAdmitted.get()).isLessThanOrEqualTo(batch);
    List<EntryKey> inOrder =
        steps.stream()
            .sorted(Comparator.comparingLong(step -> step.figures().change()))
            .flatMap(step -> keys(step).stream())
            .toList();
    assertThat(inOrder).hasSize(people).doesNotHaveDuplicates();
    assertThat(inOrder.stream().map(EntryKey::joined).toList()).isSorted();
    Figures end = figures();
    assertThat(end.entered()).isEqualTo(people);
    assertThat(end.completed()).isEqualTo(people);
    assertThat(end.waiting() + end.inside()).isZero();
  }

  /** Waits a little: those who ask in vain take the processor from those they wait for. */
  private static @Nullable EntryKey next(BlockingQueue<EntryKey> queue) {
    try {
      return queue.poll(10, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** Does the same in so many threads that start together; a failure of one is a failure of all. */
  // Platform threads: those that spin would keep virtual ones from ever being run.
  private static <T> List<T> inParallel(int threads, IntFunction<T> act) {
    var start = new CountDownLatch(threads);
    try (var executor = Executors.newFixedThreadPool(threads)) {
      List<Future<T>> all =
          IntStream.range(0, threads)
              .mapToObj(
                  i ->
                      executor.submit(
                          () -> {
                            start.countDown();
                            start.await();
                            return act.apply(i);
                          }))
              .toList();
      return all.stream().map(QueuesContract::resultOf).toList();
    }
  }

  private static <T> T resultOf(Future<T> future) {
    try {
      return future.get(90, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
