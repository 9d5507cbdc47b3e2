package io.naru.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.EntryKey;
import io.naru.queue.EventKind;
import io.naru.queue.Joined;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.QueueScenario;
import io.naru.queue.Stock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every store promises of the events that systems behind read: every one that was decided,
 * once, in order; nothing where nobody reads; and a gap where somebody stayed away for too long.
 */
public abstract class FeedContract extends QueueScenario {

  protected static final List<String> ALL =
      Arrays.stream(EventKind.values()).map(EventKind::word).toList();

  /** Of this test alone: others read the same store. */
  protected final String reader = "r" + UUID.randomUUID().toString().substring(0, 8);

  private final List<String> readers = new ArrayList<>();

  protected abstract Feed feed();

  @AfterEach
  void end() {
    readers.forEach(feed()::end);
  }

  protected void listen(String name) {
    readers.add(name);
    feed().listen(name);
  }

  protected Optional<Unread> unread(String name) {
    return feed().unread(name, 10_000).stream().filter(u -> u.queue().equals(queue)).findFirst();
  }

  protected List<Happened> happened(String name) {
    return read(name).changes();
  }

  /** All that there is of what a reader has not read. */
  protected Feed.Stretch read(String name) {
    return unread(name)
        .map(u -> feed().happened(name, u, u.cursor(), 1_000_000))
        .orElse(new Feed.Stretch(0, List.of()));
  }

  protected boolean hasGap(String name) {
    return read(name).hasGap(unread(name).orElseThrow().cursor());
  }

  protected List<String> kinds(String name) {
    return happened(name).stream()
        .flatMap(change -> change.events().stream())
        .map(event -> event.kind().word())
        .toList();
  }

  protected void activateTold(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.putIfAbsent("events", ALL);
    settings.putIfAbsent("entryIntervalSeconds", CALM_SECONDS);
    settings.put("newPlacesPerMinute", 0);
    activate(settings);
  }

  @Test
  void told_whereNobodyReads_isNothing() {
    activateTold(Map.of());
    joinMany("user", 2);
    listen(reader);

    assertThat(unread(reader)).isEmpty();
  }

  @Test
  void told_lessStockThanAVisitorTakes_isSoldOut() {
    listen(reader);
    activateTold(
        Map.of("stock", Map.of("perVisitor", 4), "events", List.of("sold-out", "restocked")));
    await(queues().push(queue, stock(1, 4)));
    await(queues().push(queue, stock(2, 3)));
    await(queues().push(queue, stock(4, 5)));

    assertThat(kinds(reader)).containsExactly("sold-out", "restocked");
  }

  @Test
  void told_everythingOfASmallSale_isThereOnceAndInOrder() {
    listen(reader);
    activateTold(Map.of("maxCapacity", 5, "stock", Map.of("perVisitor", 1)));
    await(queues().push(queue, stock(1, 9)));
    EntryKey ann = keyOf("a\"nn");
    EntryKey ben = keyOf("ben");
    keyOf("cleo");
    admitByHand(2);
    complete(ann);
    leave(ben);
    await(queues().remove(queue, "cleo", EndReason.REMOVED, Actor.SYSTEM));
    await(queues().push(queue, stock(2, 0)));
    await(queues().push(queue, stock(3, 0)));
    await(queues().push(queue, stock(4, 1)));
    edit(Edit.of(Edit.Act.PAUSE, "a lorry is late"));
    edit(Edit.of(Edit.Act.CLOSE, ""));
    edit(Edit.of(Edit.Act.RESUME, ""));
    edit(Edit.of(Edit.Act.OPEN, ""));
    await(queues().erase(queue, "ben", "nobody", Actor.SYSTEM));
    edit(Edit.of(Edit.Act.END, ""));

    assertThat(kinds(reader))
        .containsExactly(
            "changed",
            "opened",
            "resumed",
            "joined",
            "joined",
            "joined",
            "entered",
            "entered",
            "completed",
            "left",
            "removed",
            "sold-out",
            "restocked",
            "paused",
            "closed",
            "resumed",
            "opened",
            "erased",
            "ended");
    List<Happened> all = happened(reader);
    assertThat(all).extracting(Happened::change).isSorted().doesNotHaveDuplicates();
    assertThat(all.getLast().change()).isEqualTo(figures().change());
    Happened entering =
        all.stream().filter(change -> change.count() == 2).reduce((_, last) -> last).orElseThrow();
    Event first = entering.events().getFirst();
    assertThat(first.values())
        .containsEntry("user", "a\"nn")
        .containsEntry("joinedAt", Micros.iso(ann.joined()))
        .containsKey("passExpiresAt");
    Unread unread = unread(reader).orElseThrow();
    assertThat(Json.readObject(entering.events().get(1).json(queue, entering)))
        .containsEntry("eventType", queue.type())
        .containsEntry("eventId", queue.id())
        .containsEntry("kind", "entered")
        .containsEntry("n", 1)
        .containsEntry("at", Micros.iso(entering.at()))
        .containsEntry("user", "ben");
    assertThat(first.id(unread, entering))
        .isEqualTo(unread.original() + "/" + entering.change() + "/0");
  }

  private static Stock stock(long version, int remaining) {
    return new Stock(version, List.of(new Stock.Pool("all", remaining, 0)));
  }

  @Test
  void told_whatIsNotWanted_isNot() {
    listen(reader);
    activateTold(Map.of("events", List.of("completed")));
    EntryKey ann = keyOf("ann");
    admitByHand(1);
    assertThat(unread(reader)).isEmpty();

    complete(ann);

    assertThat(kinds(reader)).containsExactly("completed");
    activateTold(Map.of("events", List.of()));
    leave(keyOf("ben"));
    assertThat(kinds(reader)).containsExactly("completed");
  }

  @Test
  void told_whereNothingIsSet_isAllButJoins() {
    listen(reader);
    activateCalm(5, 1);
    keyOf("ann");
    admitByHand(1);

    assertThat(kinds(reader)).containsExactly("changed", "opened", "resumed", "entered");
  }

  // --- what times make of it

  private static final Duration HOUR = Duration.ofHours(1);

  /** What is told where only this is asked for: whether people may enter, and the end. */
  private static final List<String> ENTRY = List.of("opened", "closed", "ended", "joined");

  /** So many hours from now, by the clock of the store, which other tests have moved. */
  private String in(int hours) {
    Edited made = await(queues().edit(newQueueId(), Edit.activate(Map.of())));
    long now = ((Edited.Created) made).overview().queue().createdAt();
    return Micros.toInstant(now).plus(HOUR.multipliedBy(hours)).toString();
  }

  private void set(Map<String, ?> changes) {
    assertThat(edit(Edit.put(changes, OptionalLong.empty()))).isInstanceOf(Edited.Updated.class);
  }

  private boolean isDue() {
    return await(queues().due()).contains(queue);
  }

  /** What the beat does with a queue that is due. */
  private void beat() {
    assertThat(isDue()).isTrue();
    admit(new Admission.Paced());
    assertThat(isDue()).as("once it was decided").isFalse();
  }

  @Test
  void opensAt_ofAQueueThatNobodyIsIn_isToldWhenItComes() {
    listen(reader);
    activateTold(Map.of("opensAt", in(1), "events", ENTRY));
    assertThat(kinds(reader)).as("nobody may enter").isEmpty();
    advance(HOUR.minus(SLACK));
    assertThat(isDue()).isFalse();

    advance(SLACK);
    beat();

    assertThat(kinds(reader)).containsExactly("opened");
    keyOf("ann");
    assertThat(kinds(reader)).containsExactly("opened", "joined");
  }

  @Test
  void opensAt_whoeverEntersFirst_isToldOfAfterIt() {
    listen(reader);
    activateTold(Map.of("opensAt", in(1), "events", ENTRY));
    assertThat(join("ann")).isInstanceOf(Joined.NotYet.class);
    assertThat(kinds(reader)).isEmpty();
    advance(HOUR);
    keyOf("ann");
    leave(placeOf("ann").entry().key());

    assertThat(kinds(reader)).containsExactly("opened", "joined");
    assertThat(isDue()).isFalse();
  }

  @Test
  void closesAt_isToldWhenItComes() {
    listen(reader);
    activateTold(Map.of("closesAt", in(1), "endsAt", in(2), "events", ENTRY));
    assertThat(kinds(reader)).containsExactly("opened");
    advance(HOUR);
    beat();
    assertThat(kinds(reader)).containsExactly("opened", "closed");
    long version = overview().queue().version();

    advance(HOUR);
    beat();

    assertThat(kinds(reader)).containsExactly("opened", "closed", "ended");
    assertThat(overview().queue().version()).isEqualTo(version + 1);
  }

  @Test
  void lobbyOpensAt_isWhenItOpens() {
    listen(reader);
    activateTold(Map.of("lobbyOpensAt", in(1), "opensAt", in(2), "events", ENTRY));
    advance(HOUR);
    beat();
    assertThat(kinds(reader)).containsExactly("opened");

    advance(HOUR);

    assertThat(isDue()).as("people may enter as before").isFalse();
  }

  /** Nobody could enter in between, whatever the times say. */
  @Test
  void times_thatCameWhileNobodyDecided_areToldAsTheyAreNow() {
    listen(reader);
    activateTold(Map.of("opensAt", in(1), "closesAt", in(2), "endsAt", in(4), "events", ENTRY));
    advance(HOUR.multipliedBy(3));
    beat();
    assertThat(kinds(reader)).isEmpty();

    advance(HOUR);
    beat();

    assertThat(kinds(reader)).containsExactly("ended");
  }

  @Test
  void times_thatAreEdited_areToldAtOnceIfTheyMakeADifference() {
    listen(reader);
    activateTold(Map.of("opensAt", in(1), "events", ENTRY));
    set(Collections.singletonMap("opensAt", null));
    assertThat(kinds(reader)).containsExactly("opened");
    set(Map.of("opensAt", in(1)));
    assertThat(kinds(reader)).containsExactly("opened", "closed");
    edit(Edit.of(Edit.Act.CLOSE, ""));
    advance(HOUR);
    assertThat(isDue()).as("an operator closed it").isFalse();
    assertThat(kinds(reader)).containsExactly("opened", "closed");

    edit(Edit.of(Edit.Act.OPEN, ""));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    set(Map.of("closesAt", in(1)));

    assertThat(kinds(reader)).containsExactly("opened", "closed", "opened");
    advance(HOUR);
    set(Map.of("title", "Over"));
    assertThat(kinds(reader)).containsExactly("opened", "closed", "opened", "closed");
    assertThat(isDue()).isFalse();
  }

  @Test
  void opensAt_ofAQueueThatIsOpenedAgain_isToldWhenItComes() {
    listen(reader);
    activateTold(Map.of("endsAt", in(1), "events", ENTRY));
    advance(HOUR);
    beat();
    activateTold(Map.of("opensAt", in(1), "endsAt", in(2), "events", ENTRY));
    assertThat(kinds(reader)).containsExactly("opened", "ended");

    advance(HOUR);
    beat();

    assertThat(kinds(reader)).containsExactly("opened", "ended", "opened");
  }

  @Test
  void times_thatCameBeforeAnybodyRead_areOver() {
    activateTold(Map.of("opensAt", in(1), "events", ENTRY));
    advance(HOUR);
    beat();
    listen(reader);
    keyOf("ann");
    edit(Edit.of(Edit.Act.CLOSE, ""));

    assertThat(kinds(reader)).containsExactly("joined", "closed");
  }

  /** People may enter, or not, by the clock that decides: whatever it says, that is told. */
  @Test
  void clock_thatGoesBackBehindTheOpening_isTold() {
    listen(reader);
    activateTold(Map.of("opensAt", in(1), "closesAt", in(3), "events", ENTRY));
    advance(HOUR);
    beat();
    advance(HOUR.negated());
    assertThat(isDue()).isFalse();
    assertThat(join("ann")).isInstanceOf(Joined.NotYet.class);
    assertThat(kinds(reader)).containsExactly("opened", "closed");

    advance(HOUR.multipliedBy(5));
    assertThat(kinds(reader)).containsExactly("opened", "closed");
    beat();
    advance(HOUR.multipliedBy(-3));
    keyOf("ann");

    assertThat(kinds(reader)).containsExactly("opened", "closed", "opened", "joined");
  }

  @Test
  void told_ofALoggedQueue_isBesideItsLog() {
    listen(reader);
    activateTold(Map.of("log", true));
    keyOf("ann");

    assertThat(kinds(reader)).containsExactly("changed", "opened", "resumed", "joined");
    assertThat(isLogBehind()).isTrue();
    Unread from = unread(reader).orElseThrow();
    assertThat(feed().advance(reader, from, from.head())).isTrue();
    assertThat(unread(reader)).isEmpty();
    assertThat(isLogBehind()).isTrue();
  }

  @Test
  void told_ofAQueueThatIsNotLogged_makesNoLog() {
    listen(reader);
    activateTold(Map.of());
    keyOf("ann");

    assertThat(isLogBehind()).isFalse();
  }

  /** Whether something of this queue waits to be in its log. */
  protected abstract boolean isLogBehind();

  @Test
  void deleted_queue_isToldToTheEnd() {
    listen(reader);
    activateTold(Map.of());
    keyOf("ann");
    await(queues().delete(queue, Actor.SYSTEM));
    tidy();

    assertThat(kinds(reader)).endsWith("joined", "deleted");
    activateTold(Map.of());

    List<Unread> both =
        feed().unread(reader, 10_000).stream().filter(u -> u.queue().equals(queue)).toList();
    assertThat(both).extracting(Unread::original).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void advance_byOneOfTwo_keepsForTheOther() {
    String other = "o" + reader;
    listen(reader);
    listen(other);
    activateTold(Map.of());
    keyOf("ann");
    Unread from = unread(reader).orElseThrow();

    assertThat(feed().advance(reader, from, from.head())).isTrue();

    assertThat(unread(reader)).isEmpty();
    assertThat(kinds(other)).containsExactly("changed", "opened", "resumed", "joined");
    keyOf("ben");
    assertThat(kinds(reader)).containsExactly("joined");
    Unread slow = unread(other).orElseThrow();
    assertThat(feed().advance(other, slow, slow.head())).isTrue();
    assertThat(kinds(reader)).containsExactly("joined");
    feed().end(reader);
    assertThat(feed().readers()).doesNotContain(reader);
    assertThat(unread(reader)).isEmpty();
  }

  @Test
  void advance_fromWhereItIsNoMore_doesNothing() {
    listen(reader);
    activateTold(Map.of());
    Unread from = unread(reader).orElseThrow();
    keyOf("ann");
    assertThat(feed().advance(reader, from, from.head())).isTrue();

    assertThat(feed().advance(reader, from, from.head() + 1)).isFalse();

    assertThat(kinds(reader)).containsExactly("joined");
  }

  @Test
  void listen_whenOthersDidBefore_readsFromThenOn() {
    listen(reader);
    activateTold(Map.of());
    String later = "l" + reader;
    listen(later);
    listen(later);
    keyOf("ann");

    assertThat(kinds(later)).containsExactly("joined");
    assertThat(kinds(reader)).containsExactly("changed", "opened", "resumed", "joined");
  }

  /** So many changes of one queue are kept; where that is different, how many. */
  protected abstract void keepOnly(long changes);

  /** Forgets what is to be forgotten, without waiting until that happens by itself. */
  protected abstract void tidy();

  @Test
  void reader_thatStaysAway_losesTheOldestAndIsTold() {
    listen(reader);
    String quick = "q" + reader;
    listen(quick);
    activateTold(Map.of());
    Unread seen = unread(reader).orElseThrow();
    assertThat(feed().advance(reader, seen, seen.head())).isTrue();
    for (int i = 0; i < 20; i++) {
      keyOf("user" + i);
    }
    Unread read = unread(quick).orElseThrow();
    assertThat(feed().advance(quick, read, read.head())).isTrue();
    keepOnly(5);
    tidy();
    keyOf("last");
    tidy();

    Unread unread = unread(reader).orElseThrow();
    assertThat(unread.cursor()).isEqualTo(seen.head());
    assertThat(hasGap(reader)).isTrue();
    Feed.Stretch rest = read(reader);
    assertThat(rest.goneTo()).isGreaterThan(seen.head());
    assertThat(rest.changes()).isNotEmpty().hasSizeLessThanOrEqualTo(5);
    assertThat(rest.changes().getFirst().change()).isEqualTo(rest.goneTo() + 1);
    assertThat(feed().advance(reader, unread, rest.goneTo())).isTrue();
    assertThat(hasGap(reader)).isFalse();
    assertThat(hasGap(quick)).isFalse();
    assertThat(kinds(quick)).containsExactly("joined");
  }

  @Test
  void happened_whatIsGoneSinceSomebodyLooked_isSaid() {
    listen(reader);
    activateTold(Map.of());
    for (int i = 0; i < 10; i++) {
      keyOf("user" + i);
    }
    Unread looked = unread(reader).orElseThrow();
    long first = feed().happened(reader, looked, 0, 1).changes().getFirst().change();
    keepOnly(3);
    tidy();
    keyOf("last");
    tidy();

    Feed.Stretch next = feed().happened(reader, looked, first, 1);

    assertThat(next.hasGap(first)).isTrue();
    assertThat(next.changes()).hasSize(1);
    assertThat(next.changes().getFirst().change()).isEqualTo(next.goneTo() + 1);
  }
}
