package io.naru.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.testkit.OpenApi;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;

/** Somebody who watches their place, and notices when nothing comes. */
final class HonestViewer implements AutoCloseable {

  private static final String EVENT = "event: ";
  private static final String DATA = "data: ";

  private final Socket socket;
  private long last;
  private long longestGap;
  private int events;
  private boolean isOver;

  HonestViewer(int port, String path) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    String request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    last = System.nanoTime();
    Thread.ofVirtual().start(this::read);
  }

  private void read() {
    try (var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      String event = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(EVENT)) {
          event = line.substring(EVENT.length());
        } else if (line.startsWith(DATA)) {
          OpenApi.shipped().checkMessage(event, line.substring(DATA.length()));
          if (event.equals("queue-status")) {
            event();
          }
        }
      }
    } catch (IOException e) {
      // The stream is over, and over it is.
    } finally {
      end();
    }
  }

  private synchronized void event() {
    longestGap = longestGap().toNanos();
    last = System.nanoTime();
    events++;
  }

  private synchronized void end() {
    isOver = true;
  }

  synchronized int events() {
    return events;
  }

  synchronized boolean isOver() {
    return isOver;
  }

  /** The longest time without an event so far, the one that goes on included. */
  synchronized Duration longestGap() {
    return Duration.ofNanos(Math.max(longestGap, System.nanoTime() - last));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
