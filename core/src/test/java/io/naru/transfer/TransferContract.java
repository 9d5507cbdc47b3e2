package io.naru.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.DrawContract;
import io.naru.queue.Drawing;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Signal;
import io.naru.queue.State;
import io.naru.queue.Stay.CompletedBy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every store promises that takes a queue which was made elsewhere. */
public abstract class TransferContract extends DrawContract {

  private static final String ID = "5a".repeat(32);
  private static final String CHANCE = "1c".repeat(32);

  private static final List<Map<String, Object>> LANES =
      List.of(Map.of("name", "vip", "share", 70), Map.of("name", "normal", "share", 30));

  /** Where it goes. */
  private final QueueId there = newQueueId();

  protected abstract Transfers transfers();

  /** What was read of a queue. */
  private static final class Moved implements Transfers.Taker {
    private @Nullable MovedQueue queue;
    private final List<MovedEntry> entries = new ArrayList<>();

    @Override
    public void queue(MovedQueue read) {
      queue = read;
    }

    @Override
    public void entries(List<MovedEntry> some) {
      assertThat(some).hasSizeBetween(1, Transfers.MAX_PART);
      entries.addAll(some);
    }

    MovedQueue head() {
      return MovedQueue.of(Objects.requireNonNull(queue).asMap());
    }
  }

  private Moved read(QueueId of) {
    var moved = new Moved();
    assertThat(await(transfers().read(of, moved))).isTrue();
    return moved;
  }

  private Restored restore(RestoreStep step) {
    return await(transfers().restore(there, step, Actor.SYSTEM));
  }

  private Restored begin(Moved moved) {
    return restore(new RestoreStep.Begin(ID, moved.head(), moved.entries.size(), CHANCE));
  }

  /** As it came over the wire. */
  private Restored part(Moved moved, int from, int to) {
    List<MovedEntry> some =
        moved.entries.subList(from, to).stream().map(e -> MovedEntry.of(e.asMap())).toList();
    return restore(new RestoreStep.Part(ID, from, some));
  }

  private Restored end() {
    return restore(new RestoreStep.End(ID));
  }

  /** In parts of so many. */
  private void restore(Moved moved, int size) {
    assertThat(begin(moved)).isEqualTo(new Restored.Taken(0));
    for (int from = 0; from < moved.entries.size(); from += size) {
      int to = Math.min(moved.entries.size(), from + size);
      assertThat(part(moved, from, to)).isEqualTo(new Restored.Taken(to));
    }
    assertThat(end()).isEqualTo(new Restored.Taken(moved.entries.size()));
  }

  private Place placeThere(String user) {
    return ((Standing.Found) await(line().locate(there, user))).place();
  }

  private Overview overviewThere() {
    return await(queues().find(there)).orElseThrow();
  }

  private List<String> admitted(QueueId of, int count) {
    Admitted step = await(queues().admit(of, new Admission.ByHand(count, Actor.SYSTEM)));
    return done(step).entries().stream().map(entry -> entry.key().user()).toList();
  }

  private void activate(QueueId of) {
    assertThat(await(queues().edit(of, Edit.activate(Map.of()))))
        .isInstanceOf(Edited.Updated.class);
  }

  /** People of every kind, in two lanes. */
  private void people() {
    activate(
        Map.of(
            "maxCapacity",
            100,
            "entryIntervalSeconds",
            CALM_SECONDS,
            "passTtlSeconds",
            86_400,
            "once",
            true,
            "lanes",
            LANES));
    for (int i = 0; i < 12; i++) {
      String lane = i % 3 == 0 ? "vip" : "normal";
      await(queues().join(queue, "user" + i, new Claim(lane, "")));
    }
    EntryKey done = done(admit(new Admission.ByHand(3, Actor.SYSTEM))).entries().getFirst().key();
    complete(done);
    await(queues().remove(queue, "user11", EndReason.REMOVED, Actor.SYSTEM));
    await(queues().move(queue, "user4", "vip", Actor.SYSTEM));
  }

  @Test
  void move_peopleOfEveryKind_standWhereTheyStood() {
    people();
    Moved moved = read(queue);

    restore(moved, 2);

    Overview here = overview();
    Overview copy = overviewThere();
    assertThat(copy.queue().settings()).isEqualTo(here.queue().settings());
    assertThat(copy.queue().state()).isEqualTo(State.INACTIVE);
    assertThat(copy.figures().waiting()).isEqualTo(here.figures().waiting());
    assertThat(copy.figures().inside()).isEqualTo(here.figures().inside());
    assertThat(copy.figures().lanes()).isEqualTo(here.figures().lanes());
    assertThat(copy.figures().joined()).isEqualTo(12);
    assertThat(copy.figures().completed()).isEqualTo(1);
    for (int i = 0; i < 11; i++) {
      Place before = placeOf("user" + i);
      Place after = placeThere("user" + i);
      assertThat(after.entry().status()).isEqualTo(before.entry().status());
      assertThat(after.entry().key().joined()).isEqualTo(before.entry().key().joined());
      assertThat(after.entry().until()).isEqualTo(before.entry().until());
      assertThat(after.score()).as("user%d", i).isEqualTo(before.score());
      assertThat(after.ahead()).as("user%d", i).isEqualTo(before.ahead());
      assertThat(after.ticket()).as("user%d", i).isEqualTo(before.ticket());
    }
    assertThat(read(there).entries).isEqualTo(moved.entries);
  }

  @Test
  void move_isOpenedThere_goesOnInTheSameOrder() {
    people();
    restore(read(queue), 3);
    activate(there);

    List<String> here = new ArrayList<>();
    List<String> elsewhere = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      here.addAll(admitted(queue, 2));
      elsewhere.addAll(admitted(there, 2));
    }

    assertThat(elsewhere).hasSize(8).isEqualTo(here);
    // Whoever comes now stands behind, and who has completed has.
    Joined late = await(queues().join(there, "late"));
    assertThat(((Joined.Waiting) late).place().ahead()).isZero();
    assertThat(await(queues().join(there, "user0"))).isInstanceOf(Joined.Over.class);
  }

  @Test
  void move_atTheGates_everybodyIsOfThisQueueAndTurnsThatWereOverAre() {
    people();
    Moved moved = read(queue);
    restore(moved, 2);
    activate(there);

    List<OverTurn> over = new ArrayList<>();
    var told = (Told.UpTo) await(line().over(there, 0, over::add));

    assertThat(moved.entries).isNotEmpty().allMatch(entry -> entry.joined() >= told.born());
    List<String> completed =
        moved.entries.stream()
            .filter(entry -> entry.status() == Status.COMPLETED)
            .map(MovedEntry::user)
            .toList();
    assertThat(over).extracting(turn -> turn.entry().key().user()).hasSize(1).isEqualTo(completed);
  }

  @Test
  void move_somebodyInside_leavesWhenTheirTimeIsUp() {
    activateCalm(10, 10);
    joinNew("ann");
    admitByHand(1);
    restore(read(queue), 10);

    assertThat(
            await(
                queues()
                    .complete(
                        new EntryKey(there, "ann", placeOf("ann").entry().key().joined()),
                        CompletedBy.VISITOR)))
        .isEqualTo(Ended.DONE);

    assertThat(overviewThere().figures().inside()).isZero();
  }

  @Test
  void move_stillInside_expiresInTime() {
    activateCalm(10, 10);
    joinNew("ann");
    admitByHand(1);
    restore(read(queue), 10);

    advance(there, Duration.ofDays(1).plus(SLACK));
    await(queues().admit(there, new Admission.Paced()));

    assertThat(placeThere("ann").entry().status()).isEqualTo(Status.EXPIRED);
  }

  /** Those who left elsewhere, long ago, do not leave this site all at once. */
  @Test
  void move_rateFollowsItsSite_goesOnAsSet() {
    activate(
        Map.of(
            "maxCapacity",
            10_000,
            "passTtlSeconds",
            86_400,
            "adaptive",
            Map.of("mode", "STEADY", "floorPerSecond", 1, "startPerSecond", 50)));
    List<EntryKey> people = joinMany("user", 300);
    admitByHand(200);
    people.subList(0, 190).forEach(this::complete);
    restore(read(queue), 100);
    activate(there);

    advance(there, Duration.ofSeconds(1));
    await(queues().signal(there, new Signal("shop", 1_000, 0, 10, 0)));
    await(queues().admit(there, new Admission.Paced()));
    advance(there, Duration.ofSeconds(1));
    await(queues().signal(there, new Signal("shop", 1_000, 0, 10, 0)));
    await(queues().admit(there, new Admission.Paced()));

    assertThat(overviewThere().rate().perSecond()).isEqualTo(50);
  }

  @Test
  void restore_onItsWay_nothingElseHappensInIt() {
    activateCalm(10, 10);
    joinMany("user", 5);
    Moved moved = read(queue);
    begin(moved);
    part(moved, 0, 3);

    assertThat(await(queues().join(there, "new"))).isInstanceOf(Joined.Refused.class);
    assertThat(await(queues().edit(there, Edit.activate(Map.of()))))
        .isEqualTo(new Edited.BeingRestored());
    assertThat(await(queues().admit(there, new Admission.Paced())))
        .isInstanceOf(Admitted.NoQueue.class);
    EntryKey first = new EntryKey(there, "user0", moved.entries.getFirst().joined());
    assertThat(await(queues().leave(first))).isEqualTo(Ended.UNKNOWN);
    assertThat(await(transfers().read(there, new Moved()))).isFalse();
    assertThat(await(queues().due())).doesNotContain(there);

    assertThat(part(moved, 3, 5)).isEqualTo(new Restored.Taken(5));
    assertThat(end()).isEqualTo(new Restored.Taken(5));
    assertThat(read(there).entries).isEqualTo(moved.entries);
  }

  /** A time that a queue brings along comes there as well, whether or not anybody acts there. */
  @Test
  void move_queueThatNobodyIsIn_endsThereInTime() {
    Duration hour = Duration.ofHours(1);
    Instant made = Micros.toInstant(activate(Map.of()).queue().createdAt());
    activate(Map.of("endsAt", made.plus(hour).toString()));
    restore(read(queue), 1);
    assertThat(await(queues().due())).doesNotContain(there);
    long version = overviewThere().queue().version();

    advance(there, hour);

    assertThat(await(queues().due())).contains(there);
    await(queues().admit(there, new Admission.Paced()));
    assertThat(await(queues().due())).doesNotContain(there);
    assertThat(overviewThere().queue().version()).isEqualTo(version + 1);
  }

  @Test
  void restore_stepsSentAgain_changeNothing() {
    activateCalm(10, 10);
    joinMany("user", 6);
    Moved moved = read(queue);

    assertThat(part(moved, 0, 2)).isEqualTo(new Restored.NoQueue());
    begin(moved);
    assertThat(begin(moved)).isEqualTo(new Restored.Taken(0));
    assertThat(part(moved, 2, 4)).isEqualTo(new Restored.NotNext(0));
    part(moved, 0, 2);
    long change = overviewThere().figures().change();
    assertThat(part(moved, 0, 2)).isEqualTo(new Restored.Taken(2));
    assertThat(part(moved, 1, 4)).isEqualTo(new Restored.Taken(2));
    assertThat(end()).isEqualTo(new Restored.NotNext(2));
    // From where it was interrupted.
    assertThat(begin(moved)).isEqualTo(new Restored.Taken(2));
    assertThat(overviewThere().figures().change()).isEqualTo(change);
    part(moved, 2, 6);
    end();
    change = overviewThere().figures().change();

    assertThat(end()).isEqualTo(new Restored.Taken(6));
    assertThat(part(moved, 2, 6)).isEqualTo(new Restored.Taken(6));
    assertThat(begin(moved)).isEqualTo(new Restored.Exists());
    assertThat(overviewThere().figures().change()).isEqualTo(change);
    assertThat(read(there).entries).isEqualTo(moved.entries);
  }

  @Test
  void restore_queueThatIsThere_isLeftAlone() {
    activateCalm(10, 10);
    joinNew("ann");
    Moved moved = read(queue);
    await(queues().edit(there, Edit.activate(Map.of())));

    assertThat(begin(moved)).isEqualTo(new Restored.Exists());
    assertThat(part(moved, 0, 1)).isEqualTo(new Restored.Exists());
    assertThat(end()).isEqualTo(new Restored.Exists());
    assertThat(overviewThere().figures().waiting()).isZero();
  }

  @Test
  void restore_anotherOneOnItsWay_isLeftAlone_andCanBeDeleted() {
    activateCalm(10, 10);
    joinMany("user", 2);
    Moved moved = read(queue);
    begin(moved);
    part(moved, 0, 1);
    String other = "6b".repeat(32);

    assertThat(restore(new RestoreStep.Begin(other, moved.head(), 2, CHANCE)))
        .isEqualTo(new Restored.Exists());
    assertThat(restore(new RestoreStep.Part(other, 1, moved.entries.subList(1, 2))))
        .isEqualTo(new Restored.Exists());
    assertThat(await(queues().delete(there, Actor.SYSTEM))).isTrue();
    assertThat(restore(new RestoreStep.Begin(other, moved.head(), 2, CHANCE)))
        .isEqualTo(new Restored.Taken(0));
  }

  @Test
  void restore_whatCannotBe_changesNothing() {
    activateCalm(10, 10);
    joinMany("user", 4);
    Moved moved = read(queue);
    begin(moved);
    part(moved, 0, 2);
    long change = overviewThere().figures().change();

    MovedEntry first = moved.entries.getFirst();
    MovedEntry third = moved.entries.get(2);
    MovedEntry fourth = moved.entries.get(3);
    refused("joined", first);
    refused("joined", fourth, third);
    refused("joined", third, with(fourth, fourth.user(), third.joined(), fourth.score()));
    refused("user", with(third, first.user(), third.joined(), third.score()));
    refused("user", third, with(fourth, third.user(), fourth.joined(), fourth.score()));
    refused(
        "score", with(third, third.user(), third.joined(), third.score() + 800_000_000_000_000L));
    refused("entries", third, fourth, with(fourth, "more", 9, fourth.score() + 1));

    assertThat(overviewThere().figures().change()).isEqualTo(change);
    part(moved, 2, 4);
    end();
    assertThat(read(there).entries).isEqualTo(moved.entries);
  }

  private void refused(String field, MovedEntry... entries) {
    var part = new RestoreStep.Part(ID, 2, List.of(entries));
    assertThatThrownBy(() -> restore(part))
        .isInstanceOfSatisfying(
            InvalidValue.class, e -> assertThat(e.field()).as(e.getMessage()).isEqualTo(field));
  }

  private static MovedEntry with(MovedEntry entry, String user, long joined, long score) {
    return new MovedEntry(
        user,
        joined,
        score,
        entry.ticket(),
        entry.status(),
        entry.entered(),
        entry.until(),
        entry.ended(),
        entry.redeemedBy(),
        entry.reason(),
        entry.owed());
  }

  @Test
  void restore_lanesThatAreNotThere_makesNoQueue() {
    people();
    Moved moved = read(queue);
    Map<String, Object> edited = new LinkedHashMap<>(moved.head().asMap());
    edited.put("lanes", Map.of());

    var step = new RestoreStep.Begin(ID, MovedQueue.of(edited), 0, CHANCE);

    assertThatThrownBy(() -> restore(step)).isInstanceOf(InvalidValue.class);
    assertThat(await(queues().find(there))).isEmpty();
  }

  @Test
  void move_theOwing_stillOwe() {
    activate(
        Map.of(
            "maxCapacity",
            100,
            "entryIntervalSeconds",
            CALM_SECONDS,
            "doors",
            Map.of("work", "ALWAYS")));
    await(queues().join(queue, "bot", Claim.NONE));
    Moved moved = read(queue);
    assertThat(moved.entries.getFirst().owed()).isEqualTo(Owed.WORK);

    restore(moved, 1);

    EntryKey bot = new EntryKey(there, "bot", moved.entries.getFirst().joined());
    assertThat(await(queues().owed(bot))).isEqualTo(Owed.WORK);
  }

  @Test
  void move_aLobby_isDrawnThere() {
    openLobby(Map.of());
    joinNew("ann");
    joinNew("ben");
    Moved moved = read(queue);
    String commitment = draw().commitment();

    restore(moved, 1);

    assertThat(await(draws().draw(there)).orElseThrow().drawing().phase())
        .isEqualTo(Drawing.Phase.LOBBY);
    assertThat(await(draws().draw(there)).orElseThrow().commitment()).isNotEqualTo(commitment);
    assertThat(placeThere("ann").isSettled()).isFalse();
    assertThat(overviewThere().figures().waiting()).isEqualTo(2);
  }

  @Test
  void move_aDrawUnderWay_isRefused_andADoneOneIsDone() {
    openLobby(Map.of());
    List<String> people = List.of("ann", "ben", "cho");
    people.forEach(this::joinNew);
    closeLobby();
    Moved early = read(queue);
    assertThatThrownBy(() -> begin(early))
        .isInstanceOfSatisfying(InvalidValue.class, e -> assertThat(e.field()).isEqualTo("draw"));
    settleAll(seal(7));
    Moved moved = read(queue);

    restore(moved, 2);

    assertThat(await(draws().draw(there)).orElseThrow().drawing().phase())
        .isEqualTo(Drawing.Phase.DONE);
    assertThat(read(there).entries).isEqualTo(moved.entries);
    activate(there);
    for (String user : people) {
      assertThat(placeThere(user).entry().status()).isIn(Status.WAITING, Status.ENTERED);
    }
  }

  @Test
  void move_anEndedQueue_hasEnded() {
    activateCalm(10, 10);
    joinNew("ann");
    edit(Edit.of(Edit.Act.END, ""));
    admit(new Admission.Paced());

    restore(read(queue), 1);

    assertThat(overviewThere().queue().state().isEnded()).isTrue();
    assertThat(await(queues().edit(there, Edit.of(Edit.Act.OPEN, ""))))
        .isInstanceOf(Edited.HasEnded.class);
  }

  @Test
  void read_whileOthersJoin_isOneState() {
    activateCalm(10, 10);
    joinMany("early", 1_500);
    var late = new ArrayList<Entry>();
    var moved = new Moved();

    await(
        transfers()
            .read(
                queue,
                new Transfers.Taker() {
                  @Override
                  public void queue(MovedQueue read) {
                    moved.queue(read);
                  }

                  @Override
                  public void entries(List<MovedEntry> some) {
                    moved.entries(some);
                    late.add(joinNew("late" + late.size()).entry());
                  }
                }));

    assertThat(late).hasSize(2);
    assertThat(moved.head().waiting()).isEqualTo(1_500);
    assertThat(moved.entries).hasSize(1_500).allMatch(e -> e.user().startsWith("early"));
  }
}
