package io.naru.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One keep-alive connection to a server on loopback, for tests that need many and fast ones. It
 * understands answers with a Content-Length, which is all that Naru sends.
 */
public final class HttpConnection implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A server of an earlier version answers as was described then. */
  private static final boolean IS_DESCRIBED = System.getProperty("old.jar") == null;

  private final Socket socket;
  private final InputStream in;

  /** What was answered. Naru's answers are as {@code openapi.yaml} says, or {@code send} fails. */
  public record Reply(int status, String body) {

    /** The fields of its JSON. */
    public Map<String, @Nullable Object> json() {
      return StrictJson.object(body);
    }

    /** The first value of that name, in the body or in an object within it. */
    public String field(String name) {
      return find(name, json())
          .orElseThrow(
              () -> new IllegalStateException("no " + name + " in " + status + " " + body));
    }

    private static Optional<String> find(String name, Map<?, ?> fields) {
      Object value = fields.get(name);
      return value != null
          ? Optional.of(value.toString())
          : fields.values().stream()
              .flatMap(
                  field ->
                      field instanceof Map<?, ?> object
                          ? find(name, object).stream()
                          : Stream.empty())
              .findFirst();
    }

    public long number(String name) {
      return Long.parseLong(field(name));
    }
  }

  public HttpConnection(int port) throws IOException {
    this(port, PATIENCE);
  }

  /**
   * @param patience how long to wait for each answer, and for the connection itself
   */
  public HttpConnection(int port, Duration patience) throws IOException {
    int millis = Math.toIntExact(patience.toMillis());
    socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), millis);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(millis);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * @param body JSON, or empty for none
   * @param headers each as {@code Name: value}
   */
  public Reply send(String method, String path, String body, String... headers) throws IOException {
    var head = new StringBuilder(256);
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    byte[] bytes = body.getBytes(UTF_8);
    if (bytes.length > 0) {
      head.append("Content-Type: application/json\r\nContent-Length: ");
      head.append(bytes.length).append("\r\n");
    }
    var request = new ByteArrayOutputStream(256);
    request.writeBytes(head.append("\r\n").toString().getBytes(ISO_8859_1));
    request.writeBytes(bytes);
    socket.getOutputStream().write(request.toByteArray());
    return reply(method, path);
  }

  private Reply reply(String method, String path) throws IOException {
    int status = Integer.parseInt(line().split(" ", 3)[1]);
    int length = 0;
    String type = null;
    for (String line = line(); !line.isEmpty(); line = line()) {
      if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
        length = Integer.parseInt(line.substring(15).strip());
      } else if (line.regionMatches(true, 0, "Content-Type:", 0, 13)) {
        type = line.substring(13).strip();
      }
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the server closed the connection within an answer");
    }
    var text = new String(body, UTF_8);
    if (IS_DESCRIBED) {
      OpenApi.shipped().check(method, path, status, type, text);
    }
    return new Reply(status, text);
  }

  private String line() throws IOException {
    var line = new StringBuilder(64);
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
