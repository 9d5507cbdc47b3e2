package io.naru.bench.viewers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Streams that say what the test wants; a token is the position that is shown at first. */
final class StubStreams implements AutoCloseable {

  private final ServerSocket listener;
  private final Map<String, Socket> streams = new ConcurrentHashMap<>();

  StubStreams() throws IOException {
    listener = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  Subscription subscription() {
    return new Subscription((InetSocketAddress) listener.getLocalSocketAddress(), "/watch/");
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var socket = listener.accept();
        Thread.startVirtualThread(() -> begin(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void begin(Socket socket) {
    try {
      var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
      var token = in.readLine().replaceAll("GET /watch/(.*) HTTP/1.1", "$1");
      var header = in.readLine();
      while (!header.isEmpty()) {
        header = in.readLine();
      }
      streams.put(token, socket);
      if (token.equals("unknown")) {
        write(socket, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      write(socket, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      show(token, Integer.parseInt(token));
    } catch (IOException e) {
      throw new IllegalStateException("no stream", e);
    }
  }

  void show(String token, int position) throws IOException {
    say(token, "event: queue-status\ndata: {\"position\":%d}\n\n".formatted(position));
  }

  void enter(String token) throws IOException {
    say(token, "event: queue-entered\ndata: {\"status\":\"ENTERED\"}\n\n");
  }

  void cut(String token) throws IOException {
    socket(token).close();
  }

  private void say(String token, String text) throws IOException {
    write(socket(token), Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
  }

  private Socket socket(String token) {
    var socket = streams.get(token);
    if (socket == null) {
      throw new IllegalStateException("nobody watches with " + token);
    }
    return socket;
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (var socket : streams.values()) {
      socket.close();
    }
  }
}
