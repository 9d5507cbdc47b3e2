package io.naru.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.fair.Note;
import io.naru.journal.Log;
import io.naru.queue.Secret;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;

/** What logs are called, and the one key that all servers sign them with. */
public final class LogKey {

  private static final byte[] USE = "log key".getBytes(UTF_8);
  private static final int SHORT = 4;

  private final byte[] seed;
  private final Supplier<String> publicUrl;

  /**
   * @param servers the secret that all servers share
   */
  public LogKey(Secret servers, Supplier<String> publicUrl) {
    this.seed = servers.mac(USE, USE.length);
    this.publicUrl = publicUrl;
  }

  /**
   * The name of a log: what it was called first, or where its queue is and which one of that name.
   */
  String origin(Log log) {
    if (!log.origin().isEmpty()) {
      return log.origin();
    }
    String address = publicUrl.get().replaceFirst("^[a-z]+://", "").replace("+", "%2B");
    return address + "/queue/" + log.queue() + "#" + hash(log.original());
  }

  private static String hash(String original) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(original.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, SHORT);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  Note.Signer signer(String origin) {
    return new Note.Signer(origin, seed);
  }
}
