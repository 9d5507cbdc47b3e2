package io.naru.history;

/** How many did what. */
public record Counts(long joined, long admitted, long completed, long left, long expired) {

  public static final Counts NONE = new Counts(0, 0, 0, 0, 0);

  /** What came on top of an earlier count. Never less than nothing, whatever a clock did. */
  public Counts since(Counts earlier) {
    return new Counts(
        Math.max(0, joined - earlier.joined),
        Math.max(0, admitted - earlier.admitted),
        Math.max(0, completed - earlier.completed),
        Math.max(0, left - earlier.left),
        Math.max(0, expired - earlier.expired));
  }
}
