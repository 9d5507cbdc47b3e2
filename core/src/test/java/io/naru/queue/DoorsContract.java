package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Entry.Status;
import io.naru.queue.Sightings.Goes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What every queue promises in which people may owe something, wherever it is decided. */
public abstract class DoorsContract extends PresenceContract {

  private static final Claim CROWDED = new Claim("", "", new Claim.From(false, true, false));
  private static final Claim PLAIN = new Claim("", "", new Claim.From(false, true, true));

  private void activateDoors(Map<String, Object> doors, Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("doors", doors);
    settings.put("maxCapacity", 1_000);
    settings.put("entryBatchSize", 1_000);
    settings.put("entryIntervalSeconds", CALM_SECONDS);
    activate(settings);
  }

  private EntryKey join(String user, Claim claim) {
    Joined joined = await(queues().join(queue, user, claim));
    return ((Joined.Waiting) joined).place().entry().key();
  }

  private Owed owed(EntryKey entry) {
    return await(queues().owed(entry));
  }

  private Proved prove(EntryKey entry) {
    return await(queues().prove(entry));
  }

  private List<String> in(int count) {
    return admitByHand(count).entries().stream().map(entry -> entry.key().user()).toList();
  }

  @Test
  void doors_whoOwes_isPassedOver_andNextWithTheProof() {
    activateDoors(Map.of(), Map.of());
    EntryKey first = join("first", CROWDED);
    EntryKey honest = join("honest", Claim.NONE);
    EntryKey second = join("second", CROWDED);
    join("last", Claim.NONE);
    assertThat(owed(first)).isEqualTo(Owed.WORK);
    assertThat(owed(honest)).isEqualTo(Owed.NOTHING);
    assertThat(figures().proofs()).isEqualTo(new Figures.Proofs(2, 0, 0));

    assertThat(in(1)).containsExactly("honest");
    assertThat(placeOf("last").ahead()).as("places are as they were").isEqualTo(2);
    assertThat(await(queues().join(queue, "first", Claim.NONE)))
        .as("being there is not enough")
        .isInstanceOf(Joined.AlreadyIn.class);
    assertThat(owed(first)).isEqualTo(Owed.WORK);
    assertThat(await(history().entries(queue, "first", Long.MAX_VALUE, 9)).orElseThrow())
        .singleElement()
        .satisfies(past -> assertThat(past.owed()).isEqualTo(Owed.WORK));

    assertThat(prove(second)).isEqualTo(Proved.DONE);
    assertThat(prove(first)).isEqualTo(Proved.DONE);
    assertThat(prove(first)).as("again").isEqualTo(Proved.DONE);
    assertThat(prove(honest)).as("is inside").isEqualTo(Proved.UNKNOWN);

    assertThat(in(2)).containsExactly("first", "second");
    assertThat(in(2)).containsExactly("last");
    assertThat(figures().proofs()).isEqualTo(new Figures.Proofs(0, 2, 0));
    assertThat(figures().absent()).isZero();
  }

  @Test
  void doors_withoutProof_thePlaceEnds_withoutScriptsItTakesLonger() {
    activateDoors(Map.of("proofSeconds", 100, "slowSeconds", 60), Map.of());
    EntryKey bot = join("bot", CROWDED);
    join("plain", PLAIN);
    assertThat(in(2)).isEmpty();
    assertThat(figures().absent()).isEqualTo(2);
    assertThat(await(queues().due())).doesNotContain(queue);

    advance(Duration.ofSeconds(61));
    assertThat(await(queues().due())).contains(queue);
    assertThat(in(2)).containsExactly("plain");

    // A server fell silent: perhaps it was about to take the proof.
    await(queues().see(queue, new Sightings("server", List.of(), Goes.ON)));
    advance(Duration.ofSeconds(50));
    assertThat(admitPaced().expired()).isZero();
    advance(Duration.ofSeconds(61));
    assertThat(admitPaced().expired()).isEqualTo(1);

    Entry ended = placeOf("bot").entry();
    assertThat(ended.key()).isEqualTo(bot);
    assertThat(ended.status()).isEqualTo(Status.EXPIRED);
    assertThat(ended.isUnproven()).isTrue();
    assertThat(ended.isEndedWithQueue()).isFalse();
    assertThat(figures().proofs()).isEqualTo(new Figures.Proofs(0, 0, 1));
    assertThat(figures().absent()).isZero();
    assertThat(await(queues().due())).doesNotContain(queue);
    assertThat(await(queues().join(queue, "bot", Claim.NONE))).isInstanceOf(Joined.Waiting.class);
    assertThat(in(2)).containsExactly("bot");
  }

  /** Two operators at once, or one who thinks better of it. */
  @Test
  void doors_takenAwayAndPutBackAtOnce_whoComesThenOwes() {
    activateDoors(Map.of(), Map.of());
    EntryKey ann = join("ann", CROWDED);
    Map<String, Object> none = new HashMap<>();
    none.put("doors", null);

    // While the first is under way, the others collect, and are decided together.
    CompletionStage<Proved> busy = queues().prove(new EntryKey(queue, "nobody", 1));
    CompletionStage<Edited> away = queues().edit(queue, Edit.activate(none));
    CompletionStage<Edited> back = queues().edit(queue, Edit.activate(Map.of("doors", Map.of())));
    CompletionStage<Joined> come = queues().join(queue, "ben", CROWDED);
    await(busy);
    await(away);
    await(back);
    EntryKey ben = ((Joined.Waiting) await(come)).place().entry().key();

    assertThat(owed(ann)).isEqualTo(Owed.NOTHING);
    assertThat(owed(ben)).isEqualTo(Owed.WORK);
    assertThat(in(2)).containsExactly("ann");
    assertThat(prove(ben)).isEqualTo(Proved.DONE);
    assertThat(in(2)).containsExactly("ben");
    assertThat(figures().proofs().owing()).isZero();
  }

  @Test
  void doors_whatIsOwed_goesAlong() {
    activateDoors(
        Map.of("proofSeconds", 100),
        Map.of(
            "lanes",
            List.of(Map.of("name", "vip", "share", 50), Map.of("name", "normal", "share", 50))));
    EntryKey ann = join("ann", CROWDED);
    join("ben", CROWDED);
    EntryKey cid = join("cid", CROWDED);
    assertThat(in(3)).isEmpty();
    advance(Duration.ofSeconds(60));

    HandedOff.Has taken = (HandedOff.Has) await(queues().handOff(ann, "ann2"));
    assertThat(owed(taken.entry())).isEqualTo(Owed.WORK);
    assertThat(await(queues().move(queue, "ben", "vip", Actor.SYSTEM)))
        .isInstanceOf(Shifted.Done.class);
    assertThat(leave(cid)).isEqualTo(Ended.DONE);
    assertThat(in(3)).isEmpty();
    assertThat(figures().absent()).isEqualTo(2);
    assertThat(figures().proofs().owing()).isEqualTo(2);

    advance(Duration.ofSeconds(41));
    assertThat(admitPaced().expired()).as("since the first device was passed over").isEqualTo(1);
    assertThat(placeOf("ann2").entry().isUnproven()).isTrue();
    assertThat(statusOf("ben")).as("passed over later").isEqualTo(Status.WAITING);
    assertThat(prove(placeOf("ben").entry().key())).isEqualTo(Proved.DONE);
    assertThat(in(1)).containsExactly("ben");
  }

  @Test
  void doors_openedAgain_nobodyOwesAnything() {
    activateDoors(Map.of("work", "ALWAYS"), Map.of("absenceGraceSeconds", 600));
    EntryKey ann = join("ann", Claim.NONE);
    join("ben", Claim.NONE);
    assertThat(in(1)).isEmpty();

    Map<String, Object> off = new HashMap<>();
    off.put("doors", null);
    edit(Edit.put(off, OptionalLong.empty()));

    assertThat(owed(ann)).isEqualTo(Owed.NOTHING);
    assertThat(figures().absent()).isZero();
    assertThat(in(5)).containsExactly("ann", "ben");
    assertThat(figures().proofs()).isEqualTo(Figures.Proofs.NONE);

    activateDoors(Map.of("signedOnly", true, "work", "NEVER"), Map.of());
    assertThat(await(queues().join(queue, "cid", Claim.NONE)))
        .isEqualTo(new Joined.Refused(Joined.Reason.SIGNED_ONLY, 0));
    var named = new Claim("", "", new Claim.From(true, true, false));
    assertThat(owed(join("cid", named))).isEqualTo(Owed.NOTHING);
  }
}
