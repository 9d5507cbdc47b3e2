package io.naru.fair;

import io.naru.fair.LogSource.Header;
import io.naru.queue.Json;
import io.naru.queue.QueueId;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * A log, and all that is needed to check it, as one file: gzip, UTF-8, a JSON text in each line.
 *
 * <pre>
 * {"naruExport":1,"origin":…,"eventType":…,"eventId":…,"key":…,"naru":"0.1.0"}
 * ["rules",1,…]                          each record of the log, in order, as its exact text
 * ["seal",9,…]
 * {"leaves":1,"people":"base64"}         behind its seal, the list of a draw, part by part
 * {"sum":"hex"}                          after every 1,000 lines, SHA-256 of everything before
 * {"checkpoint":"…"}                     signed notes
 * {"queue":{…}}                          only for import, from the operator: the queue,
 * {"entry":{…}}                          and its entries, with names
 * {"end":{"lines":…,"records":…,"people":…,"checkpoints":…,"entries":…},"sum":"hex"}
 * </pre>
 *
 * What is cut off has no end; what was edited has another sum. Such a file is refused as a whole,
 * with the line. The sums are no proof: whoever edits can compute them. The checkpoint is.
 */
public final class Export {

  /** Of the files that this version writes, and the highest that it reads. */
  public static final int FORMAT = 1;

  /** Of one line, in bytes: a part of a list has 224,000. */
  private static final int MAX_LINE = 1 << 20;

  private static final int SUM_EVERY = 1_000;
  private static final String FORMAT_NAME = "naruExport";

  private Export() {}

  // --- writing

  /** Writes such a file; what is not {@link #finish}ed is cut off. */
  public static final class Writer implements LogReader, AutoCloseable {

    private final OutputStream out;
    private final MessageDigest digest = Hashes.sha256();
    private final Counts counts = new Counts();

    /**
     * @param naru the version that writes it, for people
     */
    public Writer(OutputStream out, Header header, String naru) throws IOException {
      this.out = new BufferedOutputStream(new GZIPOutputStream(out, 1 << 16), 1 << 16);
      Map<String, Object> first = new LinkedHashMap<>();
      first.put(FORMAT_NAME, FORMAT);
      first.put("origin", header.origin());
      first.put("eventType", header.queue().type());
      first.put("eventId", header.queue().id());
      first.put("key", header.key());
      first.put("naru", naru);
      line(first);
    }

    @Override
    public void record(byte[] bytes, int offset, int length) throws IOException {
      counts.records++;
      line(bytes, offset, length);
    }

    public void record(String text) throws IOException {
      byte[] bytes = Hashes.utf8(text);
      record(bytes, 0, bytes.length);
    }

    @Override
    public void leaves(long number, byte[] part) throws IOException {
      counts.people += part.length / Lobby.PERSON;
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("leaves", number);
      line.put("people", Hashes.base64(part));
      line(line);
    }

    @Override
    public void checkpoint(String note) throws IOException {
      counts.checkpoints++;
      line(Map.of("checkpoint", note));
    }

    /** The queue as its operator keeps it: for import alone, behind all checkpoints. */
    public void queue(Map<String, ? extends @Nullable Object> queue) throws IOException {
      line(Map.of("queue", queue));
    }

    /** An entry as the operator keeps it, with its name. */
    public void entry(Map<String, ? extends @Nullable Object> entry) throws IOException {
      counts.entries++;
      line(Map.of("entry", entry));
    }

    private void line(Map<String, ? extends @Nullable Object> object) throws IOException {
      byte[] bytes = Hashes.utf8(Json.write(object));
      line(bytes, 0, bytes.length);
    }

    private void line(byte[] bytes, int offset, int length) throws IOException {
      if (length > MAX_LINE) {
        throw new IllegalArgumentException("a line of " + length + " bytes");
      }
      put(bytes, offset, length);
      if (++counts.lines % SUM_EVERY == 0) {
        byte[] sum = Hashes.utf8(Json.write(Map.of("sum", sum(digest))));
        put(sum, 0, sum.length);
      }
    }

    private void put(byte[] bytes, int offset, int length) throws IOException {
      digest.update(bytes, offset, length);
      digest.update((byte) '\n');
      out.write(bytes, offset, length);
      out.write('\n');
    }

    /** That was all. */
    public void finish() throws IOException {
      Map<String, Object> end = new LinkedHashMap<>();
      end.put("end", counts.plain());
      end.put("sum", sum(digest));
      byte[] bytes = Hashes.utf8(Json.write(end) + "\n");
      out.write(bytes);
      out.flush();
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /** Of everything so far; the digest goes on. */
  private static String sum(MessageDigest digest) {
    try {
      return Hashes.hex(((MessageDigest) digest.clone()).digest());
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("SHA-256 can be copied in every JDK", e);
    }
  }

  /** What has been in a file. */
  private static final class Counts {
    long lines;
    long records;
    long people;
    long checkpoints;
    long entries;

    Map<String, Object> plain() {
      Map<String, Object> plain = new LinkedHashMap<>();
      plain.put("lines", lines);
      plain.put("records", records);
      plain.put("people", people);
      plain.put("checkpoints", checkpoints);
      plain.put("entries", entries);
      return plain;
    }
  }

  // --- reading

  /** Takes what is in a file beside the log. */
  public interface ImportReader extends LogReader {

    void queue(Map<String, @Nullable Object> queue) throws IOException;

    void entry(Map<String, @Nullable Object> entry) throws IOException;
  }

  /**
   * A file, of which only the first line was read.
   *
   * @throws RefusedLog if it is none, or from a version that is newer than this one
   */
  public static LogSource open(Path file) throws IOException {
    try (var lines = new Lines(file)) {
      Header header = lines.header();
      return new LogSource() {
        @Override
        public Header header() {
          return header;
        }

        @Override
        public void read(LogReader reader) throws IOException {
          try (var again = new Lines(file)) {
            again.header();
            again.readTo(reader);
          }
        }
      };
    }
  }

  /**
   * The same of a queue that one expects.
   *
   * @throws RefusedLog also if it is of another one
   */
  public static LogSource open(Path file, QueueId expected) throws IOException {
    LogSource source = open(file);
    QueueId queue = source.header().queue();
    if (!queue.equals(expected)) {
      throw new RefusedLog("line 1: this is an export of " + queue + ", not of " + expected);
    }
    return source;
  }

  /** Reads all of a file for nothing but to know that it is whole. */
  public static void check(LogSource source) throws IOException {
    source.read(
        new LogReader() {
          @Override
          public void record(byte[] bytes, int offset, int length) {}

          @Override
          public void leaves(long number, byte[] part) {}

          @Override
          public void checkpoint(String note) {}
        });
  }

  /** The lines of a file, with what must be true of them. */
  private static final class Lines implements AutoCloseable {

    private final InputStream in;
    private final MessageDigest digest = Hashes.sha256();
    private final Counts counts = new Counts();

    /** As it counts for people: with sums and the end. */
    private long number;

    private byte[] buffer = new byte[1 << 17];
    private int from;
    private int to;

    /** The line that was read last, in the buffer. */
    private int start;

    private int length;

    Lines(Path file) throws IOException {
      InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
      try {
        this.in = new ReadAhead(new GZIPInputStream(raw, 1 << 16));
      } catch (ZipException | EOFException e) {
        raw.close();
        throw new RefusedLog("not an export: it is not gzip", e);
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
    }

    private RefusedLog refused(String why) {
      return new RefusedLog("line " + number + ": " + why);
    }

    /** Goes to the next line; says whether there is one. */
    private boolean next() throws IOException {
      number++;
      int looked = from;
      while (true) {
        for (int i = looked; i < to; i++) {
          if (buffer[i] == '\n') {
            start = from;
            length = i - from;
            from = i + 1;
            return true;
          }
        }
        looked = fill();
        if (looked < 0) {
          return false;
        }
      }
    }

    /** Says from where on there is something new; negative if nothing is. */
    private int fill() throws IOException {
      if (from > 0) {
        System.arraycopy(buffer, from, buffer, 0, to - from);
        to -= from;
        from = 0;
      }
      if (to == buffer.length) {
        if (to >= MAX_LINE) {
          throw refused("longer than " + MAX_LINE + " bytes");
        }
        buffer = Arrays.copyOf(buffer, 2 * to);
      }
      int known = to;
      int read = read();
      if (read < 0) {
        if (to > 0) {
          throw refused("the file is cut off");
        }
        return -1;
      }
      to += read;
      return known;
    }

    private int read() throws IOException {
      try {
        return in.read(buffer, to, buffer.length - to);
      } catch (EOFException e) {
        throw refused("the file is cut off");
      } catch (ZipException e) {
        throw refused("the file is damaged");
      }
    }

    private String text() {
      return new String(buffer, start, length, StandardCharsets.UTF_8);
    }

    private Map<String, @Nullable Object> object() throws RefusedLog {
      try {
        return Json.readObject(text());
      } catch (IllegalArgumentException e) {
        throw new RefusedLog("line " + number + ": " + e.getMessage(), e);
      }
    }

    private void count() {
      digest.update(buffer, start, length);
      digest.update((byte) '\n');
      counts.lines++;
    }

    Header header() throws IOException {
      if (!next()) {
        throw refused("the file is cut off");
      }
      Map<String, @Nullable Object> first = object();
      if (!(first.get(FORMAT_NAME) instanceof Integer format)) {
        throw refused("not an export of Naru");
      }
      if (format > FORMAT) {
        throw refused(
            "written by a newer Naru ("
                + first.get("naru")
                + ", format "
                + format
                + "); this one reads format "
                + FORMAT);
      }
      count();
      try {
        return new Header(
            text(first, "origin"),
            new QueueId(text(first, "eventType"), text(first, "eventId")),
            key(text(first, "key")));
      } catch (IllegalArgumentException e) {
        throw new RefusedLog("line 1: " + e.getMessage(), e);
      }
    }

    /** Empty if there is no log: then the file is for import alone. */
    private static String key(String text) {
      return text.isEmpty() ? "" : Note.Verifier.of(text).toString();
    }

    private String text(Map<String, @Nullable Object> object, String name) throws RefusedLog {
      if (object.get(name) instanceof String text) {
        return text;
      }
      throw refused("has no " + name);
    }

    void readTo(LogReader reader) throws IOException {
      while (next()) {
        if (length == 0) {
          throw refused("empty");
        }
        if (buffer[start] == '[') {
          count();
          counts.records++;
          if (counts.checkpoints > 0) {
            throw refused("a record behind a checkpoint");
          }
          reader.record(buffer, start, length);
        } else if (readOther(object(), reader)) {
          return;
        }
        if (counts.lines % SUM_EVERY == 0) {
          readSum();
        }
      }
      throw refused("the file is cut off");
    }

    private void readSum() throws IOException {
      if (!next()) {
        throw refused("the file is cut off");
      }
      requireSum(object());
      digest.update(buffer, start, length);
      digest.update((byte) '\n');
    }

    private void requireSum(Map<String, @Nullable Object> object) throws RefusedLog {
      if (!sum(digest).equals(object.get("sum"))) {
        long since = Math.max(1, number - SUM_EVERY - 1);
        throw refused("somebody has edited what is before it, behind line " + since);
      }
    }

    /** Says whether that was the end. */
    private boolean readOther(Map<String, @Nullable Object> object, LogReader reader)
        throws IOException {
      if (object.containsKey("end")) {
        readEnd(object);
        return true;
      }
      count();
      if (object.get("leaves") instanceof Integer draw) {
        byte[] part = part(object);
        counts.people += part.length / Lobby.PERSON;
        reader.leaves(draw, part);
      } else if (object.get("checkpoint") instanceof String note) {
        counts.checkpoints++;
        reader.checkpoint(note);
      } else if (object.containsKey("queue") || object.containsKey("entry")) {
        readPrivate(object, reader);
      } else {
        throw refused("nothing that an export has");
      }
      return false;
    }

    private byte[] part(Map<String, @Nullable Object> object) throws RefusedLog {
      try {
        return Hashes.ofBase64("people", text(object, "people"));
      } catch (IllegalArgumentException e) {
        throw refused(String.valueOf(e.getMessage()));
      }
    }

    private void readPrivate(Map<String, @Nullable Object> object, LogReader reader)
        throws IOException {
      boolean isEntry = object.containsKey("entry");
      counts.entries += isEntry ? 1 : 0;
      if (!(object.get(isEntry ? "entry" : "queue") instanceof Map<?, ?> given)) {
        throw refused("not an object");
      }
      if (reader instanceof ImportReader imports) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        given.forEach((name, value) -> values.put(String.valueOf(name), value));
        if (isEntry) {
          imports.entry(values);
        } else {
          imports.queue(values);
        }
      }
    }

    private void readEnd(Map<String, @Nullable Object> object) throws IOException {
      requireSum(object);
      if (!Json.write(Map.of("end", counts.plain()))
          .equals(Json.write(Map.of("end", Objects.requireNonNull(object.get("end")))))) {
        throw refused("the file has not what its end says");
      }
      if (next()) {
        throw refused("something behind the end");
      }
    }
  }
}
