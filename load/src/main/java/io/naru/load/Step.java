package io.naru.load;

/** What a visitor does next. */
public enum Step {
  ENTER("enter"),
  ASK("status"),
  STREAM("stream, first message"),
  /** Lives on the board; of the one who reads it, a look at it. */
  BOARD("board"),
  LEAVE("leave"),
  SLEEP("sleep"),
  /** A payment failed. */
  RETURN("return"),
  COMPLETE("complete"),
  DONE("done");

  private final String word;

  Step(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }
}
