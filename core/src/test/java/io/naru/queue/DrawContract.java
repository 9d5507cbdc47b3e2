package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.line.InLane;
import io.naru.line.Moved;
import io.naru.line.Score;
import io.naru.line.Spot;
import io.naru.line.Tickets;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Entry.Status;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** What every queue promises in whose order chance has a part, wherever it is decided. */
public abstract class DrawContract extends DoorsContract {

  protected static final Duration HOUR = Duration.ofHours(1);

  private static final String ENTROPY = "07".repeat(32);
  private static final String ROOT = "ab".repeat(32);
  private static final String SIGNATURE = "cd".repeat(48);

  private static final List<Map<String, Object>> LANES =
      List.of(Map.of("name", "vip", "share", 70), Map.of("name", "normal", "share", 30));

  protected abstract Draws draws();

  // The words to act on a draw.

  /** A queue with a lobby, which opens in an hour. */
  protected void openLobby(Map<String, Object> more) {
    openLobby(more, ENTROPY);
  }

  private void openLobby(Map<String, Object> more, String entropy) {
    // By a clock that other tests have moved.
    activateCalm(1_000, 1_000);
    long now = overview().queue().createdAt();
    Instant opening = Micros.toInstant(now).plus(HOUR);
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("lobbyOpensAt", Micros.toInstant(now).toString());
    settings.put("opensAt", opening.toString());
    edit(Edit.activate(settings).entropy(entropy));
  }

  /** Its time has come, and somebody notices. */
  protected void closeLobby() {
    advance(HOUR);
    admitPaced();
  }

  protected DrawView draw() {
    return await(draws().draw(queue)).orElseThrow();
  }

  protected Phase phase() {
    return draw().drawing().phase();
  }

  /** Those in the lobby, as somebody who seals it reads them, in small parts. */
  protected List<List<LobbyEntry>> readLobby() {
    List<List<LobbyEntry>> lanes = new ArrayList<>();
    for (int lane = 0; lane < draw().lanes().size(); lane++) {
      List<LobbyEntry> all = new ArrayList<>();
      List<LobbyEntry> part;
      do {
        long after = all.isEmpty() ? 0 : all.getLast().joined();
        part = await(draws().lobby(queue, lane, after, 3));
        all.addAll(part);
      } while (part.size() == 3);
      lanes.add(all);
    }
    return lanes;
  }

  private Seal sealOf(List<List<LobbyEntry>> lobby, String id) {
    List<Long> counts = lobby.stream().map(lane -> (long) lane.size()).toList();
    return new Seal(draw().commitment(), id, ROOT, counts);
  }

  /** Seals who is in the lobby; says when they joined, in an order that is nobody's. */
  protected List<Long> seal(long random) {
    List<List<LobbyEntry>> lobby = readLobby();
    assertThat(await(draws().seal(queue, sealOf(lobby, "list-1"))))
        .isInstanceOf(DrawStep.Taken.class);
    List<Long> order = new ArrayList<>();
    lobby.forEach(lane -> lane.forEach(entry -> order.add(entry.joined())));
    Collections.shuffle(order, new Random(random));
    return order;
  }

  protected DrawStep settle(long from, List<Long> joined) {
    return await(draws().settle(queue, draw().commitment(), from, joined));
  }

  protected void settleAll(List<Long> order) {
    assertThat(settle(0, order)).isInstanceOf(DrawStep.Taken.class);
    goOn();
  }

  /** As the beat does, as long as there is something to do. */
  private void goOn() {
    for (int i = 0; i < 10 && phase() != Phase.DONE; i++) {
      admit(new Admission.Paced());
    }
  }

  private Place join(String user, Claim claim) {
    return ((Joined.Waiting) await(queues().join(queue, user, claim))).place();
  }

  private List<String> names(List<Entry> entries) {
    return entries.stream().map(entry -> entry.key().user()).toList();
  }

  /** Those who wait with a place, by their places. */
  private List<String> line(List<String> users) {
    return users.stream()
        .map(this::placeOf)
        .filter(place -> place.entry().isWaiting() && place.isSettled())
        .sorted(Comparator.comparingLong(Place::score))
        .map(place -> place.entry().key().user())
        .toList();
  }

  private static List<String> users(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }

  private List<String> named(List<Long> order, List<String> users) {
    Map<Long, String> byJoined = new HashMap<>();
    users.forEach(user -> byJoined.put(placeOf(user).entry().key().joined(), user));
    return order.stream().map(byJoined::get).toList();
  }

  // Lobby and draw.

  @Test
  void lobby_nobodyHasAPlace_andNobodyIsAheadOfAnybody() {
    openLobby(Map.of());
    assertThat(phase()).isEqualTo(Phase.LOBBY);
    assertThat(draw().number()).isEqualTo(1);
    Place first = joinNew("ann");
    joinNew("bob");

    assertThat(first.isSettled()).isFalse();
    assertThat(placeOf("bob").isSettled()).isFalse();
    assertThat(placeOf("bob").ticket()).isZero();
    assertThat(placeOf("bob").line().drawing().phase()).isEqualTo(Phase.LOBBY);
    assertThat(overview().queue().drawing().phase()).isEqualTo(Phase.LOBBY);
    assertThat(placeOf("ann").line().waiting()).isEqualTo(2);
    assertThat(figures().waiting()).isEqualTo(2);
    assertThat(figures().lanes()).isEmpty();
    assertThat(InLane.of(placeOf("bob").line(), placeOf("bob").score(), 1).waiting()).isEqualTo(2);
    assertThat(await(line().tickets(queue)).orElseThrow().lanes())
        .extracting(Tickets.OfLane::range)
        .containsExactly(Tickets.Range.empty(0));
    assertThat(admitByHand(5).entries()).isEmpty();
    assertThat(await(queues().due())).doesNotContain(queue);
    assertThat(await(draws().underWay())).doesNotContain(queue);
    assertThat(join("ann")).isInstanceOf(Joined.AlreadyIn.class);
    assertThat(await(draws().lobby(queue, 0, 0, 9))).as("not closed").isEmpty();
  }

  @Test
  void lobby_itsTimeHasCome_isClosedAndKnowsWhoIsDrawn() {
    openLobby(Map.of());
    joinMany("user", 5);
    advance(HOUR);

    assertThat(await(queues().due())).contains(queue);
    assertThat(admitPaced().entries()).isEmpty();

    DrawView draw = draw();
    assertThat(draw.drawing().phase()).isEqualTo(Phase.CLOSED);
    assertThat(draw.closedAt()).isPositive();
    assertThat(draw.lanes()).containsExactly(new DrawView.OfLane("", 0, 5, 0));
    assertThat(draw.isSealed()).isFalse();
    assertThat(draw.seed()).isEmpty();
    assertThat(await(draws().underWay())).contains(queue);
    assertThat(await(queues().due())).doesNotContain(queue);
    Place late = joinNew("late");
    assertThat(late.isSettled()).isFalse();
    assertThat(late.entry().key().joined()).isGreaterThan(draw.drawing().lastJoined());
    assertThat(readLobby().getFirst())
        .extracting(LobbyEntry::user)
        .containsExactlyInAnyOrderElementsOf(users("user", 5));
  }

  @Test
  void draw_bySeed_theLineIsExactlyTheGivenOrder_andThoseWhoCameLaterStandBehind() {
    openLobby(Map.of());
    joinMany("user", 20);
    closeLobby();
    joinNew("late0");
    List<Long> order = seal(1);
    assertThat(draw().isDrawn()).isTrue();
    assertThat(draw().seed()).isEqualTo(hmac(ENTROPY, "draw"));
    assertThat(draw().commitment()).isEqualTo(sha256(draw().seed()));
    assertThat(draw().windowSeed()).isEmpty();
    List<String> expected = new ArrayList<>(named(order, users("user", 20)));

    assertThat(settle(0, order.subList(0, 7))).isInstanceOf(DrawStep.Taken.class);
    assertThat(settle(0, order.subList(0, 7))).as("again").isInstanceOf(DrawStep.NotTaken.class);
    assertThat(settle(14, order.subList(14, 20)))
        .as("out of turn")
        .isInstanceOf(DrawStep.NotTaken.class);
    assertThat(line(expected)).isEqualTo(expected.subList(0, 7));
    assertThat(placeOf(expected.get(6)).ahead()).isEqualTo(6);
    assertThat(draw().drawing())
        .isEqualTo(new Drawing(Phase.DRAWN, draw().drawing().lastJoined(), 7));
    assertThat(placeOf(expected.get(0)).line().drawing()).isEqualTo(draw().drawing());
    joinNew("late1");
    assertThat(placeOf("late0").isSettled()).isFalse();
    assertThat(settle(7, order.subList(7, 14))).isInstanceOf(DrawStep.Taken.class);
    assertThat(settle(14, order.subList(14, 20))).isInstanceOf(DrawStep.Taken.class);
    assertThat(await(queues().due())).as("those behind").contains(queue);
    goOn();

    assertThat(phase()).isEqualTo(Phase.DONE);
    assertThat(await(draws().underWay())).doesNotContain(queue);
    expected.addAll(List.of("late0", "late1"));
    assertThat(joinNew("late2").isSettled()).isTrue();
    expected.add("late2");
    List<String> still =
        expected.stream().filter(user -> placeOf(user).entry().isWaiting()).toList();
    assertThat(line(expected)).isEqualTo(still);
    admitByHand(1_000);
    assertThat(
            expected.stream()
                .map(user -> placeOf(user).entry())
                .allMatch(entry -> entry.status() == Status.ENTERED))
        .isTrue();
  }

  @Test
  void draw_admission_takesOnlyWhoHasAPlace_inTheDrawnOrder() {
    openLobby(Map.of("maxCapacity", 6, "entryBatchSize", 4));
    joinMany("user", 10);
    closeLobby();
    List<Long> order = seal(2);
    List<String> expected = named(order, users("user", 10));
    assertThat(admitByHand(10).entries()).isEmpty();
    settle(0, order.subList(0, 3));

    assertThat(names(admitPaced().entries())).isEqualTo(expected.subList(0, 3));
    assertThat(admitPaced().entries()).isEmpty();
    settle(3, order.subList(3, 10));
    assertThat(names(admitPaced().entries())).as("pace").isEqualTo(expected.subList(3, 4));
    assertThat(names(admitByHand(10).entries())).as("room").isEqualTo(expected.subList(4, 6));
    assertThat(figures().inside()).isEqualTo(6);
    assertThat(placeOf(expected.get(9)).ahead()).isEqualTo(3);
  }

  @Test
  void draw_leavingInEachPhase_isOutAndMovesNobodyElse() {
    openLobby(Map.of());
    joinMany("user", 8);
    leave(placeOf("user0").entry().key());
    closeLobby();
    assertThat(draw().lanes().getFirst().waiting()).isEqualTo(7);
    leave(placeOf("user1").entry().key());
    List<List<LobbyEntry>> listed = readLobby();
    // Between reading and sealing, so that somebody is in the list who is not there.
    leave(placeOf("user2").entry().key());
    List<Long> order = new ArrayList<>();
    listed.getFirst().forEach(entry -> order.add(entry.joined()));
    Collections.shuffle(order, new Random(3));
    List<LobbyEntry> byName = listed.getFirst();
    List<String> expected =
        new ArrayList<>(
            order.stream()
                .map(
                    joined ->
                        byName.stream()
                            .filter(e -> e.joined() == joined)
                            .findFirst()
                            .orElseThrow()
                            .user())
                .toList());
    assertThat(await(draws().seal(queue, sealOf(listed, "a")))).isInstanceOf(DrawStep.Taken.class);
    assertThat(draw().count()).isEqualTo(6);
    leave(placeOf("user3").entry().key());
    settle(0, order.subList(0, 3));
    assertThat(await(queues().remove(queue, "user4", EndReason.REMOVED, Actor.SYSTEM)))
        .isInstanceOf(Removed.Done.class);
    settle(3, order.subList(3, 6));
    goOn();

    expected.removeAll(List.of("user2", "user3", "user4"));
    assertThat(phase()).isEqualTo(Phase.DONE);
    List<String> in = expected.stream().filter(u -> statusOf(u) == Status.ENTERED).toList();
    assertThat(in).isEqualTo(expected.subList(0, in.size()));
    assertThat(figures().waiting() + figures().inside()).isEqualTo(3);
    assertThat(figures().left()).isEqualTo(5);
  }

  @Test
  void draw_everybodyLeaves_isDoneAndNewcomersHaveAPlace() {
    openLobby(Map.of());
    List<EntryKey> all = joinMany("user", 3);
    closeLobby();
    all.forEach(this::leave);

    assertThat(joinNew("late").isSettled()).isTrue();
    assertThat(phase()).isEqualTo(Phase.DONE);
    assertThat(names(admitByHand(1).entries())).containsExactly("late");
  }

  @Test
  void draw_emptyLobby_isDoneAtOnce() {
    openLobby(Map.of());
    advance(HOUR);
    assertThat(joinNew("ann").isSettled()).isTrue();
    assertThat(phase()).isEqualTo(Phase.DONE);
  }

  @Test
  void seal_twoServers_theFirstIsTakenForBoth() {
    openLobby(Map.of("draw", "COIN"));
    joinMany("user", 4);
    assertThat(
            await(draws().seal(queue, new Seal(draw().commitment(), "early", ROOT, List.of(4L)))))
        .as("before it is closed")
        .isInstanceOf(DrawStep.NotTaken.class);
    closeLobby();
    Seal first = sealOf(readLobby(), "first");
    Seal second = sealOf(readLobby(), "second");
    assertThatThrownBy(
            () -> await(draws().seal(queue, new Seal(draw().commitment(), "x", ROOT, List.of(3L)))))
        .as("somebody who waits is missing")
        .isInstanceOf(InvalidValue.class);
    assertThatThrownBy(
            () -> await(draws().seal(queue, new Seal(draw().commitment(), "x", ROOT, List.of(5L)))))
        .as("somebody is in it who was not there")
        .isInstanceOf(InvalidValue.class);

    assertThat(await(draws().seal(queue, first))).isInstanceOf(DrawStep.Taken.class);
    assertThat(await(draws().seal(queue, second)))
        .isInstanceOfSatisfying(
            DrawStep.NotTaken.class, no -> assertThat(no.draw().sealId()).isEqualTo("first"));
    assertThat(await(draws().seal(queue, first))).as("again").isInstanceOf(DrawStep.Taken.class);
    assertThat(draw().root()).isEqualTo(ROOT);
    assertThat(draw().lanes()).containsExactly(new DrawView.OfLane("", 0, 4, 4));
    assertThat(await(draws().seal(newQueueId(), first))).isEqualTo(new DrawStep.NoDraw());
  }

  /** Whoever stood still while a queue was deleted and made anew decides nothing in the new one. */
  @Test
  void steps_ofAnEarlierQueueOfThisName_areNotTaken() {
    openLobby(Map.of());
    joinMany("user", 4);
    closeLobby();
    Seal old = sealOf(readLobby(), "old");
    String commitment = draw().commitment();
    await(queues().delete(queue, Actor.SYSTEM));
    openLobby(Map.of("draw", "COIN"), "cd".repeat(32));
    joinMany("other", 4);
    closeLobby();
    List<Long> order = readLobby().getFirst().stream().map(LobbyEntry::joined).toList();

    assertThat(draw().number()).isEqualTo(1);
    assertThat(await(draws().seal(queue, old))).isInstanceOf(DrawStep.NotTaken.class);
    assertThat(await(draws().seal(queue, sealOf(readLobby(), "new"))))
        .isInstanceOf(DrawStep.Taken.class);
    assertThat(await(draws().coin(queue, commitment, draw().round(), SIGNATURE)))
        .isInstanceOf(DrawStep.NotTaken.class);
    edit(Edit.put(Map.of("draw", "SEED"), OptionalLong.empty()));
    assertThat(await(draws().settle(queue, commitment, 0, order)))
        .isInstanceOf(DrawStep.NotTaken.class);
    settleAll(order);
    assertThat(phase()).isEqualTo(Phase.DONE);
  }

  @Test
  void coin_onlyTheVeryRound_draws() {
    openLobby(Map.of("draw", "COIN"));
    joinMany("user", 4);
    closeLobby();
    List<Long> order = seal(4);
    DrawView sealed = draw();
    assertThat(sealed.isWaitingForCoin()).isTrue();
    assertThat(sealed.drawing().phase()).isEqualTo(Phase.CLOSED);
    assertThat(sealed.seed()).isEmpty();
    long genesis = Micros.of(Instant.ofEpochSecond(1_692_803_367));
    long at = genesis + 3 * Micros.PER_SECOND * (sealed.round() - 1);
    assertThat(at - sealed.sealedAt())
        .isBetween(10 * Micros.PER_SECOND, 13 * Micros.PER_SECOND - 1);
    assertThat(settle(0, order)).as("not drawn").isInstanceOf(DrawStep.NotTaken.class);

    assertThat(await(draws().coin(queue, sealed.commitment(), sealed.round() + 1, SIGNATURE)))
        .isInstanceOf(DrawStep.NotTaken.class);
    assertThat(await(draws().coin(queue, ROOT, sealed.round(), SIGNATURE)))
        .isInstanceOf(DrawStep.NotTaken.class);
    assertThat(draw().isDrawn()).isFalse();
    assertThat(await(draws().coin(queue, sealed.commitment(), sealed.round(), SIGNATURE)))
        .isInstanceOf(DrawStep.Taken.class);
    assertThat(await(draws().coin(queue, sealed.commitment(), sealed.round(), SIGNATURE)))
        .as("again")
        .isInstanceOf(DrawStep.Taken.class);
    assertThat(await(draws().coin(queue, sealed.commitment(), sealed.round(), "ef".repeat(48))))
        .isInstanceOf(DrawStep.NotTaken.class);

    assertThat(draw().signature()).isEqualTo(SIGNATURE);
    assertThat(draw().kind()).isEqualTo(Fairness.Draw.COIN);
    assertThat(draw().seed()).isNotEmpty();
    settleAll(order);
    assertThat(phase()).isEqualTo(Phase.DONE);
  }

  @Test
  void coin_doesNotCome_theOperatorGoesOverToTheSeed() {
    openLobby(Map.of("draw", "COIN"));
    joinMany("user", 4);
    closeLobby();
    List<Long> order = seal(5);
    long round = draw().round();

    edit(Edit.put(Map.of("draw", "SEED"), OptionalLong.empty()));

    assertThat(draw().isDrawn()).isTrue();
    assertThat(draw().kind()).isEqualTo(Fairness.Draw.SEED);
    assertThat(draw().signature()).isEmpty();
    assertThat(await(draws().coin(queue, draw().commitment(), round, SIGNATURE)))
        .isInstanceOf(DrawStep.NotTaken.class);
    settleAll(order);
    assertThat(phase()).isEqualTo(Phase.DONE);
  }

  @Test
  void draw_lanes_areDrawnEachByItself() {
    openLobby(Map.of("lanes", LANES));
    for (int i = 0; i < 6; i++) {
      join("vip" + i, new Claim("vip", ""));
      join("normal" + i, Claim.NONE);
    }
    assertThat(figures().lanes()).extracting(LaneCount::waiting).containsExactly(6L, 6L);
    closeLobby();
    assertThat(draw().lanes()).extracting(DrawView.OfLane::name).containsExactly("vip", "normal");
    assertThat(draw().lanes()).extracting(DrawView.OfLane::waiting).containsExactly(6L, 6L);
    join("vipLate", new Claim("vip", ""));
    List<List<LobbyEntry>> lobby = readLobby();
    assertThat(lobby.getFirst()).extracting(LobbyEntry::user).allMatch(u -> u.startsWith("vip"));
    List<Long> order = seal(6);
    List<String> all = new ArrayList<>(users("vip", 6));
    all.addAll(users("normal", 6));
    List<String> expected = named(order, all);
    settle(0, order.subList(0, 5));
    settle(5, order.subList(5, 12));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    goOn();

    List<String> vip = expected.stream().filter(u -> u.startsWith("vip")).toList();
    List<String> normal = expected.stream().filter(u -> u.startsWith("normal")).toList();
    assertThat(line(users("normal", 6))).isEqualTo(normal);
    assertThat(line(users("vip", 6))).isEqualTo(vip);
    assertThat(placeOf(vip.get(5)).ahead()).isEqualTo(5);
    assertThat(placeOf("vipLate").ahead()).isEqualTo(6);
    assertThat(placeOf("vipLate").ticket()).isEqualTo(7);
    edit(Edit.of(Edit.Act.RESUME, ""));
    List<String> in = names(admitByHand(10).entries());
    assertThat(in.stream().filter(u -> u.startsWith("vip")))
        .isEqualTo(
            List.of(
                vip.get(0), vip.get(1), vip.get(2), vip.get(3), vip.get(4), vip.get(5), "vipLate"));
    assertThat(in.stream().filter(u -> u.startsWith("normal"))).isEqualTo(normal.subList(0, 3));
  }

  @Test
  void move_inTheLobby_isToTheLobbyOfTheOtherLane_laterItHasToWait() {
    openLobby(Map.of("lanes", LANES));
    Place ann = join("ann", Claim.NONE);
    join("bob", new Claim("vip", ""));
    assertThat(await(queues().move(queue, "ann", "vip", Actor.SYSTEM)))
        .isEqualTo(new Shifted.Done(Shifted.NO_PLACE, true));
    assertThat(await(queues().makeCodes(queue, "vip", Set.of("code"), Actor.SYSTEM)))
        .isEqualTo(Coded.DONE);
    assertThat(placeOf("ann").isSettled()).isFalse();
    assertThat(placeOf("ann").entry()).isEqualTo(ann.entry());
    assertThat(figures().lanes()).extracting(LaneCount::waiting).containsExactly(2L, 0L);
    join("cid", Claim.NONE);
    closeLobby();

    assertThat(await(queues().move(queue, "cid", "vip", Actor.SYSTEM)))
        .isEqualTo(new Shifted.NotNow());
    assertThat(await(queues().join(queue, "cid", new Claim("", "code"))))
        .as("the code is kept")
        .isInstanceOf(Joined.AlreadyIn.class);
    assertThat(await(queues().handOff(placeOf("cid").entry().key(), "phone")))
        .isEqualTo(new HandedOff.NotNow());
    assertThat(readLobby().getFirst()).extracting(LobbyEntry::user).containsExactly("ann", "bob");
    settleAll(seal(7));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    join("dan", Claim.NONE);
    assertThat(await(queues().join(queue, "dan", new Claim("", "code"))))
        .isInstanceOf(Joined.Waiting.class);
    assertThat(InLane.of(placeOf("dan").line(), placeOf("dan").score(), 0).name()).isEqualTo("vip");
  }

  @Test
  void handOff_inTheLobby_isAnotherEntryInIt() {
    openLobby(Map.of());
    EntryKey ann = keyOf("ann");
    keyOf("bob");
    var taken = (HandedOff.Has) await(queues().handOff(ann, "phone"));
    assertThat(placeOf("phone").entry().key()).isEqualTo(taken.entry());
    assertThat(placeOf("phone").isSettled()).isFalse();
    assertThat(placeOf("ann").entry().isHandedOff()).isTrue();
    assertThat(await(queues().handOff(ann, "thief"))).isEqualTo(new HandedOff.NoPlace());
    keyOf("cid");
    assertThat(await(queues().handOff(ann, "cid")))
        .as("who came by themselves later")
        .isEqualTo(new HandedOff.NoPlace());
    assertThat(await(queues().handOff(ann, "phone"))).as("told again").isEqualTo(taken);
    closeLobby();
    assertThat(readLobby().getFirst())
        .extracting(LobbyEntry::user)
        .containsExactly("bob", "phone", "cid");
    assertThat(figures().waiting()).isEqualTo(3);
  }

  @Test
  void erase_inTheLobby_isOut() {
    openLobby(Map.of());
    keyOf("ann");
    keyOf("bob");
    assertThat(await(queues().erase(queue, "ann", "erased-1", Actor.SYSTEM)))
        .isEqualTo(Erased.DONE);
    closeLobby();
    assertThat(readLobby().getFirst()).extracting(LobbyEntry::user).containsExactly("bob");
  }

  @Test
  void end_inTheMiddleOfADraw_everybodyHears() {
    openLobby(Map.of("lanes", LANES));
    joinMany("user", 6);
    join("vip", new Claim("vip", ""));
    closeLobby();
    List<Long> order = seal(8);
    edit(Edit.of(Edit.Act.PAUSE, ""));
    settle(0, order.subList(0, 3));
    joinNew("late");

    edit(Edit.of(Edit.Act.END, ""));
    assertThat(settle(3, order.subList(3, 5))).isInstanceOf(DrawStep.NotTaken.class);
    admit(new Admission.Paced());

    assertThat(figures().waiting()).isZero();
    assertThat(figures().expired()).isEqualTo(8);
    for (String user : List.of("user0", "user5", "vip", "late")) {
      assertThat(placeOf(user).entry().isEndedWithQueue()).isTrue();
    }
    assertThat(draw().windowSeed()).isEqualTo(hmac(ENTROPY, "window"));
    assertThat(draw().windowCommitment()).isEqualTo(sha256(draw().windowSeed()));
    assertThat(await(draws().underWay())).doesNotContain(queue);

    activate(Map.of());
    assertThat(draw().number()).isEqualTo(2);
    assertThat(draw().windowSeed()).isEmpty();
    assertThat(draw().commitment()).isNotEqualTo(sha256(hmac(ENTROPY, "draw")));
    assertThat(joinNew("again").isSettled()).isTrue();
  }

  /** A million leaves take a while, and people go on coming. */
  @Test
  void leaves_areKeptOneAfterTheOther_whileOthersJoin() throws Exception {
    openLobby(Map.of());
    joinMany("user", 3);
    closeLobby();
    var isOver = new AtomicBoolean();
    Thread joining =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int i = 0; !isOver.get(); i++) {
                    joinNew("late" + i);
                  }
                });
    try {
      for (int part = 0; part < 100; part++) {
        assertThat(await(draws().keepLeaves(queue, "list-1", part, new byte[41]))).isTrue();
      }
      await(draws().forgetLeaves(queue, "list-1"));
    } finally {
      isOver.set(true);
      joining.join();
    }
  }

  @Test
  void leaves_areKeptInParts_andThoseOfOtherListsCanBeForgotten() {
    openLobby(Map.of());
    joinMany("user", 2);
    closeLobby();
    byte[] leaves = new byte[41 * 4_096];
    new Random(9).nextBytes(leaves);
    assertThat(await(draws().keepLeaves(queue, "list-1", 0, leaves))).isTrue();
    assertThat(await(draws().keepLeaves(queue, "list-1", 1, new byte[] {1, 2, 3}))).isTrue();
    assertThat(await(draws().keepLeaves(queue, "list-1", 1, new byte[] {4}))).isTrue();
    assertThat(await(draws().keepLeaves(queue, "other", 0, new byte[] {5}))).isTrue();
    assertThat(await(draws().keepLeaves(newQueueId(), "list-1", 0, leaves))).isFalse();
    seal(9);

    await(draws().forgetLeaves(queue, "other"));
    await(draws().forgetLeaves(queue, "list-1"));

    assertThat(await(draws().leaves(queue, "list-1", 0)).orElseThrow()).isEqualTo(leaves);
    assertThat(await(draws().leaves(queue, "list-1", 1)).orElseThrow()).containsExactly(4);
    assertThat(await(draws().leaves(queue, "list-1", 2))).isEmpty();
    assertThat(await(draws().leaves(queue, "other", 0))).isEmpty();
  }

  @Test
  void settle_somebodyIsNotNamed_standsBehindTheDrawnAndIsNotLost() {
    openLobby(Map.of());
    joinMany("user", 4);
    closeLobby();
    joinNew("late");
    List<Long> order = new ArrayList<>(seal(13));
    List<String> expected = named(order, users("user", 4));
    // As a server would whose leaves are spoilt.
    order.set(1, order.getFirst());
    edit(Edit.of(Edit.Act.PAUSE, ""));
    settleAll(order);

    assertThat(phase()).isEqualTo(Phase.DONE);
    List<String> all = new ArrayList<>(users("user", 4));
    all.add("late");
    assertThat(line(all))
        .containsExactly(
            expected.get(0), expected.get(2), expected.get(3), expected.get(1), "late");
  }

  @Test
  void settle_moreThanAStep_isRefused() {
    openLobby(Map.of());
    joinMany("user", 3);
    closeLobby();
    List<Long> order = new ArrayList<>(seal(10));
    order.add(1L);
    assertThatThrownBy(() -> settle(0, order)).isInstanceOf(InvalidValue.class);
    List<Long> many = Collections.nCopies(Draws.MAX_STEP + 1, 1L);
    assertThatThrownBy(() -> settle(0, many)).isInstanceOf(InvalidValue.class);
    assertThat(await(draws().settle(newQueueId(), draw().commitment(), 0, List.of())))
        .isEqualTo(new DrawStep.NoDraw());
    assertThat(draw().drawing().settled()).isZero();
  }

  @Test
  void viewer_isOutOfTheLobbyWithAPlace_andFollowsThatPlace() {
    openLobby(Map.of());
    joinMany("user", 6);
    closeLobby();
    List<Long> order = seal(11);
    String third = named(order, users("user", 6)).get(2);
    Place before = placeOf(third);
    var spot = new Spot(before.score(), before.ahead(), before.line().change());
    settle(0, order.subList(0, 2));
    var moved = (Moved.Steps) await(line().since(queue, spot.change()));
    assertThat(spot.follow(moved.moves())).as("no place yet").isEqualTo(Spot.Seen.SAME);
    settle(2, order.subList(2, 6));
    moved = (Moved.Steps) await(line().since(queue, spot.change()));
    assertThat(spot.follow(moved.moves())).isEqualTo(Spot.Seen.OUT);

    Place after = placeOf(third);
    assertThat(after.ahead()).isEqualTo(2);
    spot.read(after.score(), after.ahead(), after.line().change());
    admitByHand(1);
    moved = (Moved.Steps) await(line().since(queue, spot.change()));
    assertThat(spot.follow(moved.moves())).isEqualTo(Spot.Seen.NEARER);
    assertThat(spot.ahead()).isEqualTo(1);
  }

  @Test
  void viewer_movedWithinTheLobby_isOutOfTheLaneBefore() {
    openLobby(Map.of("lanes", LANES));
    Place before = join("ann", new Claim("vip", ""));
    var spot = new Spot(before.score(), before.ahead(), before.line().change());

    await(queues().move(queue, "ann", "normal", Actor.SYSTEM));

    var moved = (Moved.Steps) await(line().since(queue, spot.change()));
    assertThat(spot.follow(moved.moves())).isEqualTo(Spot.Seen.OUT);
  }

  // What an operator may set when.

  @Test
  void edit_chanceWherePeopleWait_isRefused_andThePublishedStaysSo() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    long now = ann.joined();
    Map<String, Object> lobby =
        Map.of(
            "lobbyOpensAt", Micros.toInstant(now).toString(),
            "opensAt", Micros.toInstant(now).plus(HOUR).toString());
    assertRefused("lobbyOpensAt", lobby);
    assertRefused("jitterMillis", Map.of("jitterMillis", 100));
    assertRefused("fairWindowMillis", Map.of("fairWindowMillis", 100));
    assertRefused("log", Map.of("log", true));
    assertThat(await(draws().draw(queue))).isEmpty();
    leave(ann);

    activate(Map.of("log", true));
    assertThat(draw().number()).isZero();
    assertThat(draw().drawing()).isEqualTo(Drawing.NONE);
    assertRefused("log", Map.of("log", false));
    activate(lobby);
    assertThat(draw().number()).isEqualTo(1);
    activate(Map.of("log", false));
    keyOf("ben");
    Map<String, Object> none = new HashMap<>();
    none.put("lobbyOpensAt", null);
    assertRefused("log", none);
    // Of a field that was not sent, the answer says why it is asked for.
    assertThatThrownBy(() -> edit(Edit.activate(none))).hasMessageContaining("send \"log\": true");
    none.put("log", true);
    assertRefused("lobbyOpensAt", none);
    leave(placeOf("ben").entry().key());
    activate(none);
    assertThat(draw().drawing()).isEqualTo(Drawing.NONE);
    activate(lobby);
    assertThat(draw().number()).isEqualTo(2);
  }

  private void assertRefused(String field, Map<String, Object> settings) {
    assertThatThrownBy(() -> edit(Edit.activate(settings)))
        .isInstanceOfSatisfying(
            InvalidValue.class, refused -> assertThat(refused.field()).isEqualTo(field));
  }

  @Test
  void edit_openingPutOff_theLobbyGoesOn() {
    openLobby(Map.of());
    keyOf("ann");
    Instant later = Micros.toInstant(overview().queue().createdAt()).plus(HOUR).plus(HOUR);
    edit(Edit.put(Map.of("opensAt", later.toString()), OptionalLong.empty()));
    advance(HOUR);
    admitPaced();
    assertThat(phase()).isEqualTo(Phase.LOBBY);
    assertThat(joinNew("bob").isSettled()).isFalse();
    advance(HOUR);
    admitPaced();
    assertThat(draw().lanes().getFirst().waiting()).isEqualTo(2);
  }

  @Test
  void edit_lanesInTheLobby_keepEverybodyInTheirs() {
    openLobby(Map.of());
    joinMany("user", 2);
    activate(Map.of("lanes", LANES));
    join("vip", new Claim("vip", ""));
    assertThat(figures().lanes()).extracting(LaneCount::waiting).containsExactly(1L, 2L);
    assertThat(edit(Edit.activate(Map.of("lanes", List.of()))))
        .isEqualTo(new Edited.LaneOccupied("vip", 1));
    await(queues().move(queue, "vip", "normal", Actor.SYSTEM));
    activate(Map.of("lanes", List.of()));
    closeLobby();
    assertThat(draw().lanes()).containsExactly(new DrawView.OfLane("", 0, 3, 0));
    assertThat(readLobby().getFirst()).hasSize(3);
  }

  // Jitter and windows.

  private void activateChance(Map<String, Object> chance) {
    Map<String, Object> settings = new HashMap<>(chance);
    settings.putAll(
        Map.of(
            "maxCapacity", 1_000,
            "entryBatchSize", 1_000,
            "entryIntervalSeconds", CALM_SECONDS,
            "passTtlSeconds", 86_400));
    edit(Edit.activate(settings).entropy(ENTROPY));
    edit(Edit.of(Edit.Act.PAUSE, ""));
  }

  private static long number(long joined) {
    byte[] mac = mac(hmac(ENTROPY, "window"), Long.toString(joined));
    return ByteBuffer.wrap(mac).getLong();
  }

  @Test
  void jitter_placesFollowTheNumbersOfTheSeed() {
    activateChance(Map.of("jitterMillis", 1_000));
    assertThat(draw().windowCommitment()).isEqualTo(sha256(hmac(ENTROPY, "window")));
    List<EntryKey> all = new ArrayList<>();
    for (int part = 0; part < 4; part++) {
      all.addAll(joinMany("user" + part + "-", 10));
      advance(Duration.ofMillis(150));
    }
    advance(Duration.ofSeconds(2));
    admit(new Admission.Paced());

    List<String> expected =
        all.stream()
            .sorted(
                Comparator.comparingLong(
                        (EntryKey key) ->
                            key.joined() + Long.remainderUnsigned(number(key.joined()), 1_000_001))
                    .thenComparing(key -> number(key.joined()), Long::compareUnsigned))
            .map(EntryKey::user)
            .toList();
    assertThat(line(all.stream().map(EntryKey::user).toList())).isEqualTo(expected);
    assertThat(expected).isNotEqualTo(all.stream().map(EntryKey::user).toList());
    assertThat(placeOf(expected.getLast()).ahead()).isEqualTo(39);
    assertThat(await(queues().due())).doesNotContain(queue);
  }

  @Test
  void jitter_untilTheMoment_thereIsNoPlace() {
    activateChance(Map.of("jitterMillis", 1_000));
    Place ann = joinNew("ann");
    assertThat(ann.isSettled()).isFalse();
    advance(Duration.ofMillis(1_001));
    assertThat(await(queues().due())).contains(queue);
    Place bob = joinNew("bob");
    assertThat(bob.isSettled()).isFalse();
    assertThat(placeOf("ann").isSettled()).as("any decision will do").isTrue();
    assertThat(placeOf("ann").ahead()).isZero();
    assertThat(placeOf("ann").ticket()).isEqualTo(1);
    leave(bob.entry().key());
    advance(Duration.ofSeconds(2));
    assertThat(await(queues().due())).doesNotContain(queue);
    edit(Edit.of(Edit.Act.RESUME, ""));
    assertThat(names(admitByHand(2).entries())).containsExactly("ann");
  }

  @Test
  void window_thoseOfOneAreDrawnAmongEachOther() {
    activateChance(Map.of("fairWindowMillis", 1_000, "lanes", LANES));
    List<EntryKey> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(join("user" + i, Claim.NONE).entry().key());
    }
    assertThat(placeOf("user19").isSettled()).isFalse();
    advance(Duration.ofMillis(1_001).plus(SLACK));
    assertThat(await(queues().due())).contains(queue);
    for (int i = 20; i < 30; i++) {
      all.add(join("user" + i, Claim.NONE).entry().key());
    }
    assertThat(placeOf("user29").isSettled()).isFalse();
    List<String> expected = byWindows(all);
    List<String> first = line(users("user", 30));
    assertThat(first).hasSizeGreaterThanOrEqualTo(20);
    assertThat(expected.subList(0, first.size())).isEqualTo(first);
    advance(Duration.ofMillis(1_001).plus(SLACK));
    admit(new Admission.Paced());
    assertThat(line(users("user", 30))).isEqualTo(expected);
    assertThat(expected).isNotEqualTo(users("user", 30));
  }

  /** Where the store's clock does not stand still, there may be more windows than a test makes. */
  private static List<String> byWindows(List<EntryKey> asTheyCame) {
    Map<EntryKey, Long> windows = new HashMap<>();
    long from = Long.MIN_VALUE / 2;
    for (EntryKey key : asTheyCame) {
      from = key.joined() < from + Micros.PER_SECOND ? from : key.joined();
      windows.put(key, from);
    }
    return asTheyCame.stream()
        .sorted(
            Comparator.<EntryKey>comparingLong(key -> windows.getOrDefault(key, 0L))
                .thenComparing(key -> number(key.joined()), Long::compareUnsigned))
        .map(EntryKey::user)
        .toList();
  }

  @Test
  void chance_switchedOff_thoseWithoutAPlaceGetTheirsAsTheyCame() {
    activateChance(Map.of("fairWindowMillis", 1_000));
    joinMany("user", 5);
    edit(Edit.put(Map.of("fairWindowMillis", 0, "log", true), OptionalLong.empty()));
    assertThat(joinNew("late").isSettled()).isTrue();
    List<String> all = new ArrayList<>(users("user", 5));
    List<String> asTheyCame =
        all.stream()
            .sorted(Comparator.comparingLong(u -> placeOf(u).entry().key().joined()))
            .toList();
    assertThat(line(all)).isEqualTo(asTheyCame);
    assertThat(placeOf("late").ahead()).isEqualTo(5);
  }

  @Test
  void chance_requeued_standsBehindThoseWithoutAPlace() {
    openLobby(Map.of("onExpiry", "REQUEUE", "passTtlSeconds", 60));
    joinMany("user", 4);
    closeLobby();
    List<Long> order = seal(12);
    List<String> expected = new ArrayList<>(named(order, users("user", 4)));
    settle(0, order.subList(0, 1));
    assertThat(names(admitByHand(1).entries())).containsExactly(expected.getFirst());
    advance(Duration.ofSeconds(61).plus(SLACK));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    admit(new Admission.Paced());
    assertThat(placeOf(expected.getFirst()).isSettled()).isFalse();
    settle(1, order.subList(1, 4));
    goOn();
    expected.add(expected.removeFirst());
    assertThat(line(users("user", 4))).isEqualTo(expected);
  }

  private static byte[] mac(String key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(HexFormat.of().parseHex(key), "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static String hmac(String key, String text) {
    return HexFormat.of().formatHex(mac(key, text));
  }

  private static String sha256(String hex) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(HexFormat.of().parseHex(hex));
      return HexFormat.of().formatHex(hash);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Where everybody stands, as one may compare it. */
  protected Map<String, List<Object>> standings(List<String> users) {
    Map<String, List<Object>> all = new HashMap<>();
    for (String user : users) {
      Place place = placeOf(user);
      all.put(
          user,
          List.of(
              place.entry(),
              place.score(),
              place.ahead(),
              place.ticket(),
              Score.lane(place.score()),
              place.line().drawing()));
    }
    return all;
  }
}
