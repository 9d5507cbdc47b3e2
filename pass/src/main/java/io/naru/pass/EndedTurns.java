package io.naru.pass;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A part of what a gate must know to keep out those whose turn is over though their pass is not:
 * which passes those are, from one change of the queue to a later one. It is signed, as {@link
 * Revocations} are, so that nobody on the way can make it shorter.
 *
 * <p>Thousands of turns may end in a second, so a pass is named by 64 bits of its id, and the
 * passes that end in the same ten seconds stand together: a gate forgets them together.
 *
 * <pre>
 * iss, iat, exp, queue
 * born      since when people join this queue: who joined before was in another; where there is
 *           none, when that was seen; 0: it is nobody's turn
 * from, to  the changes between which these turns ended
 * more      whether there are more after these
 * over      {"1789000300": base64url( 8 bytes each ), …} by the end of the passes
 * </pre>
 *
 * @param issuer the public URL of the Naru it comes from
 * @param issuedAt in whole seconds; a part counts as news for {@link Revocations#LIFE_SECONDS}
 * @param born in microseconds, as ids have it
 * @param passes by the end of the passes ({@link #endOf}), the passes' {@link #fingerprint}s
 */
public record EndedTurns(
    String issuer,
    String queue,
    Instant issuedAt,
    long born,
    long from,
    long to,
    boolean more,
    SortedMap<Long, long[]> passes) {

  /** The {@code typ} of a part. */
  public static final String TYPE = "naru-ended+jwt";

  /** More than this is refused unread; the bound on passes keeps well below it. */
  public static final int MAX_LENGTH = 400_000;

  /** A part holds no more passes than this. */
  public static final int MAX_PASSES = 8_192;

  /** Passes that end in the same so many seconds stand together. */
  public static final int STEP_SECONDS = 10;

  private static final int ID_BYTES = 24;

  public EndedTurns {
    issuedAt = issuedAt.truncatedTo(ChronoUnit.SECONDS);
    int count = passes.values().stream().mapToInt(ids -> ids.length).sum();
    if (count > MAX_PASSES) {
      throw new IllegalArgumentException(
          "a part has at most %s passes, not %s".formatted(MAX_PASSES, count));
    }
  }

  /** What came of looking at a part. */
  public sealed interface Checked {
    record Valid(EndedTurns turns) implements Checked {}

    record Refused(Reason reason) implements Checked {}
  }

  /** Sixty-four bits of a pass's id, never 0. */
  public static long fingerprint(String passId) {
    // FNV-1a, and stirred at the end. The id has a MAC of 128 bits in it, so nobody can look for
    // two that are alike.
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < passId.length(); i++) {
      hash = (hash ^ passId.charAt(i)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    hash ^= hash >>> 33;
    return hash == 0 ? 1 : hash;
  }

  /** When its owner joined, in microseconds, which a pass's id begins with. */
  public static long joined(String passId) {
    try {
      byte[] id = Base64.getUrlDecoder().decode(passId);
      return id.length == ID_BYTES ? ByteBuffer.wrap(id).getLong() : Long.MAX_VALUE;
    } catch (IllegalArgumentException e) {
      // Not an id as they are today: only its fingerprint can speak against it.
      return Long.MAX_VALUE;
    }
  }

  /** By when all passes that stand together with this one are over, in seconds. */
  public static long endOf(Instant expiresAt) {
    return Math.floorDiv(expiresAt.getEpochSecond() + STEP_SECONDS - 1, (long) STEP_SECONDS)
        * STEP_SECONDS;
  }

  /** The part as a token. */
  public String sign(PassKey key) {
    var over = new LinkedHashMap<String, Object>();
    passes.forEach(
        (end, ids) -> {
          ByteBuffer bytes = ByteBuffer.allocate(ids.length * Long.BYTES);
          bytes.asLongBuffer().put(ids);
          over.put(
              Long.toString(end),
              Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()));
        });
    var claims = Revocations.published(issuer, issuedAt);
    claims.put("queue", queue);
    claims.put("born", born);
    claims.put("from", from);
    claims.put("to", to);
    claims.put("more", more);
    claims.put("over", over);
    return Jws.sign(key, TYPE, claims);
  }

  /** Reads a part that came from somewhere; whether it is the next one is for the caller to say. */
  public static Checked verify(
      String token, KeySource keys, String issuer, String queue, Instant now) {
    try {
      Map<String, Object> claims = Jws.open(token, MAX_LENGTH, TYPE, keys).claims();
      Instant issuedAt = Revocations.checkPublished(claims, issuer, now);
      if (!Pass.text(claims, "queue").equals(queue)) {
        return new Checked.Refused(Reason.QUEUE);
      }
      return new Checked.Valid(
          new EndedTurns(
              issuer,
              queue,
              issuedAt,
              number(claims, "born"),
              number(claims, "from"),
              number(claims, "to"),
              Boolean.TRUE.equals(claims.get("more")),
              passes(claims)));
    } catch (Refusal refusal) {
      return new Checked.Refused(refusal.reason());
    } catch (RuntimeException | StackOverflowError e) {
      return new Checked.Refused(Reason.ERROR);
    }
  }

  private static long number(Map<String, Object> claims, String name) throws Refusal {
    if (claims.get(name) instanceof Long number && number >= 0) {
      return number;
    }
    throw new Refusal(Reason.CLAIMS);
  }

  private static SortedMap<Long, long[]> passes(Map<String, Object> claims) throws Refusal {
    if (!(claims.get("over") instanceof Map<?, ?> over)) {
      throw new Refusal(Reason.CLAIMS);
    }
    var passes = new TreeMap<Long, long[]>();
    for (Map.Entry<?, ?> group : over.entrySet()) {
      if (!(group.getKey() instanceof String end) || !(group.getValue() instanceof String text)) {
        throw new Refusal(Reason.CLAIMS);
      }
      byte[] bytes = Base64.getUrlDecoder().decode(text);
      long[] ids = new long[bytes.length / Long.BYTES];
      ByteBuffer.wrap(bytes).asLongBuffer().get(ids);
      passes.put(Long.valueOf(end), ids);
    }
    return passes;
  }
}
