package io.naru.bench.load;

import io.netty.buffer.ByteBuf;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Users as numbers: the n-th one's id is computed, so that millions of them cost no memory here.
 *
 * <p>The number goes through a bijective mix (the finalizer of SplitMix64) and is written in hex:
 * ids never repeat, have 16 characters, and do not arrive in the order of their spelling, which a
 * sorted set would find too easy.
 */
public final class Users {

  public static final int ID_LENGTH = 16;

  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  private final long seed;
  private final AtomicLong issued = new AtomicLong();
  private volatile long known;

  /** Users that no other run has, so that a Redis that is used again holds none of them. */
  public Users() {
    this(ThreadLocalRandom.current().nextLong());
  }

  Users(long seed) {
    this.seed = seed;
  }

  /** Writes the id of a user nobody has seen yet. */
  void writeNew(ByteBuf out, int index) {
    write(issued.getAndIncrement(), out, index);
  }

  /** Writes the id of one of those who had entered when {@link #settle} was called. */
  void writeKnown(ByteBuf out, int index) {
    write(ThreadLocalRandom.current().nextLong(known), out, index);
  }

  /** Takes everyone issued so far as entered; to be called while no request is under way. */
  public void settle() {
    known = issued.get();
  }

  /** So many more entered by another way than a request of ours. */
  public void add(long people) {
    issued.addAndGet(people);
    settle();
  }

  public long count() {
    return issued.get();
  }

  /** How many had entered when {@link #settle} was called. */
  public long known() {
    return known;
  }

  /** The id of the n-th of them. */
  public String name(long number) {
    return HexFormat.of().toHexDigits(mix(seed + number));
  }

  private void write(long number, ByteBuf out, int index) {
    long bits = mix(seed + number);
    for (int i = ID_LENGTH - 1; i >= 0; i--) {
      out.setByte(index + i, HEX[(int) bits & 15]);
      bits >>>= 4;
    }
  }

  private static long mix(long number) {
    long z = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
