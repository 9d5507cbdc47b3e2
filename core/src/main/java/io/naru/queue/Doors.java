package io.naru.queue;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What newcomers must show, against programs that take places by the thousand. Nobody is turned
 * away for the address that they come from: they owe a proof, which their browser finds while they
 * wait.
 *
 * @param signedOnly whether only those get a place whom the site names
 * @param perAddressPerMinute how many new places one address may take per minute before more of
 *     them owe a proof; 0: only the limits of the server count
 * @param work who owes a proof of work
 * @param verifier who owes the word of an outside verifier; that then stands for the work
 * @param verifierDown what holds while that cannot be asked
 * @param proofSeconds for so long the place of somebody is kept whose turn came without the proof
 * @param slowSeconds for so long whoever has no scripts is passed over instead; 0: they owe a proof
 *     as everybody does
 */
public record Doors(
    boolean signedOnly,
    int perAddressPerMinute,
    When work,
    When verifier,
    Down verifierDown,
    int proofSeconds,
    int slowSeconds) {

  /** Who owes something. */
  public enum When {
    NEVER,
    /** Those of whom more come from one address, or network, than may. */
    OVER_LIMIT,
    ALWAYS;

    boolean asks(Claim.From from) {
      return this == ALWAYS || (this == OVER_LIMIT && from.isCrowded());
    }
  }

  /** What holds while the outside verifier cannot be asked. */
  public enum Down {
    /** Whoever asks has proved enough. */
    OPEN,
    /** They keep their place and try again. */
    CLOSED
  }

  private static final String NAME = "doors";

  private static final List<String> NAMES =
      List.of(
          "signedOnly",
          "perAddressPerMinute",
          "work",
          "verifier",
          "verifierDown",
          "proofSeconds",
          "slowSeconds");

  static final String ALLOWED =
      "null, or an object with " + String.join(", ", NAMES) + ", all or some";

  /**
   * @throws InvalidValue if these do not go together
   */
  public Doors {
    if (perAddressPerMinute > 0 && work == When.NEVER && verifier == When.NEVER) {
      throw refuse(
          "perAddressPerMinute",
          "0 where work and verifier are NEVER",
          "is " + perAddressPerMinute + ", and nobody over it would owe anything");
    }
  }

  /**
   * What JSON has; what is left out has its default.
   *
   * @throws InvalidValue if something in it is not known or not allowed
   */
  static Doors of(Map<?, ?> values) {
    for (Object name : values.keySet()) {
      if (!NAMES.contains(name)) {
        throw new InvalidValue(NAME + "." + name, String.join(", ", NAMES), "is not known");
      }
    }
    return new Doors(
        yesOrNo(values, "signedOnly"),
        whole(values, "perAddressPerMinute", 0, 1_000_000, 0),
        word(values, "work", When.OVER_LIMIT),
        word(values, "verifier", When.NEVER),
        word(values, "verifierDown", Down.OPEN),
        whole(values, "proofSeconds", 10, 3_600, 120),
        whole(values, "slowSeconds", 0, 3_600, 60));
  }

  private static boolean yesOrNo(Map<?, ?> values, String name) {
    Object given = values.containsKey(name) ? values.get(name) : false;
    if (!(given instanceof Boolean yes)) {
      throw refuse(name, "true or false", "is neither of them");
    }
    return yes;
  }

  private static int whole(Map<?, ?> values, String name, int min, int max, int standard) {
    String allowed = min + ".." + max;
    if (!values.containsKey(name)) {
      return standard;
    }
    Object given = values.get(name);
    if (!(given instanceof Integer || given instanceof Long)) {
      throw refuse(name, allowed, "is not a whole number");
    }
    long value = ((Number) given).longValue();
    if (value < min || value > max) {
      throw refuse(name, allowed, "is " + value);
    }
    return (int) value;
  }

  private static <E extends Enum<E>> E word(Map<?, ?> values, String name, E standard) {
    E[] all = standard.getDeclaringClass().getEnumConstants();
    Object given = values.containsKey(name) ? values.get(name) : standard.name();
    return Arrays.stream(all)
        .filter(each -> each.name().equals(given))
        .findFirst()
        .orElseThrow(
            () ->
                refuse(
                    name,
                    Arrays.stream(all).map(Enum::name).collect(Collectors.joining(" or ")),
                    "is none of them"));
  }

  private static InvalidValue refuse(String name, String allowed, String wrong) {
    return new InvalidValue(NAME + "." + name, allowed, wrong);
  }

  /** The inverse of {@link #of}. */
  Map<String, Object> plain() {
    Map<String, Object> plain = new LinkedHashMap<>();
    plain.put("signedOnly", signedOnly);
    plain.put("perAddressPerMinute", perAddressPerMinute);
    plain.put("work", work.name());
    plain.put("verifier", verifier.name());
    plain.put("verifierDown", verifierDown.name());
    plain.put("proofSeconds", proofSeconds);
    plain.put("slowSeconds", slowSeconds);
    return Collections.unmodifiableMap(plain);
  }

  /** Whether anybody may owe something. */
  public boolean ask() {
    return work != When.NEVER || verifier != When.NEVER;
  }

  /** Whether somebody may owe something for where they come from. */
  public boolean askTheCrowded() {
    return work == When.OVER_LIMIT || verifier == When.OVER_LIMIT;
  }

  /** For how long somebody is passed over who owes this. */
  public long micros(Owed owed) {
    return (owed == Owed.SLOW ? slowSeconds : proofSeconds) * Micros.PER_SECOND;
  }

  /** What a newcomer owes. */
  public Owed owedBy(Claim.From from) {
    Owed owed = verifier.asks(from) ? Owed.VERIFIER : work.asks(from) ? Owed.WORK : Owed.NOTHING;
    return owed != Owed.NOTHING && from.isPlain() && slowSeconds > 0 ? Owed.SLOW : owed;
  }
}
