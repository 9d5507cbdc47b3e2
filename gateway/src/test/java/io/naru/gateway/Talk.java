package io.naru.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One connection on which anything can be said, HTTP or not. */
final class Talk implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 20_000;

  private final Socket socket;
  private final InputStream in;

  /**
   * @param headers as they came, each {@code name: value} with the name in lower case
   */
  record Reply(int status, List<String> headers, String body) {

    String header(String name) {
      return String.join(
          ",",
          headers.stream()
              .filter(line -> line.startsWith(name + ":"))
              .map(line -> line.substring(name.length() + 1).strip())
              .toList());
    }
  }

  Talk(int port) throws IOException {
    this(port, "127.0.0.1");
  }

  /**
   * @param from the visitor's own address, any of this machine
   */
  Talk(int port, String from) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(from), 0));
  }

  /** Over a connection that is there, perhaps with TLS. */
  Talk(Socket open) throws IOException {
    socket = open;
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Says a request without a body on a connection of its own. */
  static Reply get(int port, String path, String... headers) throws IOException {
    return ask(port, "GET", path, "", headers);
  }

  static Reply ask(int port, String method, String path, String body, String... headers)
      throws IOException {
    try (var talk = new Talk(port)) {
      return talk.ask(method, path, body, headers);
    }
  }

  Reply ask(String method, String path, String body, String... headers) throws IOException {
    var lines = new ArrayList<>(List.of(method + " " + path + " HTTP/1.1", "Host: shop.example"));
    lines.addAll(List.of(headers));
    if (!body.isEmpty()) {
      lines.add("Content-Length: " + body.length());
    }
    say(String.join("\r\n", lines) + "\r\n\r\n" + body);
    return reply(method.equals("HEAD"));
  }

  /** Exactly this, a byte for each character. */
  Talk say(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    return this;
  }

  Reply reply() throws IOException {
    return reply(false);
  }

  private Reply reply(boolean isHead) throws IOException {
    int status = Integer.parseInt(line().split(" ", -1)[1]);
    var headers = new ArrayList<String>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.add(line.substring(0, colon).toLowerCase(Locale.ROOT) + line.substring(colon));
    }
    var reply = new Reply(status, headers, "");
    boolean isEmpty = isHead || status < 200 || status == 204 || status == 304;
    return isEmpty ? reply : new Reply(status, headers, body(reply));
  }

  private String body(Reply reply) throws IOException {
    String length = reply.header("content-length");
    if (!length.isEmpty()) {
      return new String(in.readNBytes(Integer.parseInt(length)), ISO_8859_1);
    }
    if (!reply.header("transfer-encoding").equals("chunked")) {
      return untilClosed();
    }
    var body = new StringBuilder();
    for (int size = size(); size > 0; size = size()) {
      body.append(new String(in.readNBytes(size), ISO_8859_1));
      line();
    }
    line();
    return body.toString();
  }

  private int size() throws IOException {
    return Integer.parseInt(line(), 16);
  }

  String line() throws IOException {
    var line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new SocketException("hung up behind: " + line);
      }
      line.append(b == '\r' ? "" : String.valueOf((char) b));
    }
    return line.toString();
  }

  byte[] read(int count) throws IOException {
    return in.readNBytes(count);
  }

  /** What comes until they hang up; whether by FIN or by reset makes no difference. */
  String untilClosed() throws IOException {
    var rest = new ByteArrayOutputStream();
    try {
      in.transferTo(rest);
    } catch (SocketException e) {
      // There was something of ours that they did not want to read any more.
    }
    return rest.toString(ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
