package io.naru.server.keys;

import io.naru.audit.Act;
import io.naru.audit.AuditTrail;
import io.naru.keys.KeyStore;
import io.naru.queue.QueueUnavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/** Signing keys of a server that shares nothing: a file in its directory, version first. */
public final class KeyFile implements KeyStore {

  private final SecretFiles directory;
  private final Path file;
  private final AuditTrail trail;

  public KeyFile(SecretFiles directory, AuditTrail trail) {
    this.directory = directory;
    this.trail = trail;
    this.file = directory.file(SecretFiles.SIGNING_KEYS);
  }

  @Override
  public synchronized Text read() {
    try {
      if (!Files.exists(file)) {
        return Text.NONE;
      }
      String text = Files.readString(file);
      int end = text.indexOf('\n');
      return new Text(Long.parseLong(text.substring(0, end)), text.substring(end + 1));
    } catch (IOException | RuntimeException e) {
      throw unavailable("read", e);
    }
  }

  @Override
  public synchronized boolean replace(Text read, Text next, @Nullable Act act) {
    if (read().version() != read.version()) {
      return false;
    }
    try {
      Path draft = directory.draft(next.version() + "\n" + next.content());
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      if (act != null) {
        trail.note(act);
      }
      return true;
    } catch (IOException e) {
      throw unavailable("written", e);
    }
  }

  private QueueUnavailable unavailable(String act, Exception e) {
    return new QueueUnavailable(
        QueueUnavailable.Kind.REFUSED, file + " cannot be " + act + ": " + e.getMessage(), e);
  }
}
