package io.naru.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line of JSON per request, written aside. Who serves only puts a line down; where more come than
 * can be written some are lost, and counted, rather than anybody held up. No line has a pass, an
 * entry token or a query.
 */
final class AccessLog implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AccessLog.class);

  static final String STANDARD_OUT = "-";

  private static final int MAX_WAITING = 16_384;
  private static final int MAX_TEXT = 1_024;
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MILLIS = 2_000;

  private static final HexFormat HEX = HexFormat.of();

  /** How a signed token begins, whatever is in it. */
  private static final String TOKEN = "eyJ";

  private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(MAX_WAITING);
  private final LongAdder lost = new LongAdder();
  private final @Nullable Path file;
  private final Thread writer;
  private OutputStream out;
  private @Nullable Object fileKey;
  private long looked = System.nanoTime();
  private boolean isFailing;
  private volatile boolean isClosed;

  /**
   * @param path still encoded, without the query
   * @param nanos from the end of the request's head to the end of the answer
   * @param siteNanos until the head of the answer came; negative if none did
   */
  record Line(
      long atMillis,
      String from,
      String method,
      String host,
      String path,
      int status,
      Meters.By by,
      @Nullable String queue,
      long bytes,
      long nanos,
      long siteNanos,
      String agent,
      boolean isCut) {

    String json() {
      var json = new StringBuilder(256);
      json.append("{\"time\":\"")
          .append(Instant.ofEpochMilli(atMillis).truncatedTo(ChronoUnit.MILLIS))
          .append('"');
      text(json, "from", from);
      text(json, "method", method);
      text(json, "host", host);
      text(json, "path", shown(path));
      json.append(",\"status\":").append(status);
      text(json, "by", by.label());
      if (queue != null) {
        text(json, "queue", queue);
      }
      json.append(",\"bytes\":").append(bytes);
      json.append(",\"millis\":").append(nanos / 1_000_000);
      if (siteNanos >= 0) {
        json.append(",\"siteMillis\":").append(siteNanos / 1_000_000);
      }
      text(json, "agent", agent.contains(TOKEN) ? "-" : agent);
      if (isCut) {
        json.append(",\"cut\":true");
      }
      return json.append("}\n").toString();
    }

    /** Entry tokens are part of some paths of Naru's; who reads logs must not stand in for them. */
    private static String shown(String path) {
      String[] segments = path.split("/", -1);
      for (int i = 1; i < segments.length; i++) {
        boolean isSecret =
            segments[1].equals("queue")
                && (segments[i - 1].equals("token") || segments[i - 1].equals("subscribe"));
        if (isSecret || segments[i].contains(TOKEN)) {
          segments[i] = "-";
        }
      }
      return String.join("/", segments);
    }

    private static void text(StringBuilder json, String name, String value) {
      json.append(",\"").append(name).append("\":\"");
      for (int i = 0; i < Math.min(value.length(), MAX_TEXT); i++) {
        char c = value.charAt(i);
        if (c == '"' || c == '\\') {
          json.append('\\').append(c);
        } else if (c < ' ' || c >= 127) {
          json.append("\\u").append(HEX.toHexDigits(c));
        } else {
          json.append(c);
        }
      }
      json.append('"');
    }
  }

  /**
   * @param to a file, or {@link #STANDARD_OUT}
   * @throws IOException if it cannot be written to
   */
  AccessLog(String to) throws IOException {
    this.file = to.equals(STANDARD_OUT) ? null : Path.of(to);
    // Not by way of System.out, whose lock is everybody's.
    this.out = file == null ? new FileOutputStream(FileDescriptor.out) : opened(file);
    this.writer = Thread.ofPlatform().daemon().name("naru-access-log").start(this::write);
  }

  private OutputStream opened(Path path) throws IOException {
    OutputStream opened =
        Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    fileKey = key(path);
    return opened;
  }

  private static @Nullable Object key(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return null;
    }
  }

  /** Never waits. */
  void add(Line line) {
    if (!lines.offer(line)) {
      lost.increment();
    }
  }

  /** How many lines there was no time, or no room, to write. */
  long lost() {
    return lost.sum();
  }

  private void write() {
    List<Line> some = new ArrayList<>();
    while (!isClosed || !lines.isEmpty()) {
      try {
        Line first = lines.poll(100, TimeUnit.MILLISECONDS);
        if (first != null) {
          some.add(first);
          lines.drainTo(some, MAX_WAITING / 16);
          write(some);
        }
      } catch (InterruptedException e) {
        return;
      } finally {
        some.clear();
      }
    }
  }

  private void write(List<Line> some) {
    try {
      follow();
      var text = new StringBuilder();
      some.forEach(line -> text.append(line.json()));
      out.write(text.toString().getBytes(UTF_8));
      out.flush();
      isFailing = false;
    } catch (IOException e) {
      lost.add(some.size());
      if (!isFailing) {
        log.error("lines of the access log are lost: {}", e.toString());
      }
      isFailing = true;
    }
  }

  /** Whoever rotates logs moves the file away; then there is a new one. */
  private void follow() throws IOException {
    if (file != null && (isFailing || System.nanoTime() - looked > LOOK_NANOS)) {
      looked = System.nanoTime();
      if (isFailing || !Objects.equals(key(file), fileKey)) {
        out.close();
        out = opened(file);
      }
    }
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      writer.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
