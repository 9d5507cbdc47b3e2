package io.naru.fair;

import io.naru.fair.LogRecord.Seal;
import io.naru.queue.QueueId;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * A log at its address, as a running Naru publishes it:
 *
 * <pre>
 * GET …/queue/TYPE/id/log/key                          the key of its checkpoints
 * GET …/queue/TYPE/id/log/checkpoint                   what it is now
 * GET …/queue/TYPE/id/log/tile/entries/000             256 records, each behind its length
 * GET …/queue/TYPE/id/draw/leaves/0?root=…             the list with this root, part by part
 * </pre>
 *
 * What comes is bounded and believed in nothing: whoever reads it compares it with the checkpoint.
 * Other addresses than this one are not followed.
 */
public final class LiveLog implements LogSource {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MAX_TEXT = 64 * 1024;
  private static final int MAX_BUNDLE = Tiles.WIDTH * (2 + Records.MAX_BYTES);
  private static final byte[] SEAL = Hashes.utf8("[\"seal\",");

  private final HttpClient http;
  private final String address;
  private final Header header;

  private LiveLog(HttpClient http, String address, Header header) {
    this.http = http;
    this.address = address;
    this.header = header;
  }

  /**
   * @param address of the queue: {@code https://wait.example.com/queue/TYPE/id}
   * @throws RefusedLog.NotThere if there is no log
   */
  public static LiveLog open(URI address) throws IOException {
    HttpClient http =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    String base = address.toString().replaceFirst("/+$", "");
    String key = text(get(http, base + "/log/key", MAX_TEXT)).strip();
    try {
      Note.Verifier verifier = Note.Verifier.of(key);
      int queue = base.lastIndexOf("/queue/");
      if (queue < 0) {
        throw new RefusedLog(base + " is not the address of a queue, …/queue/TYPE/id");
      }
      QueueId id = QueueId.parse(base.substring(queue + "/queue/".length()));
      return new LiveLog(http, base, new Header(verifier.name(), id, key));
    } catch (IllegalArgumentException e) {
      throw new RefusedLog(base + ": " + e.getMessage(), e);
    }
  }

  @Override
  public Header header() {
    return header;
  }

  @Override
  public void read(LogReader reader) throws IOException {
    String note = text(get(http, address + "/log/checkpoint", MAX_TEXT));
    long size;
    try {
      size = Checkpoint.open(note, Note.Verifier.of(header.key())).size();
    } catch (IllegalArgumentException e) {
      throw new RefusedLog(address + ": " + e.getMessage(), e);
    }
    for (long bundle = 0; bundle << Tiles.HEIGHT < size; bundle++) {
      int width = Tiles.width(0, bundle, size);
      readBundle(reader, bundle, width);
    }
    reader.checkpoint(note);
  }

  private void readBundle(LogReader reader, long bundle, int width) throws IOException {
    String path = "/log/tile/" + Tiles.entriesPath(bundle, width);
    byte[] bytes = get(http, address + path, MAX_BUNDLE);
    int at = 0;
    for (int i = 0; i < width; i++) {
      int length = at + 2 <= bytes.length ? (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff) : -1;
      if (length < 0 || at + 2 + length > bytes.length) {
        throw new RefusedLog(address + path + " has fewer records than " + width);
      }
      reader.record(bytes, at + 2, length);
      if (isSeal(bytes, at + 2, length)) {
        readLeaves(reader, new String(bytes, at + 2, length, StandardCharsets.UTF_8));
      }
      at += 2 + length;
    }
    if (at != bytes.length) {
      throw new RefusedLog(address + path + " has more than " + width + " records");
    }
  }

  private static boolean isSeal(byte[] bytes, int offset, int length) {
    return length > SEAL.length
        && Arrays.equals(bytes, offset, offset + SEAL.length, SEAL, 0, SEAL.length);
  }

  private void readLeaves(LogReader reader, String record) throws IOException {
    if (!(Records.read(record) instanceof Seal seal) || seal.count() > Lobby.MOST) {
      throw new RefusedLog(address + ": a list that nobody can read");
    }
    try {
      for (long part = 0; part * Lobby.PART < seal.count(); part++) {
        String path = address + "/draw/leaves/" + part + "?root=" + seal.root();
        reader.leaves(seal.number(), get(http, path, Lobby.PART * Lobby.PERSON));
      }
    } catch (RefusedLog.NotThere e) {
      // The queue has had another draw since: whoever verifies says that this list is missing.
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] get(HttpClient http, String address, int max) throws IOException {
    try {
      HttpRequest request = HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build();
      HttpResponse<InputStream> response =
          http.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (response.statusCode() == 404) {
          throw new RefusedLog.NotThere(address);
        }
        if (response.statusCode() != 200) {
          throw new RefusedLog(address + " answers " + response.statusCode());
        }
        byte[] bytes = body.readNBytes(max + 1);
        if (bytes.length > max) {
          throw new RefusedLog(address + " answers more than " + max + " bytes");
        }
        return bytes;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RefusedLog("interrupted while reading " + address, e);
    } catch (IllegalArgumentException e) {
      throw new RefusedLog(address + " is no address", e);
    }
  }
}
