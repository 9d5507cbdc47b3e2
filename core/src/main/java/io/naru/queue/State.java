package io.naru.queue;

/**
 * What the operator allows in a queue: two facts and an end. The facts do not depend on each other:
 * a line may be paused and closed at once.
 *
 * @param entryOpen whether people may enter
 * @param admissionPaused whether nobody is let in; those who wait keep their places
 * @param reason what those who wait are told about the pause, or empty
 * @param endedAt when it ended, in microseconds; 0 as long as it has not
 */
public record State(boolean entryOpen, boolean admissionPaused, String reason, long endedAt) {

  private static final Field<State, String> REASON = Field.text("reason", 200, State::reason);

  public static final State OPEN = new State(true, false, "", 0);

  /** As a queue that was made and never opened. */
  public static final State INACTIVE = new State(false, true, "", 0);

  /** The state in one word, for people. */
  public enum Word {
    OPEN,
    PAUSED,
    CLOSED,
    INACTIVE,
    ENDED
  }

  public State {
    REASON.check(reason);
  }

  /** Whether people may enter and are let in. */
  public boolean isActive() {
    return entryOpen && !admissionPaused;
  }

  public boolean isEnded() {
    return endedAt > 0;
  }

  public Word word() {
    if (isEnded()) {
      return Word.ENDED;
    }
    if (admissionPaused) {
      return entryOpen ? Word.PAUSED : Word.INACTIVE;
    }
    return entryOpen ? Word.OPEN : Word.CLOSED;
  }

  /**
   * What an act makes of it.
   *
   * @param why said with a pause
   * @param now in microseconds
   */
  public State after(Edit.Act act, String why, long now) {
    return switch (act) {
      case KEEP -> this;
      case ACTIVATE -> OPEN;
      case DEACTIVATE -> isEnded() ? this : new State(false, true, reason, 0);
      case PAUSE -> new State(entryOpen, true, why, 0);
      case RESUME -> new State(entryOpen, false, "", 0);
      case CLOSE -> new State(false, admissionPaused, reason, 0);
      case OPEN -> new State(true, admissionPaused, reason, 0);
      case END -> isEnded() ? this : new State(false, true, "", now);
    };
  }

  /** The same, or ended if the time for that has come, whether or not anybody noticed. */
  public State endedBy(Times times, long now) {
    return !isEnded() && now >= times.end() ? after(Edit.Act.END, "", times.end()) : this;
  }

  /** What visitors may do at {@code now}: what the operator allows, within the times. */
  public State within(Times times, long now) {
    return entryOpen && !times.letsEnter(now)
        ? new State(false, admissionPaused, reason, endedAt)
        : this;
  }

  /** As one text, for copies. */
  public String text() {
    return (entryOpen ? "1 " : "0 ") + (admissionPaused ? "1 " : "0 ") + endedAt + " " + reason;
  }

  /** The inverse of {@link #text()}. */
  public static State ofText(String text) {
    int behind = text.indexOf(' ', 4);
    return new State(
        text.charAt(0) == '1',
        text.charAt(2) == '1',
        text.substring(behind + 1),
        Long.parseLong(text, 4, behind, 10));
  }
}
