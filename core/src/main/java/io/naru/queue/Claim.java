package io.naru.queue;

/**
 * What speaks for somebody at the door.
 *
 * @param lane that somebody who may say so gives them; empty if nobody does
 * @param code a hash of the code that they show; empty if they show none
 * @param from how they come
 */
public record Claim(String lane, String code, From from) {

  public static final Claim NONE = new Claim("", "");

  /**
   * How somebody comes, which matters at {@link Doors}.
   *
   * @param isNamed whether the site says who they are
   * @param isCrowded whether more come from their address than may without a proof
   * @param isPlain whether their browser runs no scripts
   */
  public record From(boolean isNamed, boolean isCrowded, boolean isPlain) {

    /** One of a few, of whom nobody knows anything. */
    public static final From ANYWHERE = new From(false, false, false);
  }

  /** A claim to a lane alone. */
  public Claim(String lane, String code) {
    this(lane, code, From.ANYWHERE);
  }
}
