package io.naru.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua step as Redis knows it: by the SHA-1 of its text. */
public record Script(String name, String text, String sha1) {

  private static final String QUEUE = resource(Script.class, "queue");

  /**
   * The operation in {@code name.lua} on a queue.
   *
   * @param room beside which class it is
   * @param shared what those of its room share
   */
  public static Script onQueue(Class<?> room, String name, String shared) {
    return of(name, QUEUE + "\n" + shared + "\n" + resource(room, name));
  }

  /** The moves since a change, which are told alike whoever decides. */
  public static Script since(String shared) {
    return onQueue(Script.class, "since", shared);
  }

  /** An operation that is not on a queue. */
  static Script alone(String name) {
    return of(name, resource(Script.class, name));
  }

  private static Script of(String name, String text) {
    return new Script(name, text, sha1(text));
  }

  /** The text of {@code name.lua} beside a class. */
  public static String resource(Class<?> room, String name) {
    try (InputStream in = room.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("there is no " + name + ".lua beside " + room);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }
}
