package io.naru.queue;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Makes and reads entry tokens. A token speaks for itself: it names its entry (queue, user, when
 * joined) and carries a MAC over that, so a status by token needs no look-up table, and every
 * server with the same secret makes the same token for the same entry. It says nothing about the
 * score.
 *
 * <pre>
 * base64url( version 1 byte | joined 8 bytes | type length 1 | type | id length 1 | id | user | MAC 16 bytes )
 * </pre>
 */
public final class EntryTokens {

  private static final byte VERSION = 1;
  private static final int MAC_BYTES = 16;
  private static final int MAX_CHARS = 400;
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final Secret secret;

  /**
   * @param secret the same on all servers of a queue
   */
  public EntryTokens(Secret secret) {
    this.secret = secret;
  }

  public String tokenOf(EntryKey entry) {
    String type = entry.queue().type();
    String id = entry.queue().id();
    String user = entry.user();
    int length = 1 + 8 + 1 + type.length() + 1 + id.length() + user.length();
    ByteBuffer token = ByteBuffer.allocate(length + MAC_BYTES);
    token.put(VERSION).putLong(entry.joined());
    token.put((byte) type.length()).put(type.getBytes(StandardCharsets.ISO_8859_1));
    token.put((byte) id.length()).put(id.getBytes(StandardCharsets.ISO_8859_1));
    token.put(user.getBytes(StandardCharsets.ISO_8859_1));
    token.put(secret.mac(token.array(), length), 0, MAC_BYTES);
    return ENCODER.encodeToString(token.array());
  }

  /** The entry that a token names; empty if this is not a token of ours. */
  public Optional<EntryKey> read(String token) {
    if (token.length() > MAX_CHARS) {
      return Optional.empty();
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(token);
      int length = bytes.length - MAC_BYTES;
      // A second spelling of the same bytes (padding, loose last bits) is not the token we gave
      // out.
      if (length < 0
          || !isAuthentic(bytes, length)
          || !ENCODER.encodeToString(bytes).equals(token)) {
        return Optional.empty();
      }
      ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
      if (in.get() != VERSION) {
        return Optional.empty();
      }
      long joined = in.getLong();
      var queue = new QueueId(text(in, in.get()), text(in, in.get()));
      return Optional.of(new EntryKey(queue, text(in, in.remaining()), joined));
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      return Optional.empty();
    }
  }

  private boolean isAuthentic(byte[] bytes, int length) {
    byte[] expected = secret.mac(bytes, length);
    int difference = 0;
    // Over all bytes always: the time taken says nothing about how many were right.
    for (int i = 0; i < MAC_BYTES; i++) {
      difference |= expected[i] ^ bytes[length + i];
    }
    return difference == 0;
  }

  private static String text(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
