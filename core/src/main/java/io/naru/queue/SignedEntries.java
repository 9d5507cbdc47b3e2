package io.naru.queue;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Texts that name an entry and carry a MAC over that.
 *
 * <pre>
 * base64url( version 1 byte | numbers 8 bytes each | joined 8 bytes | type length 1 | type | id length 1 | id | user
 *            | MAC 16 bytes )
 * </pre>
 *
 * <p>The version says what the text is for: none can be shown in place of another.
 */
final class SignedEntries {

  private static final int MAC_BYTES = 16;
  private static final int MAX_CHARS = 400;
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final Secret secret;
  private final byte version;

  SignedEntries(Secret secret, byte version) {
    this.secret = secret;
    this.version = version;
  }

  /** What a text says. */
  record Read(EntryKey entry, List<Long> numbers) {}

  String write(EntryKey entry, long... numbers) {
    String type = entry.queue().type();
    String id = entry.queue().id();
    String user = entry.user();
    int length = 1 + 8 * numbers.length + 8 + 1 + type.length() + 1 + id.length() + user.length();
    ByteBuffer text = ByteBuffer.allocate(length + MAC_BYTES);
    text.put(version);
    for (long number : numbers) {
      text.putLong(number);
    }
    text.putLong(entry.joined());
    text.put((byte) type.length()).put(type.getBytes(StandardCharsets.ISO_8859_1));
    text.put((byte) id.length()).put(id.getBytes(StandardCharsets.ISO_8859_1));
    text.put(user.getBytes(StandardCharsets.ISO_8859_1));
    text.put(secret.mac(text.array(), length), 0, MAC_BYTES);
    return ENCODER.encodeToString(text.array());
  }

  /**
   * What a text of ours says; empty if it is none.
   *
   * @param numbers how many there are in it
   */
  Optional<Read> read(String text, int numbers) {
    if (text.length() > MAX_CHARS) {
      return Optional.empty();
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text);
      int length = bytes.length - MAC_BYTES;
      // A second spelling of the same bytes (padding, loose last bits) is not what we gave out.
      if (length < 0
          || !isAuthentic(bytes, length)
          || !ENCODER.encodeToString(bytes).equals(text)) {
        return Optional.empty();
      }
      ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
      if (in.get() != version) {
        return Optional.empty();
      }
      List<Long> read = new ArrayList<>(numbers);
      for (int i = 0; i < numbers; i++) {
        read.add(in.getLong());
      }
      long joined = in.getLong();
      var queue = new QueueId(part(in, in.get()), part(in, in.get()));
      return Optional.of(new Read(new EntryKey(queue, part(in, in.remaining()), joined), read));
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

  private static String part(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
