package io.naru.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One connection on which anything can be said, HTTP or not. */
final class RawHttp implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 10_000;

  private final Socket socket;
  private final InputStream in;

  RawHttp(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Says this on a connection of its own and returns the first answer. */
  static Answer say(int port, byte[] bytes) throws IOException {
    try (var http = new RawHttp(port)) {
      http.send(bytes);
      return http.answer();
    }
  }

  RawHttp send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Sends what one can see, byte by character, with {@code \n} for the end of a line. */
  RawHttp send(String text) throws IOException {
    return send(bytes(text));
  }

  static byte[] bytes(String text) {
    return text.replace("\n", "\r\n").getBytes(ISO_8859_1);
  }

  /** Reads one answer, with the body that its Content-Length announces. */
  Answer answer() throws IOException {
    String statusLine = line();
    Map<String, List<String>> headers = new TreeMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers
          .computeIfAbsent(
              line.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
          .add(line.substring(colon + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", List.of("0")).getFirst());
    String body = new String(in.readNBytes(length), UTF_8);
    return new Answer(Integer.parseInt(statusLine.split(" ", -1)[1]), headers, body);
  }

  /** What comes until the server hangs up; whether by FIN or by reset makes no difference. */
  String untilClosed() throws IOException {
    var rest = new ByteArrayOutputStream();
    try {
      in.transferTo(rest);
    } catch (java.net.SocketException e) {
      // Reset: there was something of ours that the server did not want to read any more.
    }
    return rest.toString(UTF_8);
  }

  private String line() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("closed without an answer, after: " + line.toString(UTF_8));
      }
      line.write(b);
    }
    return line.toString(UTF_8).stripTrailing();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
