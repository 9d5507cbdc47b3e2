package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Entry.Status;
import io.naru.queue.Sightings.Goes;
import io.naru.queue.Sightings.Sight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What every queue promises that goes by who is there, wherever it is decided. */
public abstract class PresenceContract extends LanesContract {

  private static final int GRACE_SECONDS = 600;

  /** So long servers must have looked before anybody is passed over. */
  private static final int LOOKED_SECONDS = 13;

  private void activatePresence(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("absenceGraceSeconds", GRACE_SECONDS);
    settings.put("maxCapacity", 1_000);
    settings.put("entryBatchSize", 1_000);
    settings.put("entryIntervalSeconds", CALM_SECONDS);
    activate(settings);
  }

  private Seen see(String server, Goes goes, String... users) {
    List<Sight> people =
        Arrays.stream(users)
            .map(this::placeOf)
            .map(place -> new Sight(place.entry().key().joined(), place.score()))
            .toList();
    return await(queues().see(queue, new Sightings(server, people, goes)));
  }

  /** For a while a server looks, and sees these and nobody else. */
  private void watch(int seconds, String... present) {
    for (int i = 0; i < seconds; i++) {
      see("server", Goes.ON, present);
      advance(Duration.ofSeconds(1));
    }
    see("server", Goes.ON, present);
  }

  private List<String> letIn(int count) {
    return admitByHand(count).entries().stream().map(entry -> entry.key().user()).toList();
  }

  @Test
  void presence_whoIsNotThere_isPassedOverAndNextWhenBack() {
    activatePresence(Map.of());
    joinMany("user", 4);
    watch(LOOKED_SECONDS, "user1", "user2", "user3");

    assertThat(letIn(1)).containsExactly("user1");
    assertThat(figures().absent()).isEqualTo(1);
    assertThat(figures().waiting()).isEqualTo(3);
    assertThat(placeOf("user0").ahead()).isZero();
    assertThat(placeOf("user3").ahead()).as("a place is kept").isEqualTo(2);
    assertThat(await(queues().summary(1)).all().absent()).isPositive();
    assertThat(await(history().entries(queue, "user0", Long.MAX_VALUE, 9)).orElseThrow())
        .singleElement()
        .satisfies(past -> assertThat(past.absentSince()).isPositive());
    Place place = placeOf("user0");
    assertThat(see("server", Goes.ON, "user0", "user2").back())
        .containsExactly(place.entry().key().joined());
    assertThat(figures().absent()).isZero();

    assertThat(letIn(1)).as("back in time").containsExactly("user0");
    assertThat(see("server", Goes.ON, "user2", "user3").back()).isEmpty();
    assertThat(letIn(2)).containsExactly("user2", "user3");
  }

  @Test
  void presence_whoEntersAgain_isBack() {
    activatePresence(Map.of());
    joinMany("user", 3);
    watch(LOOKED_SECONDS, "user1", "user2");
    assertThat(letIn(1)).containsExactly("user1");

    assertThat(join("user0")).isInstanceOf(Joined.AlreadyIn.class);

    assertThat(letIn(1)).containsExactly("user0");
  }

  @Test
  void presence_whoDoesNotComeInTime_expiresAndMayEnterAnew() {
    activatePresence(Map.of("onExpiry", "REQUEUE", "passTtlSeconds", 86_400));
    EntryKey gone = joinMany("user", 2).getFirst();
    watch(LOOKED_SECONDS, "user1");
    assertThat(letIn(1)).containsExactly("user1");
    assertThat(admitPaced().more()).as("nobody to let in").isFalse();
    advance(Duration.ofSeconds(GRACE_SECONDS - SLACK.toSeconds()));
    watch(1);
    assertThat(await(queues().due())).doesNotContain(queue);
    assertThat(statusOf("user0")).isEqualTo(Status.WAITING);

    // The server has been silent meanwhile, which costs nobody their place.
    advance(Duration.ofSeconds(50));
    watch(1);
    assertThat(admitPaced().expired()).isZero();
    see("server", Goes.HOME);
    advance(Duration.ofSeconds(80));
    assertThat(await(queues().due())).contains(queue);
    Admitted.Done step = admitPaced();

    assertThat(step.expired()).isEqualTo(1);
    assertThat(step.more()).isFalse();
    Entry ended = placeOf("user0").entry();
    assertThat(ended.key()).isEqualTo(gone);
    assertThat(ended.status()).isEqualTo(Status.EXPIRED);
    assertThat(ended.isAbsent()).isTrue();
    assertThat(ended.isEndedWithQueue()).isFalse();
    assertThat(await(history().entries(queue, "user0", Long.MAX_VALUE, 9)).orElseThrow())
        .singleElement()
        .satisfies(past -> assertThat(past.reason()).isEqualTo(EndReason.ABSENT));
    assertThat(figures().waiting()).isZero();
    assertThat(figures().absent()).isZero();
    assertThat(await(queues().due())).doesNotContain(queue);
    assertThat(join("user0")).isInstanceOf(Joined.Waiting.class);
  }

  @Test
  void presence_ourOutage_makesNobodyAbsent() {
    activatePresence(Map.of());
    joinMany("user", 6);
    assertThat(letIn(1)).as("nobody looks").containsExactly("user0");
    see("other", Goes.ON);
    watch(LOOKED_SECONDS, "user2", "user3", "user4", "user5");
    assertThat(letIn(1)).as("one of two servers is silent").containsExactly("user1");
    see("other", Goes.ON);
    see("other", Goes.DOWN);
    watch(20, "user3", "user4", "user5");
    assertThat(letIn(1)).as("one went down").containsExactly("user2");

    advance(Duration.ofSeconds(70));
    watch(20, "user4", "user5");
    assertThat(letIn(1)).as("everything was away").containsExactly("user3");
    watch(60, "user5");
    assertThat(letIn(1)).as("all is well again").containsExactly("user5");
  }

  @Test
  void presence_withLanes_turnsGoByThosePresent() {
    activatePresence(
        Map.of(
            "lanes",
            List.of(Map.of("name", "vip", "share", 50), Map.of("name", "normal", "share", 50))));
    for (int i = 0; i < 4; i++) {
      await(queues().join(queue, "vip" + i, new Claim("vip", "")));
      joinNew("normal" + i);
    }
    watch(LOOKED_SECONDS, "vip3", "normal1", "normal2", "normal3");

    assertThat(letIn(3)).containsExactlyInAnyOrder("vip3", "normal1", "normal2");
    assertThat(figures().absent()).isEqualTo(4);
    assertThat(figures().lanes()).extracting(LaneCount::waiting).containsExactly(3L, 2L);
    assertThat(placeOf("normal3").ahead()).isEqualTo(1);
    see("server", Goes.ON, "vip1", "normal3");
    assertThat(letIn(5)).containsExactlyInAnyOrder("vip1", "normal3");
    assertThat(letIn(5)).isEmpty();

    Shifted moved = await(queues().move(queue, "vip0", "normal", Actor.SYSTEM));
    assertThat(moved).isInstanceOf(Shifted.Done.class);
    assertThat(figures().absent()).isEqualTo(2);
    watch(1, "vip0");
    assertThat(letIn(5)).as("at the end of the other lane").containsExactly("vip0");
    assertThat(figures().lanes()).extracting(LaneCount::waiting).containsExactly(1L, 1L);
  }

  /** So many that a step for one does not read all of them. */
  private static final int MANY = 40;

  /** Steps for one, until so many went in who are there. */
  private List<String> letInOneByOne(int count) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 5 * count && all.size() < count; i++) {
      all.addAll(letIn(1));
    }
    return all;
  }

  @Test
  void presence_manyBackInOneLane_nobodyIsOvertakenInAnother() {
    activatePresence(
        Map.of(
            "lanes",
            List.of(Map.of("name", "vip", "share", 70), Map.of("name", "normal", "share", 30))));
    List<String> all = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      all.add("vip" + i);
      await(queues().join(queue, "vip" + i, new Claim("vip", "")));
    }
    all.add("normal0");
    joinMany("normal", 4);
    watch(LOOKED_SECONDS, "normal1", "normal2", "normal3");
    assertThat(letInOneByOne(1)).containsExactly("normal1");
    assertThat(figures().absent()).isEqualTo(MANY + 1);

    all.addAll(List.of("normal2", "normal3"));
    see("server", Goes.ON, all.toArray(String[]::new));

    assertThat(letInOneByOne(10).stream().filter(user -> user.startsWith("normal")))
        .containsExactly("normal0", "normal2", "normal3");
  }

  @Test
  void presence_manyBackAndGoneAgain_whoIsBackBehindThemIsNext() {
    activatePresence(Map.of());
    List<EntryKey> all = joinMany("user", MANY + 2);
    String last = all.getLast().user();
    String next = all.get(MANY).user();
    watch(LOOKED_SECONDS, next, last);
    assertThat(letInOneByOne(1)).containsExactly(next);
    assertThat(figures().absent()).isEqualTo(MANY);
    see("server", Goes.ON, all.stream().limit(MANY).map(EntryKey::user).toArray(String[]::new));
    assertThat(figures().absent()).isZero();

    String stays = all.get(MANY - 1).user();
    watch(LOOKED_SECONDS, stays, last);

    assertThat(letInOneByOne(2)).containsExactly(stays, last);
    assertThat(figures().absent()).isEqualTo(MANY - 1);
  }

  @Test
  void presence_whoWasPassedOver_mayLeave() {
    activatePresence(Map.of());
    List<EntryKey> all = joinMany("user", 4);
    watch(LOOKED_SECONDS, "user3");
    assertThat(letIn(1)).containsExactly("user3");
    assertThat(figures().absent()).isEqualTo(3);

    assertThat(leave(all.get(0))).isEqualTo(Ended.DONE);
    assertThat(await(queues().erase(queue, "user1", "nobody", Actor.SYSTEM)))
        .isEqualTo(Erased.DONE);

    assertThat(figures().absent()).isEqualTo(1);
    assertThat(figures().waiting()).isEqualTo(1);
    assertThat(placeOf("user2").ahead()).isZero();
  }

  @Test
  void presence_switchedOff_plainOrder() {
    activatePresence(Map.of());
    joinMany("user", 5);
    watch(LOOKED_SECONDS, "user2", "user3", "user4");
    assertThat(letIn(1)).containsExactly("user2");

    edit(Edit.put(Map.of("absenceGraceSeconds", 0), OptionalLong.empty()));

    assertThat(figures().absent()).isZero();
    assertThat(see("server", Goes.ON, "user3").matters()).isFalse();
    assertThat(letIn(2)).containsExactly("user0", "user1");
    activatePresence(Map.of());
    assertThat(letIn(1)).as("nobody has looked yet").containsExactly("user3");
    watch(LOOKED_SECONDS);
    assertThat(letIn(1)).isEmpty();
    assertThat(figures().absent()).isEqualTo(1);
    edit(Edit.of(Edit.Act.END, ""));
    admit(new Admission.Paced());
    assertThat(figures().waiting()).isZero();
    assertThat(placeOf("user4").entry().isEndedWithQueue()).isTrue();
  }
}
