package io.naru.queue;

/**
 * What speaks for a lane at the door.
 *
 * @param lane that somebody who may say so gives them; empty if nobody does
 * @param code a hash of the code that they show; empty if they show none
 */
public record Claim(String lane, String code) {

  public static final Claim NONE = new Claim("", "");
}
