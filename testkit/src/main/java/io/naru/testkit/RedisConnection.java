package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;

/**
 * One blocking connection that speaks RESP2, so that no client library is needed to look at Redis.
 */
public final class RedisConnection implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 30_000;

  private final Socket socket;
  private final InputStream in;

  public RedisConnection(int port) throws IOException {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  public RedisConnection(InetSocketAddress address) throws IOException {
    socket = new Socket();
    try {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(address, TIMEOUT_MILLIS);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Sends one command and returns its reply as text: nil is empty, an array has a line per element.
   *
   * @throws IOException if the connection breaks, or Redis answers with an error
   */
  public String call(String... words) throws IOException {
    var request = new ByteArrayOutputStream();
    request.writeBytes(("*" + words.length + "\r\n").getBytes(UTF_8));
    for (var word : words) {
      var bytes = word.getBytes(UTF_8);
      request.writeBytes(("$" + bytes.length + "\r\n").getBytes(UTF_8));
      request.writeBytes(bytes);
      request.writeBytes(new byte[] {'\r', '\n'});
    }
    socket.getOutputStream().write(request.toByteArray());
    return reply();
  }

  private String reply() throws IOException {
    var line = line();
    var rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+', ':' -> rest;
      case '-' -> throw new IOException("Redis answers " + rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      default -> throw new IOException("not RESP2: " + line);
    };
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return "";
    }
    var bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("Redis closed the connection");
    }
    return new String(bytes, 0, length, UTF_8);
  }

  private String array(int length) throws IOException {
    var elements = new ArrayList<String>();
    for (int i = 0; i < length; i++) {
      elements.add(reply());
    }
    return String.join("\n", elements);
  }

  private String line() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("Redis closed the connection");
      }
      line.write(b);
    }
    if (in.read() != '\n' || line.size() == 0) {
      throw new IOException("not RESP2: " + line.toString(UTF_8));
    }
    return line.toString(UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
