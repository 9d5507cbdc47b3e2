package io.naru.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.decision.JoinOutcome;
import io.naru.decision.Outcome;
import io.naru.decision.Request;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Returned;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Goes;
import io.naru.queue.Sightings.Sight;
import io.naru.queue.Stay.CompletedBy;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever was passed over is found again, whoever else goes at the same moment. */
class PassedOverTest {

  private static final QueueId QUEUE = new QueueId("TEST", "1");
  private static final int LOOKED_SECONDS = 13;

  private final MemoryBook book =
      new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), new MemoryFeed(() -> 0), 1);
  private final Map<String, Place> places = new HashMap<>();
  private long now = 86_400 * Micros.PER_SECOND;

  private <A> A ask(Request<A> request) {
    return requireNonNull(
        book.decide(List.of(request), now).answers().getFirst().to(request).value());
  }

  private void activate(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("absenceGraceSeconds", 3_600);
    ask(new Request.Alter(QUEUE, Edit.activate(settings)));
  }

  private void switchPresenceOff() {
    ask(presenceOff());
  }

  private static Request.Alter presenceOff() {
    return new Request.Alter(
        QUEUE, Edit.put(Map.of("absenceGraceSeconds", 0), OptionalLong.empty()));
  }

  private EntryKey join(String user, Claim claim) {
    var joined = (JoinOutcome.Final) ask(new Request.Join(QUEUE, user, claim));
    places.put(user, ((Joined.Waiting) joined.joined()).place());
    return requireNonNull(places.get(user)).entry().key();
  }

  /** For a while a server looks, and sees these and nobody else. */
  private void watch(int seconds, String... present) {
    for (int i = 0; i < seconds; i++) {
      see(present);
      now += Micros.PER_SECOND;
    }
    see(present);
  }

  private void see(String... present) {
    List<Sight> people =
        Arrays.stream(present)
            .map(user -> requireNonNull(places.get(user)))
            .map(place -> new Sight(place.entry().key().joined(), place.score()))
            .toList();
    ask(new Request.See(QUEUE, new Sightings("server", people, Goes.ON)));
  }

  private static Request.Admit one() {
    return new Request.Admit(QUEUE, new Admission.ByHand(1, Actor.SYSTEM));
  }

  private static List<String> users(Admitted admitted) {
    return ((Admitted.Done) admitted)
        .entries().stream().map(Entry::key).map(EntryKey::user).toList();
  }

  private List<String> letIn() {
    return users(ask(one()));
  }

  private long waiting() {
    return book.overview(now).figures().waiting();
  }

  /** Of four two are passed over, and one of the others goes in. */
  private EntryKey passTwoOver(boolean hasLanes) {
    activate(
        hasLanes
            ? Map.of(
                "lanes",
                List.of(Map.of("name", "vip", "share", 1), Map.of("name", "rest", "share", 1)))
            : Map.of());
    var claim = new Claim(hasLanes ? "vip" : "", "");
    EntryKey first = join("first", claim);
    List.of("second", "third", "fourth").forEach(user -> join(user, claim));
    watch(LOOKED_SECONDS, "third", "fourth");
    assertThat(letIn()).containsExactly("third");
    return first;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFirstOfThemLeaves_theNextOneIsNotForgotten(boolean hasLanes) {
    EntryKey first = passTwoOver(hasLanes);

    Outcome outcome = book.decide(List.of(new Request.Leave(first), one()), now);
    assertThat(users((Admitted) requireNonNull(outcome.answers().getLast().value())))
        .containsExactly("fourth");
    switchPresenceOff();

    assertThat(letIn()).containsExactly("second");
    assertThat(waiting()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFirstOfThemGoesIn_theNextOneIsNotForgotten(boolean hasLanes) {
    passTwoOver(hasLanes);
    see("first", "fourth");

    List<String> admitted =
        book.decide(List.of(one(), one()), now).answers().stream()
            .flatMap(answer -> users((Admitted) requireNonNull(answer.value())).stream())
            .toList();
    assertThat(admitted).containsExactly("first", "fourth");
    switchPresenceOff();

    assertThat(letIn()).containsExactly("second");
    assertThat(waiting()).isZero();
  }

  /** Nobody does anything at the same moment here: the time of the first one is over. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFirstOfThemProvesNothing_theNextOneHearsOfTheEnd(boolean hasLanes) {
    Map<String, Object> settings = new HashMap<>(Map.of("doors", Map.of("proofSeconds", 120)));
    if (hasLanes) {
      settings.put(
          "lanes", List.of(Map.of("name", "vip", "share", 1), Map.of("name", "rest", "share", 1)));
    }
    activate(settings);
    join("owing", new Claim("", "", new Claim.From(false, true, false)));
    EntryKey away = join("away", Claim.NONE);
    join("third", Claim.NONE);
    watch(LOOKED_SECONDS, "owing", "third");
    assertThat(letIn()).containsExactly("third");
    join("fourth", Claim.NONE);
    watch(121, "owing", "fourth");
    assertThat(letIn()).containsExactly("fourth");
    assertThat(waiting()).isEqualTo(1);

    ask(new Request.Alter(QUEUE, Edit.of(Edit.Act.END, "")));
    Admitted step = ask(one());
    for (int i = 0; i < 5 && ((Admitted.NotActive) step).more(); i++) {
      step = ask(one());
    }

    assertThat(((Admitted.NotActive) step).more()).isFalse();
    assertThat(waiting()).isZero();
    assertThat(book.entry(away.joined(), now).orElseThrow().entry().isEndedWithQueue()).isTrue();
  }

  /** Who came back and was passed over is not read with a step that ends to go by that. */
  @Test
  void presenceEndsWithAStep_whoCameBackIsNotForgotten() {
    activate(Map.of("fallbackSeconds", 900, "passTtlSeconds", 86_400));
    EntryKey first = join("first", Claim.NONE);
    EntryKey second = join("second", Claim.NONE);
    assertThat(letIn()).containsExactly("first");
    assertThat(letIn()).containsExactly("second");
    giveUp(first);
    watch(LOOKED_SECONDS);
    assertThat(letIn()).isEmpty();
    giveUp(second);
    ask(new Request.Alter(QUEUE, Edit.of(Edit.Act.PAUSE, "")));
    watch(901 - LOOKED_SECONDS);
    assertThat(waiting()).isEqualTo(2);

    book.decide(List.of(presenceOff(), one()), now);
    ask(one());

    assertThat(waiting()).isEqualTo(1);
    assertThat(book.entries("first", Long.MAX_VALUE, 1, now).getFirst().reason())
        .isEqualTo(EndReason.RETURNED);
    now += 60 * Micros.PER_SECOND;
    ask(one());
    assertThat(waiting()).isZero();
  }

  private void giveUp(EntryKey entry) {
    assertThat(ask(new Request.Return(entry, true, CompletedBy.VISITOR)))
        .isInstanceOf(Returned.Has.class);
  }
}
