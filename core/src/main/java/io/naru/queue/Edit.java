package io.naru.queue;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An operator's change of a queue.
 *
 * @param changes settings by name; those left out keep their value
 * @param act what happens to the queue's {@link State}
 * @param reason said with a pause, else empty
 * @param create whether a queue that does not exist is made
 * @param ifVersion the version that the operator had seen, if that matters
 * @param by who changes it
 * @param entropy 32 bytes in hexadecimal digits that nobody can guess: the chance of a queue in
 *     which the edit gives chance a part. It comes with the edit, since what is decided must be the
 *     same wherever it is
 */
public record Edit(
    Map<String, ? extends @Nullable Object> changes,
    Act act,
    String reason,
    boolean create,
    OptionalLong ifVersion,
    Actor by,
    String entropy) {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Pattern ENTROPY = Pattern.compile("[0-9a-f]{64}");

  /** What is done to a queue as a whole. */
  public enum Act {
    /** Nothing: only settings are changed. */
    KEEP,
    /** Open and resume; an end is forgotten. */
    ACTIVATE,
    /** Close and pause. */
    DEACTIVATE,
    PAUSE,
    RESUME,
    CLOSE,
    OPEN,
    END;

    /** Whether a queue that has ended can no more be changed in this way. */
    public boolean isOverWithTheEnd() {
      return switch (this) {
        case PAUSE, RESUME, CLOSE, OPEN -> true;
        case KEEP, ACTIVATE, DEACTIVATE, END -> false;
      };
    }

    /** Whether this takes more than active or not. */
    public boolean needsLedger() {
      return isOverWithTheEnd() || this == END;
    }
  }

  public Edit {
    // Checks the reason, too.
    var _ = State.OPEN.after(Act.PAUSE, reason, 0);
    if (!ENTROPY.matcher(entropy).matches()) {
      throw new IllegalArgumentException("entropy is not 32 bytes in hexadecimal digits");
    }
  }

  /** Whether a queue that does not exist is to be made. */
  public boolean makesQueue() {
    return create && ifVersion.isEmpty();
  }

  /** The same for a queue that is there: none is made. */
  public Edit ofExisting() {
    return new Edit(changes, act, reason, false, ifVersion, by, entropy);
  }

  /** Whether a new queue could have these settings. */
  public boolean isPossible() {
    try {
      Settings.DEFAULT.with(changes);
      return true;
    } catch (InvalidValue e) {
      return false;
    }
  }

  public static Edit activate(Map<String, ? extends @Nullable Object> changes) {
    return new Edit(
        changes, Act.ACTIVATE, "", true, OptionalLong.empty(), Actor.SYSTEM, newEntropy());
  }

  public static Edit deactivate() {
    return of(Act.DEACTIVATE, "");
  }

  public static Edit put(Map<String, ? extends @Nullable Object> changes, OptionalLong ifVersion) {
    return new Edit(
        changes, Act.KEEP, "", ifVersion.isEmpty(), ifVersion, Actor.SYSTEM, newEntropy());
  }

  /** An act alone, on a queue that exists. */
  public static Edit of(Act act, String reason) {
    return new Edit(Map.of(), act, reason, false, OptionalLong.empty(), Actor.SYSTEM, newEntropy());
  }

  public Edit by(Actor actor) {
    return new Edit(changes, act, reason, create, ifVersion, actor, entropy);
  }

  public Edit ifVersion(OptionalLong seen) {
    return new Edit(changes, act, reason, create, seen, by, entropy);
  }

  /** With this chance, for whoever wants to know what comes of it. */
  public Edit entropy(String given) {
    return new Edit(changes, act, reason, create, ifVersion, by, given);
  }

  private static String newEntropy() {
    byte[] bytes = new byte[32];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
