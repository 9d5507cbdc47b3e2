package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.support.Seeded;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryTokensTest {

  private static final byte[] SECRET = secret(7);
  private static final EntryKey ANN =
      new EntryKey(new QueueId("TIMEDEAL", "123"), "user-ann-0000001", 27_561_600_123_456L);

  private final EntryTokens tokens = new EntryTokens(new Secret(SECRET));

  private static byte[] secret(int seed) {
    byte[] secret = new byte[32];
    new Random(seed).nextBytes(secret);
    return secret;
  }

  @Test
  void read_ownToken_isTheEntry() {
    assertThat(tokens.read(tokens.tokenOf(ANN))).contains(ANN);
  }

  @Test
  void read_anyEntry_isTheEntryAndTheTokenIsPlain() {
    Seeded.histories(
        1,
        random -> {
          for (int i = 0; i < 5_000; i++) {
            EntryKey key = randomKey(random);
            String token = tokens.tokenOf(key);
            assertThat(token).matches("[A-Za-z0-9_-]{40,400}");
            assertThat(tokens.read(token)).contains(key);
          }
        });
  }

  private static EntryKey randomKey(Random random) {
    String type = "T" + "X".repeat(random.nextInt(32));
    String id = "i" + ".".repeat(random.nextInt(64));
    StringBuilder user = new StringBuilder();
    int length = 1 + random.nextInt(UserId.MAX_LENGTH);
    while (user.length() < length) {
      user.append((char) random.nextInt('!', '~' + 1));
    }
    return new EntryKey(new QueueId(type, id), user.toString(), random.nextLong(1L << 53));
  }

  @Test
  void read_longestNames_isTheEntry() {
    var key =
        new EntryKey(new QueueId("T".repeat(32), "i".repeat(64)), "u".repeat(128), Long.MAX_VALUE);

    assertThat(tokens.read(tokens.tokenOf(key))).contains(key);
  }

  @Test
  void tokenOf_sameSecret_isTheSameOnEveryServer() {
    assertThat(new EntryTokens(new Secret(SECRET.clone())).tokenOf(ANN))
        .isEqualTo(tokens.tokenOf(ANN));
    assertThat(new EntryTokens(new Secret(SECRET.clone())).read(tokens.tokenOf(ANN))).contains(ANN);
  }

  @Test
  void tokenOf_namesThatRunTogether_areApart() {
    Set<String> all = new HashSet<>();
    all.add(tokens.tokenOf(new EntryKey(new QueueId("AB", "c"), "d", 1)));
    all.add(tokens.tokenOf(new EntryKey(new QueueId("A", "Bc"), "d", 1)));
    all.add(tokens.tokenOf(new EntryKey(new QueueId("AB", "cd"), "d", 1)));
    all.add(tokens.tokenOf(new EntryKey(new QueueId("AB", "c"), "dd", 1)));
    all.add(tokens.tokenOf(new EntryKey(new QueueId("AB", "c"), "d", 2)));

    assertThat(all).hasSize(5);
  }

  @Test
  void read_everyFlippedBit_isRefused() {
    byte[] bytes = Base64.getUrlDecoder().decode(tokens.tokenOf(ANN));
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] forged = bytes.clone();
      forged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(tokens.read(encode(forged))).as("bit %d", bit).isEmpty();
    }
  }

  @Test
  void read_everyOtherCharacter_isRefused() {
    String token = tokens.tokenOf(ANN);
    for (int i = 0; i < token.length(); i++) {
      for (char c : "AZaz09-_+/=.% \n\u0000é".toCharArray()) {
        if (token.charAt(i) != c) {
          String forged = token.substring(0, i) + c + token.substring(i + 1);
          assertThat(tokens.read(forged)).as(forged).isEmpty();
        }
      }
    }
  }

  @Test
  void read_everyTruncation_isRefused() {
    String token = tokens.tokenOf(ANN);
    for (int i = 0; i < token.length(); i++) {
      assertThat(tokens.read(token.substring(0, i))).isEmpty();
      assertThat(tokens.read(token.substring(token.length() - i))).isEmpty();
    }
    byte[] bytes = Base64.getUrlDecoder().decode(token);
    for (int length = 0; length < bytes.length; length++) {
      assertThat(tokens.read(encode(Arrays.copyOf(bytes, length)))).isEmpty();
    }
    assertThat(tokens.read(encode(Arrays.copyOf(bytes, bytes.length + 1)))).isEmpty();
    assertThat(tokens.read(token + token)).isEmpty();
  }

  @Test
  void read_otherSecret_isRefused() {
    var other = new EntryTokens(new Secret(SECRET).derive("something else"));
    assertThat(tokens.read(other.tokenOf(ANN))).isEmpty();
    assertThat(tokens.read(new EntryTokens(new Secret(secret(8))).tokenOf(ANN))).isEmpty();
  }

  @Test
  void read_otherSpellingOfTheSameBytes_isRefused() {
    int checked = 0;
    for (String user : new String[] {"a", "ab", "abc"}) {
      String token = tokens.tokenOf(new EntryKey(ANN.queue(), user, ANN.joined()));
      byte[] bytes = Base64.getUrlDecoder().decode(token);
      assertThat(tokens.read(token + "=")).isEmpty();
      assertThat(tokens.read(token + "==")).isEmpty();
      assertThat(tokens.read(token + "\n")).isEmpty();
      assertThat(tokens.read(" " + token)).isEmpty();
      for (char c = '-'; c <= 'z'; c++) {
        String other = token.substring(0, token.length() - 1) + c;
        if (!other.equals(token) && decodesTo(bytes, other)) {
          checked++;
          assertThat(tokens.read(other)).as(other).isEmpty();
        }
      }
    }
    assertThat(checked).as("loose spellings tried").isPositive();
  }

  private static boolean decodesTo(byte[] bytes, String text) {
    try {
      return Arrays.equals(bytes, Base64.getUrlDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "=",
        "====",
        "A",
        "AAAA",
        "..",
        "../../etc/passwd",
        "a b",
        "\u0000",
        "\n",
        "null",
        "é",
        "나루",
        "\ud83d\ude00",
        "\ud800",
        "%00",
        "{}",
        "AQ",
        "eyJhbGciOiJub25lIn0.e30."
      })
  void read_hostileText_isRefused(String text) {
    assertThat(tokens.read(text)).isEmpty();
    assertThat(tokens.read(text.repeat(100))).isEmpty();
  }

  @Test
  void read_noise_isRefused() {
    Seeded.histories(
        1,
        random -> {
          for (int i = 0; i < 20_000; i++) {
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            if (noise.length > 0) {
              noise[0] = 1;
            }
            assertThat(tokens.read(encode(noise))).isEmpty();
          }
        });
  }

  @Test
  void read_hugeText_isRefusedUnread() {
    assertThat(tokens.read("A".repeat(100_000_000))).isEmpty();
    assertThat(tokens.read(tokens.tokenOf(ANN) + "A".repeat(400))).isEmpty();
    // Even one of our own hand, for a user whom the door would never have let in.
    var tooLong = new EntryKey(ANN.queue(), "u".repeat(300), ANN.joined());
    assertThat(tokens.read(tokens.tokenOf(tooLong))).isEmpty();
  }

  @Test
  void tokenOf_manyThreads_areAllRight() throws ExecutionException, InterruptedException {
    try (var executor = Executors.newFixedThreadPool(4)) {
      var all =
          IntStream.range(0, 4)
              .mapToObj(
                  t ->
                      executor.submit(
                          () ->
                              new Random(t)
                                  .ints(2_000)
                                  .mapToObj(i -> new EntryKey(ANN.queue(), "u" + i, i & 0xffff))
                                  .allMatch(
                                      key ->
                                          tokens
                                              .read(tokens.tokenOf(key))
                                              .filter(key::equals)
                                              .isPresent())))
              .toList();
      for (var each : all) {
        assertThat(each.get()).isTrue();
      }
    }
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
