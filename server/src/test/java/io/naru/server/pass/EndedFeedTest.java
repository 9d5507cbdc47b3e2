package io.naru.server.pass;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.pass.EndedTurns;
import io.naru.pass.Pass;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Secret;
import io.naru.server.MemoryKeys;
import io.naru.server.keys.SigningKeys;
import io.naru.server.pass.EndedFeed.Cursor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server asks the line, and what it tells gates. */
class EndedFeedTest {

  private static final QueueId QUEUE = new QueueId("SALE", "1");

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-01T00:00:00Z"));
  private final FakeLine line = new FakeLine();
  private final Map<String, EndedTurns> made = new ConcurrentHashMap<>();
  private final Passes passes = passes(now::get);
  private final EndedFeed feed = new EndedFeed(QUEUE, line, passes, now::get);

  @Test
  void after_manyGatesWithinASecond_askTheLineOnce() throws Exception {
    line.endTurns(10);
    for (int i = 0; i < 100; i++) {
      assertThat(idsIn(ask(new Cursor(0, 0)))).hasSize(10);
      ask(new Cursor(line.born, i));
    }
    assertThat(line.asked).containsExactly(0L);

    now.updateAndGet(t -> t.plusSeconds(1));
    line.endTurns(1);
    EndedTurns news = ask(new Cursor(line.born, 10));
    assertThat(idsIn(news)).hasSize(1);
    assertThat(news.from()).isEqualTo(10);
    assertThat(news.to()).isEqualTo(11);
    assertThat(line.asked).containsExactly(0L, 10L);
  }

  @Test
  void after_all_comeInParts_eachOnce_andOfWholeChanges() throws Exception {
    line.perChange = 1_000;
    line.endTurns(30_000);
    Set<Long> heard = new HashSet<>();
    var cursor = new Cursor(0, 0);
    boolean more = true;
    int parts = 0;
    while (more) {
      EndedTurns part = ask(cursor);
      assertThat(part.from()).isEqualTo(cursor.change());
      for (long id : idsIn(part)) {
        assertThat(heard.add(id)).isTrue();
      }
      cursor = new Cursor(part.born(), part.to());
      more = part.more();
      parts++;
    }
    assertThat(heard).hasSize(30_000);
    assertThat(parts).isEqualTo(6);
    assertThat(cursor.change()).isEqualTo(30);
    assertThat(line.asked).hasSize(1);
  }

  /** Anybody may ask, and building a part of thousands takes a while. */
  @Test
  void after_anyCursor_fewPartsAreMade_andNothingIsLeftOut() throws Exception {
    line.endTurns(10_000);

    for (int known = 0; known <= 10_000; known += 7) {
      EndedTurns part = ask(new Cursor(line.born, known));
      assertThat(part.from()).isLessThanOrEqualTo(known);
      assertThat(part.to()).isGreaterThan(known == 10_000 ? 9_999 : known);
      assertThat(idsIn(part)).hasSize((int) (part.to() - part.from()));
    }

    assertThat(made).hasSizeLessThan(10);
    assertThat(line.asked).hasSize(1);
  }

  /** Reading a million takes longer than gates wait. */
  @Test
  void after_aServerThatHasJustBegun_answersWhoKnowsMostOfIt_whileItReadsTheRest()
      throws Exception {
    line.endTurns(100_000);
    var knowsAll = new Cursor(line.born, line.change);
    line.endTurns(1);
    line.isHeldBack = true;

    EndedTurns news = ask(new Cursor(line.born, knowsAll.change()));
    assertThat(idsIn(news)).contains(fingerprint(line.turns.getLast()));
    assertThat(news.to()).isEqualTo(line.change);
    assertThat(line.asked).as("nobody needs all of them").isEmpty();

    CompletableFuture<String> newGate = beginAsking(new Cursor(0, 0));
    CompletableFuture<String> madeUp = beginAsking(new Cursor(line.born, 1));
    CompletableFuture<String> ofAnother = beginAsking(new Cursor(line.born - 1, line.change));
    line.waitUntilAskedForAll();
    line.endTurns(1);
    now.updateAndGet(t -> t.plusSeconds(1));
    EndedTurns later = ask(new Cursor(line.born, news.to()));
    assertThat(idsIn(later)).contains(fingerprint(line.turns.getLast()));
    assertThat(newGate).isNotDone();
    assertThat(madeUp).isNotDone();
    assertThat(ofAnother).isNotDone();

    line.letGo();
    assertThat(idsIn(part(newGate))).hasSizeLessThan(10_000);
    assertThat(part(madeUp).from()).isLessThanOrEqualTo(1);
    assertThat(part(ofAnother).from()).isZero();
    assertThat(line.asked).as("one read of all, whoever asks").containsExactly(0L, later.from());
    assertThat(allHeardAfter(new Cursor(0, 0))).hasSize(100_002).doesNotHaveDuplicates();
  }

  @Test
  void after_theRestCannotBeRead_onlyThoseWhoNeedItHear_andItIsReadAgain() throws Exception {
    line.endTurns(100_000);
    line.isAllAway = true;
    assertThat(idsIn(ask(new Cursor(line.born, line.change - 1)))).isNotEmpty();
    assertThat(asking(new Cursor(0, 0))).isCompletedExceptionally();
    assertThat(asking(new Cursor(line.born, 1))).isCompletedExceptionally();
    assertThat(line.asked).containsExactly(0L);
    assertThat(asking(new Cursor(line.born, line.change))).isCompleted();

    line.isAllAway = false;
    now.updateAndGet(t -> t.plusSeconds(1));
    assertThat(allHeardAfter(new Cursor(0, 0))).hasSize(100_000).doesNotHaveDuplicates();
  }

  @Test
  void after_queueMadeAnewWhileTheRestIsRead_nothingOfTheOldOneIsTold() throws Exception {
    line.endTurns(100_000);
    line.isHeldBack = true;
    CompletableFuture<String> newGate = beginAsking(new Cursor(0, 0));
    line.waitUntilAskedForAll();
    line.born += 1_000;
    line.turns.clear();
    line.change = 0;
    line.endTurns(2);
    now.updateAndGet(t -> t.plusSeconds(1));

    assertThat(idsIn(ask(new Cursor(line.born, 0)))).hasSize(2);
    line.letGo();
    newGate.handle((_, _) -> "").get(5, TimeUnit.SECONDS);
    assertThat(allHeardAfter(new Cursor(0, 0))).hasSize(2);
  }

  @Test
  void after_moreThanCanBeTold_isNotReadAgainAllTheTime() throws Exception {
    var small = new EndedFeed(QUEUE, line, passes, now::get, 100);
    line.endTurns(101);
    for (int second = 0; second < 60; second++) {
      CompletableFuture<String> asked =
          small.after(new Cursor(0, 0), _ -> "").toCompletableFuture();
      assertThat(asked.handle((_, problem) -> problem).get(5, TimeUnit.SECONDS))
          .hasMessageContaining("than can be told");
      now.updateAndGet(t -> t.plusSeconds(1));
    }
    assertThat(line.asked).hasSize(1);

    line.turns.removeFirst();
    assertThat(
            small
                .after(new Cursor(0, 0), _ -> "all")
                .toCompletableFuture()
                .get(5, TimeUnit.SECONDS))
        .isEqualTo("all");
  }

  @Test
  void after_passesEnded_areNotToldAnyMore() throws Exception {
    line.endTurns(5);
    assertThat(idsIn(ask(new Cursor(0, 0)))).hasSize(5);

    now.updateAndGet(t -> t.plusSeconds(311));
    assertThat(idsIn(ask(new Cursor(0, 0)))).isEmpty();
  }

  @Test
  void after_aServerThatIsAhead_isToldNothingAndNotSentBack() throws Exception {
    line.endTurns(5);
    EndedTurns part = ask(new Cursor(line.born, 9));

    assertThat(part.from()).isEqualTo(5);
    assertThat(part.to()).isEqualTo(5);
    assertThat(idsIn(part)).isEmpty();
  }

  @Test
  void after_queueMadeAnew_beginsAnew() throws Exception {
    line.endTurns(5);
    ask(new Cursor(0, 0));
    line.born += 1_000;
    line.turns.clear();
    line.change = 0;
    line.endTurns(2);
    now.updateAndGet(t -> t.plusSeconds(1));

    EndedTurns part = ask(new Cursor(line.born - 1_000, 5));

    assertThat(part.born()).isEqualTo(line.born);
    assertThat(part.from()).isZero();
    assertThat(idsIn(part)).hasSize(2);
  }

  @Test
  void after_queueGone_isNoQueue_andWorthNothing() throws Exception {
    line.endTurns(5);
    ask(new Cursor(0, 0));
    assertThat(feed.isWorthless()).isFalse();
    line.born = 0;
    now.updateAndGet(t -> t.plusSeconds(1));

    EndedTurns part = ask(new Cursor(1_000, 5));
    assertThat(part.born()).as("now").isEqualTo(Micros.now(now::get));
    assertThat(idsIn(part)).isEmpty();
    assertThat(feed.isWorthless()).isTrue();
  }

  @Test
  void after_lineAway_fails_asksAgainAfterASecond_andGoesOn() throws Exception {
    line.endTurns(5);
    ask(new Cursor(0, 0));
    line.isAway = true;
    now.updateAndGet(t -> t.plusSeconds(1));
    for (int i = 0; i < 5; i++) {
      assertThat(asking(new Cursor(line.born, 5))).isCompletedExceptionally();
    }
    assertThat(line.asked).hasSize(2);

    line.isAway = false;
    line.endTurns(1);
    now.updateAndGet(t -> t.plusSeconds(1));
    assertThat(idsIn(ask(new Cursor(line.born, 5)))).hasSize(1);
    assertThat(line.asked).as("nothing was heard, so nothing is amiss").containsExactly(0L, 5L, 5L);
    assertThat(idsIn(ask(new Cursor(0, 0)))).hasSize(6);
  }

  @Test
  void after_lineAwayInTheMiddle_readsAll_eachOnce() throws Exception {
    line.endTurns(5);
    ask(new Cursor(0, 0));
    line.endTurns(3);
    line.goesAwayAfter = 2;
    now.updateAndGet(t -> t.plusSeconds(1));
    assertThat(asking(new Cursor(line.born, 5))).isCompletedExceptionally();

    line.goesAwayAfter = Integer.MAX_VALUE;
    now.updateAndGet(t -> t.plusSeconds(1));
    assertThat(idsIn(ask(new Cursor(0, 0)))).hasSize(8).doesNotHaveDuplicates();
    assertThat(line.asked).containsExactly(0L, 5L, 0L);
  }

  @Test
  void after_lineAwayForLong_readsAllAnew() throws Exception {
    line.endTurns(5);
    ask(new Cursor(0, 0));
    line.isAway = true;
    for (int second = 0; second < 61; second++) {
      now.updateAndGet(t -> t.plusSeconds(1));
      assertThat(asking(new Cursor(line.born, 5))).isCompletedExceptionally();
    }

    line.isAway = false;
    now.updateAndGet(t -> t.plusSeconds(1));
    assertThat(idsIn(ask(new Cursor(0, 0)))).hasSize(5);
    assertThat(line.asked.getLast()).isZero();
  }

  /** Anybody may ask for any name. */
  @Test
  void feeds_manyMadeUpNames_doNotPushAQueueOut() throws Exception {
    line.endTurns(5);
    var feeds = new EndedFeeds(line, passes, now::get);
    EndedFeed of = feeds.of(QUEUE);
    of.after(new Cursor(0, 0), _ -> "").toCompletableFuture().get(5, TimeUnit.SECONDS);

    for (int i = 0; i < 30_000; i++) {
      feeds.of(new QueueId("MADEUP", String.valueOf(i)));
    }

    assertThat(feeds.of(QUEUE)).isSameAs(of);
  }

  @Test
  void after_notAskedForLong_readsAllAnew() throws Exception {
    line.endTurns(5);
    ask(new Cursor(0, 0));
    now.updateAndGet(t -> t.plus(Duration.ofMinutes(2)));
    assertThat(feed.isWorthless()).isTrue();

    assertThat(idsIn(ask(new Cursor(0, 0)))).hasSize(5);
    assertThat(line.asked).containsExactly(0L, 0L);
  }

  @Test
  void known_asManyTurnsAsThereAre_eachSecondOnce() throws Exception {
    line.endTurns(10_000);
    var known = known();
    for (int i = 0; i < 100; i++) {
      assertThat(isOver(known, line.turns.getFirst())).isTrue();
      assertThat(isOver(known, line.turns.getLast())).isTrue();
    }
    OverTurn next = line.willEnd();
    assertThat(isOver(known, next)).isFalse();
    assertThat(line.asked).containsExactly(0L);

    line.endTurns(1);
    now.updateAndGet(t -> t.plusSeconds(1));
    assertThat(isOver(known, next)).isTrue();
    assertThat(line.asked).containsExactly(0L, 10_000L);
  }

  @Test
  void known_lineAway_servesOn_andFailsOnlyIfItNeverWas() throws Exception {
    line.endTurns(5);
    var known = known();
    assertThat(isOver(known, line.turns.getFirst())).isTrue();
    line.isAway = true;
    for (int i = 0; i < 3; i++) {
      now.updateAndGet(t -> t.plusSeconds(70));
      assertThat(isOver(known, line.turns.getFirst())).isTrue();
      assertThat(isOver(known, line.willEnd())).isFalse();
    }
    assertThat(line.asked).hasSize(4);
    CompletableFuture<?> never = known().known().toCompletableFuture();
    assertThat(never.handle((_, problem) -> problem).get(5, TimeUnit.SECONDS)).isNotNull();
  }

  /** Whatever ended meanwhile was said to other gates long ago. */
  @Test
  void known_notAskedForAWhile_isNotAnsweredFromBefore_howeverLongTheLineTakes() throws Exception {
    line.endTurns(5);
    var known = knownToTheImpatient();
    OverTurn next = line.willEnd();
    assertThat(isOver(known, next)).isFalse();
    line.endTurns(1);
    now.updateAndGet(t -> t.plusSeconds(5));
    line.slow = new CompletableFuture<>();

    CompletableFuture<?> asked = known.known().toCompletableFuture();

    assertThat(asked).isNotDone();
    line.slow.complete(null);
    asked.get(5, TimeUnit.SECONDS);
    assertThat(isOver(known, next)).isTrue();
  }

  /** Of a line that takes long, somebody who asks every second is told what is a little older. */
  @Test
  void known_askedForAMomentAgo_waitsForNobody() throws Exception {
    line.endTurns(5);
    var known = knownToTheImpatient();
    assertThat(isOver(known, line.turns.getFirst())).isTrue();
    now.updateAndGet(t -> t.plusSeconds(1));
    line.slow = new CompletableFuture<>();

    assertThat(isOver(known, line.turns.getFirst())).isTrue();
  }

  /** As NTP does with a clock that was ahead. */
  @Test
  void known_clockSetBack_hearsOfTurnsAllTheSame() throws Exception {
    KnownTurns known = known();
    line.endTurns(1);
    assertThat(isOver(known, line.turns.getLast())).isTrue();

    now.updateAndGet(t -> t.minusSeconds(60));
    for (int second = 0; second < 3; second++) {
      line.endTurns(1);
      assertThat(isOver(known, line.turns.getLast())).isTrue();
      now.updateAndGet(t -> t.plusSeconds(1));
    }
  }

  /** What was forgotten meanwhile as long past is not. */
  @ParameterizedTest
  @ValueSource(ints = {40, 3_600})
  void known_clockAheadForAWhile_knowsAgainWhatWasOver(int ahead) throws Exception {
    KnownTurns known = known();
    for (int i = 0; i < 300; i += 10) {
      line.endTurns(1);
      now.updateAndGet(t -> t.plusSeconds(10));
      assertThat(isOver(known, line.turns.getLast())).isTrue();
    }
    Instant soon = Objects.requireNonNull(now.get()).plusSeconds(2);
    List<OverTurn> good =
        line.turns.stream().filter(turn -> Passes.endOf(turn.entry()).isAfter(soon)).toList();

    now.updateAndGet(t -> t.plusSeconds(ahead));
    known.known().toCompletableFuture().get(5, TimeUnit.SECONDS);
    now.updateAndGet(t -> t.minusSeconds(ahead));
    for (int second = 0; second < 2; second++) {
      known.known().toCompletableFuture().get(5, TimeUnit.SECONDS);
      now.updateAndGet(t -> t.plusSeconds(1));
    }

    assertThat(good).hasSizeGreaterThan(25);
    for (OverTurn turn : good) {
      assertThat(isOver(known, turn)).isTrue();
    }
  }

  private KnownTurns known() {
    return new KnownTurns(QUEUE, new EndedFeeds(line, passes, now::get), now::get);
  }

  /** The same, for those who wait for no news unless they must. */
  private KnownTurns knownToTheImpatient() {
    return new KnownTurns(QUEUE, new EndedFeeds(line, passes, now::get), now::get, Duration.ZERO);
  }

  private boolean isOver(KnownTurns known, OverTurn turn) throws Exception {
    Entry entry = turn.entry();
    var pass =
        new Pass(
            "https://wait.example",
            QUEUE.toString(),
            QUEUE.toString(),
            entry.key().user(),
            passes.idOf(entry),
            Micros.toInstant(entry.entered()),
            Passes.endOf(entry));
    return known.known().toCompletableFuture().get(5, TimeUnit.SECONDS).isOver(pass);
  }

  private EndedTurns ask(Cursor cursor) throws Exception {
    return part(asking(cursor));
  }

  private EndedTurns part(CompletableFuture<String> asked) throws Exception {
    return Objects.requireNonNull(made.get(asked.get(5, TimeUnit.SECONDS)));
  }

  private CompletableFuture<String> asking(Cursor cursor) throws Exception {
    CompletableFuture<String> answer = beginAsking(cursor);
    answer.handle((_, _) -> "").get(5, TimeUnit.SECONDS);
    return answer;
  }

  private CompletableFuture<String> beginAsking(Cursor cursor) {
    return feed.after(
            cursor,
            part -> {
              String token = "part " + made.size();
              made.put(token, part);
              return token;
            })
        .toCompletableFuture();
  }

  /** What a gate gets to know, part by part. */
  private List<Long> allHeardAfter(Cursor cursor) throws Exception {
    List<Long> heard = new ArrayList<>();
    EndedTurns part;
    do {
      part = ask(cursor);
      heard.addAll(idsIn(part));
      cursor = new Cursor(part.born(), part.to());
    } while (part.more());
    return heard;
  }

  private long fingerprint(OverTurn turn) {
    return EndedTurns.fingerprint(passes.idOf(turn.entry()));
  }

  private static List<Long> idsIn(EndedTurns part) {
    List<Long> ids = new ArrayList<>();
    part.passes().values().forEach(some -> Arrays.stream(some).forEach(ids::add));
    return ids;
  }

  private static Passes passes(InstantSource clock) {
    var secret = new Secret(new byte[32]);
    var keys = new SigningKeys(new MemoryKeys(), secret, SigningKeys.Policy.DEFAULT, clock);
    return new Passes(keys, secret, () -> "https://wait.example", clock);
  }

  /** A line of which only turns that are over are asked for. */
  private final class FakeLine implements Line {
    final List<Long> asked = new ArrayList<>();
    final List<OverTurn> turns = new ArrayList<>();
    long born = 1_000;
    long change;
    int perChange = 1;
    boolean isAway;
    int goesAwayAfter = Integer.MAX_VALUE;
    boolean isAllAway;

    /** Until then it answers nobody. */
    volatile CompletableFuture<Void> slow = CompletableFuture.completedFuture(null);

    /** Whether whoever asks for all of them waits until they are let go. */
    volatile boolean isHeldBack;

    private final CountDownLatch askedForAll = new CountDownLatch(1);
    private final CompletableFuture<Void> going = new CompletableFuture<>();

    void waitUntilAskedForAll() throws InterruptedException {
      assertThat(askedForAll.await(5, TimeUnit.SECONDS)).isTrue();
    }

    void letGo() {
      isHeldBack = false;
      going.complete(null);
    }

    void endTurns(int count) {
      for (int i = 0; i < count; i++) {
        if (i % perChange == 0) {
          change++;
        }
        turns.add(willEnd());
      }
    }

    /** The next one, which has not ended yet. */
    OverTurn willEnd() {
      long at = Micros.now(now::get);
      var key = new EntryKey(QUEUE, "user" + turns.size(), born + turns.size());
      var entry = new Entry(key, Entry.Status.ENTERED, at, at + 300 * Micros.PER_SECOND);
      return new OverTurn(entry, change);
    }

    @Override
    public CompletionStage<Told> latestOver(QueueId queue, int most, Consumer<OverTurn> each) {
      if (turns.size() <= most) {
        asked.add(0L);
        return told(0, each);
      }
      List<OverTurn> latest = turns.subList(turns.size() - most, turns.size());
      long before = latest.getFirst().change();
      latest.stream().filter(turn -> turn.change() > before).forEach(each);
      return CompletableFuture.completedStage(new Told.Latest(born, before, change));
    }

    @Override
    public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
      asked.add(after);
      if (after == 0 && isHeldBack) {
        List<OverTurn> all = List.copyOf(turns);
        var told = new Told.UpTo(born, change);
        askedForAll.countDown();
        return going.thenApply(
            _ -> {
              all.forEach(each);
              return told;
            });
      }
      if (isAllAway) {
        return CompletableFuture.failedStage(
            new QueueUnavailable(QueueUnavailable.Kind.TIMEOUT, "too many to read"));
      }
      return told(after, each);
    }

    private CompletionStage<Told> told(long after, Consumer<OverTurn> each) {
      return slow.thenCompose(_ -> toldNow(after, each));
    }

    private CompletionStage<Told> toldNow(long after, Consumer<OverTurn> each) {
      if (isAway) {
        return CompletableFuture.failedStage(
            new QueueUnavailable(QueueUnavailable.Kind.DISCONNECTED, "away"));
      }
      if (born == 0) {
        return CompletableFuture.completedStage(new Told.NoQueue());
      }
      List<OverTurn> news =
          turns.stream().filter(turn -> turn.change() > after || after > change).toList();
      news.stream().limit(goesAwayAfter).forEach(each);
      if (news.size() > goesAwayAfter) {
        return CompletableFuture.failedStage(
            new QueueUnavailable(QueueUnavailable.Kind.DISCONNECTED, "away in the middle"));
      }
      return CompletableFuture.completedStage(new Told.UpTo(born, change));
    }

    @Override
    public CompletionStage<Standing> locate(QueueId queue, String user) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public CompletionStage<Standing> earlier(EntryKey entry) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public CompletionStage<Moved> since(QueueId queue, long since) {
      throw new AssertionError("nobody asks");
    }
  }
}
