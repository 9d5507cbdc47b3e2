package io.naru.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Answers every request with the next status, and may close after a number of requests. */
final class StubServer implements AutoCloseable {

  /** What is answered to the request on this line. */
  interface Answer {
    String to(String requestLine);
  }

  private final ServerSocket listener;
  private final Answer answer;
  private final int requestsPerConnection;
  final Queue<String> users = new ConcurrentLinkedQueue<>();
  final Queue<Socket> connections = new ConcurrentLinkedQueue<>();

  StubServer(int requestsPerConnection, Answer answer) throws IOException {
    this.requestsPerConnection = requestsPerConnection;
    this.answer = answer;
    listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var socket = listener.accept();
        connections.add(socket);
        Thread.startVirtualThread(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII))) {
      for (int served = 1; served <= requestsPerConnection; served++) {
        var requestLine = in.readLine();
        if (requestLine == null) {
          return;
        }
        for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
          if (line.startsWith("User-Id: ")) {
            users.add(line);
          }
        }
        var last = served == requestsPerConnection ? "Connection: close\r\n" : "";
        var text =
            "HTTP/1.1 %s\r\n%sContent-Length: 2\r\n\r\nok".formatted(answer.to(requestLine), last);
        socket.getOutputStream().write(text.getBytes(US_ASCII));
      }
    } catch (IOException e) {
      // The load has ended in the middle; nothing is left to answer.
      return;
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (var socket : connections) {
      socket.close();
    }
  }
}
