package io.naru.queue;

/**
 * Who acts on a queue.
 *
 * @param who the name of the key that was shown
 * @param role what that key may do
 * @param from the address that the call came from; empty if it came from nowhere
 */
public record Actor(String who, String role, String from) {

  /** Nobody outside: Naru itself, or a program that has the port in its hands. */
  public static final Actor SYSTEM = new Actor("system", "admin", "");
}
