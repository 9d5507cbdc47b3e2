package io.naru.server.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.keys.KeyStore.Text;
import io.naru.pass.Algorithm;
import io.naru.pass.PassKey;
import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Secret;
import io.naru.server.MemoryKeys;
import io.naru.server.keys.RingKey.State;
import io.naru.support.SettableClock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How keys come and go, on one server and on several. */
class SigningKeysTest {

  private static final Secret SECRET =
      new Secret("0123456789abcdef0123456789abcdef".getBytes(UTF_8));

  private final MemoryKeys store = new MemoryKeys();
  private final SettableClock clock = SettableClock.atOpening();

  private SigningKeys server() {
    return server(SigningKeys.Policy.DEFAULT);
  }

  private SigningKeys server(SigningKeys.Policy policy) {
    return new SigningKeys(store, SECRET, policy, clock);
  }

  private static Set<String> published(SigningKeys keys) {
    return PassKey.parseJwks(keys.jwks()).keySet();
  }

  private static Set<String> revoked(SigningKeys keys) {
    return keys.ring().in(State.REVOKED).stream().map(RingKey::id).collect(Collectors.toSet());
  }

  @Test
  void start_first_hasAKeyInUseAndTheNext() {
    SigningKeys keys = server();

    assertThat(published(keys)).containsExactlyInAnyOrder(inUse(keys), next(keys));
    assertThat(keys.signer().key().id()).isEqualTo(inUse(keys));
    assertThat(inUse(keys)).isNotEqualTo(next(keys));
  }

  @Test
  void start_again_hasTheSameKeys() {
    assertThat(server().jwks()).isEqualTo(server().jwks());
  }

  @Test
  void start_manyAtOnce_haveTheSameKeys() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<SigningKeys> start = this::server;
      List<Future<SigningKeys>> servers =
          Stream.generate(() -> threads.submit(start)).limit(8).toList();
      for (Future<SigningKeys> each : servers) {
        assertThat(each.get().jwks()).isEqualTo(servers.getFirst().get().jwks());
      }
    }
  }

  @Test
  void start_anotherSecret_isRefused() {
    server();

    var other = new Secret("another secret that has 32 bytes".getBytes(UTF_8));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SigningKeys(store, other, SigningKeys.Policy.DEFAULT, clock))
        .withMessageContaining("another secret");
  }

  @Test
  void start_anotherAlgorithm_isPublishedAndUsedAfterRotation() {
    SigningKeys old = server();
    String before = inUse(old);

    SigningKeys keys = server(new SigningKeys.Policy(Algorithm.EdDSA, Duration.ofDays(1)));

    assertThat(inUse(keys)).isEqualTo(before);
    assertThat(keys.ring().next().key().algorithm()).isEqualTo(Algorithm.EdDSA);
    keys.rotate(Actor.SYSTEM);
    assertThat(keys.signer().key().algorithm()).isEqualTo(Algorithm.EdDSA);
    String jwks = keys.jwks();
    assertThat(server(new SigningKeys.Policy(Algorithm.EdDSA, Duration.ofDays(1))).jwks())
        .isEqualTo(jwks);
  }

  @Test
  void rotate_nextWasPublishedBefore_andTheOldOneStays() {
    SigningKeys keys = server();
    String old = inUse(keys);
    String next = next(keys);

    keys.rotate(Actor.SYSTEM);

    assertThat(inUse(keys)).isEqualTo(next);
    assertThat(published(keys)).contains(old, next, next(keys)).hasSize(3);
    assertThat(keys.find(old)).isNotNull();
    assertThat(keys.ring().find(old).orElseThrow().key().canSign()).isFalse();
  }

  @Test
  void rotate_onAnotherServer_isLearned() {
    SigningKeys one = server();
    SigningKeys two = server();

    one.rotate(Actor.SYSTEM);
    two.refresh();

    assertThat(two.jwks()).isEqualTo(one.jwks());
    two.rotate(Actor.SYSTEM);
    one.rotate(Actor.SYSTEM);
    two.refresh();
    assertThat(two.jwks()).isEqualTo(one.jwks());
    assertThat(published(one)).hasSize(5);
  }

  @Test
  void rotate_answerLost_isDoneOnce() {
    SigningKeys keys = server();
    String next = next(keys);

    store.loseAnswer(true);
    keys.rotate(Actor.SYSTEM);

    assertThat(inUse(keys)).isEqualTo(next);
    assertThat(server().jwks()).isEqualTo(keys.jwks());
    assertThat(published(keys)).hasSize(3);
  }

  @Test
  void rotate_questionLost_isDoneOnce() {
    SigningKeys keys = server();
    String next = next(keys);

    store.loseAnswer(false);
    keys.rotate(Actor.SYSTEM);

    assertThat(inUse(keys)).isEqualTo(next);
    assertThat(server().jwks()).isEqualTo(keys.jwks());
    assertThat(published(keys)).hasSize(3);
  }

  @Test
  void rotate_neverAnswered_isTold() {
    SigningKeys keys = server();
    String before = keys.jwks();

    store.loseAnswer(false);
    store.loseAnswer(false);

    assertThatThrownBy(() -> keys.rotate(Actor.SYSTEM)).isInstanceOf(QueueUnavailable.class);
    assertThat(keys.jwks()).isEqualTo(before);
  }

  @Test
  void retired_untilTheLongestPassIsOver_isPublished() {
    SigningKeys keys = server();
    String old = inUse(keys);
    keys.rotate(Actor.SYSTEM);

    clock.advance(Duration.ofDays(1));
    keys.refresh();
    assertThat(published(keys)).contains(old);

    clock.advance(Duration.ofMinutes(2));
    keys.refresh();
    assertThat(published(keys)).doesNotContain(old).hasSize(2);
    assertThat(server().jwks()).isEqualTo(keys.jwks());
  }

  @Test
  void age_overTheLimit_rotatesOnce() {
    var policy = new SigningKeys.Policy(Algorithm.ES256, Duration.ofDays(30));
    SigningKeys one = server(policy);
    SigningKeys two = server(policy);
    String next = next(one);

    clock.advance(Duration.ofDays(30));
    one.refresh();
    assertThat(inUse(one)).isNotEqualTo(next);
    clock.advance(Duration.ofSeconds(1));
    one.refresh();
    two.refresh();

    assertThat(inUse(one)).isEqualTo(next);
    assertThat(two.jwks()).isEqualTo(one.jwks());
    assertThat(published(one)).hasSize(3);
  }

  @Test
  void age_outOfRange_isRefused() {
    for (Duration age : List.of(Duration.ZERO, Duration.ofMinutes(59), Duration.ofDays(4_000))) {
      assertThatThrownBy(() -> new SigningKeys.Policy(Algorithm.ES256, age))
          .isInstanceOf(InvalidValue.class)
          .hasMessageContaining("key-max-age");
    }
  }

  @Test
  void revoke_inUse_theNextSignsAtOnce() {
    SigningKeys keys = server();
    String leaked = inUse(keys);
    String next = next(keys);

    keys.revoke(leaked, Actor.SYSTEM);

    assertThat(inUse(keys)).isEqualTo(next);
    assertThat(published(keys)).contains(next).doesNotContain(leaked).hasSize(2);
    assertThat(keys.keyRevoked(leaked)).isTrue();
    assertThat(keys.find(leaked)).isNull();
    assertThat(revoked(keys)).containsExactly(leaked);
  }

  @Test
  void revoke_nextOrRetired_isNotPublishedAnyMore() {
    SigningKeys keys = server();
    String old = inUse(keys);
    keys.rotate(Actor.SYSTEM);
    String used = inUse(keys);
    String next = next(keys);

    keys.revoke(next, Actor.SYSTEM);
    keys.revoke(old, Actor.SYSTEM);

    assertThat(inUse(keys)).isEqualTo(used);
    assertThat(published(keys)).containsExactlyInAnyOrder(used, next(keys));
    assertThat(revoked(keys)).containsExactlyInAnyOrder(old, next);
  }

  @Test
  void revoke_againOrUnknown_changesNothing() {
    SigningKeys keys = server();
    String leaked = inUse(keys);
    keys.revoke(leaked, Actor.SYSTEM);
    Text kept = store.read();

    assertThat(keys.revoke(leaked, Actor.SYSTEM)).isPresent();
    assertThat(keys.revoke("unknown", Actor.SYSTEM)).isEmpty();

    assertThat(store.read()).isEqualTo(kept);
  }

  @Test
  void revokePass_isListedForADay() {
    SigningKeys one = server();
    SigningKeys two = server();

    one.revokePass("some-pass", null, Actor.SYSTEM);
    two.refresh();

    assertThat(two.passRevoked("some-pass")).isTrue();
    assertThat(two.passRevoked("another")).isFalse();
    clock.advance(KeyRing.KEPT.plusSeconds(1));
    two.refresh();
    assertThat(two.passRevoked("some-pass")).isFalse();
  }

  @Test
  void bounds_tooManyOldKeysOrPasses_areRefused() {
    SigningKeys keys = server();
    for (int i = 0; i < KeyRing.MAX_RETIRED; i++) {
      keys.rotate(Actor.SYSTEM);
    }
    Text kept = store.read();

    assertThatThrownBy(() -> keys.rotate(Actor.SYSTEM)).isInstanceOf(KeyRing.TooMany.class);

    assertThat(store.read()).isEqualTo(kept);
    // Revoking still works: it takes nothing from anybody who is honest.
    assertThat(keys.revoke(inUse(keys), Actor.SYSTEM)).isPresent();
  }

  @Test
  void store_emptied_getsItsKeysBack() {
    SigningKeys keys = server();
    keys.rotate(Actor.SYSTEM);
    Text kept = store.read();

    store.forget();
    keys.refresh();

    assertThat(store.read()).isEqualTo(kept);
  }

  @Test
  void text_asKept_showsNoPrivateKey() {
    SigningKeys keys = server();
    keys.revokePass("some-pass", null, Actor.SYSTEM);

    String kept = store.read().content();

    assertThat(kept).contains(inUse(keys), "IN_USE", next(keys), "NEXT", "pass some-pass ");
    for (RingKey each : keys.ring().keys()) {
      var secret = Pattern.compile("\"d\":\"([^\"]+)\"").matcher(each.key().toJwk());
      assertThat(secret.find()).isTrue();
      assertThat(kept).doesNotContain(secret.group(1));
      assertThat(decoded(kept)).doesNotContain(secret.group(1)).doesNotContain("\"kty\"");
    }
  }

  @Test
  void text_changedByHand_isRefused() {
    SigningKeys keys = server();
    keys.revoke(inUse(keys), Actor.SYSTEM);
    Text kept = store.read();

    store.replace(kept, new Text(kept.version() + 1, kept.content().replace("REVOKED", "RETIRED")));

    assertThatIllegalArgumentException().isThrownBy(this::server);
    // A server that runs goes on with what it knows.
    keys.refresh();
    assertThat(revoked(keys)).hasSize(1);
  }

  private static String decoded(String kept) {
    return Stream.of(kept.split("\\s+", -1))
        .filter(word -> word.length() > 100)
        .map(word -> new String(Base64.getUrlDecoder().decode(word), UTF_8))
        .collect(Collectors.joining());
  }

  private static String inUse(SigningKeys keys) {
    return keys.ring().inUse().id();
  }

  private static String next(SigningKeys keys) {
    return keys.ring().next().id();
  }
}
