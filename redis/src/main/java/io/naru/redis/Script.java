package io.naru.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua step as Redis knows it: by the SHA-1 of its text. */
record Script(String name, String text, String sha1) {

  private static final String CLOCK = resource("clock");
  private static final String SHARED = resource("queue");
  private static final String COPY = resource("copy");

  /** The operation in {@code name.lua}, on the clock of Redis. */
  static Script load(String name) {
    return load(name, CLOCK);
  }

  /** For tests, which set the time instead of waiting for it. */
  static Script load(String name, String clock) {
    String text = clock + "\n" + SHARED + "\n" + resource(name);
    return new Script(name, text, sha1(text));
  }

  /** An operation on a copy, which asks no clock. */
  static Script loadForCopy(String name) {
    String text = SHARED + "\n" + COPY + "\n" + resource(name);
    return new Script(name, text, sha1(text));
  }

  /** An operation that is not on a queue. */
  static Script loadAlone(String name) {
    String text = resource(name);
    return new Script(name, text, sha1(text));
  }

  private static String resource(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("there is no " + name + ".lua beside " + Script.class);
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
