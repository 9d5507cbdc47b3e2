package io.naru.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Connections that take a server's time and memory and give nothing for it. */
final class HostileClients implements AutoCloseable {

  /** The kernel rounds it up to the least it allows, some two kilobytes. */
  private static final int LEAST_BUFFER = 1;

  private static final String UPGRADE =
      """
      Connection: Upgrade
      Upgrade: websocket
      Sec-WebSocket-Version: 13
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
      """
          .replace("\n", "\r\n");

  private final InetSocketAddress server;
  private final List<SocketChannel> neverReading = new ArrayList<>();
  private final List<SocketChannel> halfOpen = new ArrayList<>();
  private final List<SocketChannel> dripping = new ArrayList<>();

  HostileClients(int port) {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Asks for something and never reads the answer. */
  void neverRead(String path) throws IOException {
    ask(path, "");
  }

  /** The same over a WebSocket. */
  void neverReadSocket(String path) throws IOException {
    ask(path, UPGRADE);
  }

  private void ask(String path, String headers) throws IOException {
    SocketChannel channel = open();
    neverReading.add(channel);
    send(channel, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "\r\n");
  }

  /** Connects, sends this, and waits for the other side to lose patience. */
  void halfOpen(String beginning) throws IOException {
    SocketChannel channel = open();
    halfOpen.add(channel);
    send(channel, beginning);
  }

  /** The same, but with one more byte at every {@link #drip}, so that it is never idle. */
  void dripping(String beginning) throws IOException {
    halfOpen(beginning);
    dripping.add(halfOpen.getLast());
  }

  void drip() {
    for (Iterator<SocketChannel> left = dripping.iterator(); left.hasNext(); ) {
      try {
        send(left.next(), "x");
      } catch (IOException e) {
        // The server has closed it, which is what it should do.
        left.remove();
      }
    }
  }

  /** How many of those that are half open the server still bears. */
  int stillHalfOpen() throws IOException {
    halfOpen.removeIf(HostileClients::isClosedByServer);
    return halfOpen.size();
  }

  private static boolean isClosedByServer(SocketChannel channel) {
    ByteBuffer answer = ByteBuffer.allocate(1_024);
    try {
      int count = channel.read(answer);
      while (count > 0) {
        answer.clear();
        count = channel.read(answer);
      }
      if (count == 0) {
        return false;
      }
      channel.close();
    } catch (IOException e) {
      // Reset instead of closed: gone all the same.
      return true;
    }
    return true;
  }

  private SocketChannel open() throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, LEAST_BUFFER);
    channel.connect(server);
    channel.configureBlocking(false);
    return channel;
  }

  private static void send(SocketChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(US_ASCII));
    channel.write(bytes);
    if (bytes.hasRemaining()) {
      throw new IllegalStateException("a few bytes must always go out");
    }
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel channel : neverReading) {
      channel.close();
    }
    for (SocketChannel channel : halfOpen) {
      channel.close();
    }
  }
}
