package io.naru.server.webhooks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/** Somebody who is told what happens, and answers as a test says. */
public final class Receiver implements AutoCloseable {

  private final ServerSocket server;
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile Answering answering = answer(204);

  /** What came: its headers in small letters. */
  public record Received(String path, Map<String, String> headers, String body) {

    public String id() {
      return headers.getOrDefault("webhook-id", "");
    }

    /** As the reference library wants them. */
    public Map<String, List<String>> lists() {
      Map<String, List<String>> lists = new TreeMap<>();
      headers.forEach((name, value) -> lists.put(name, List.of(value)));
      return lists;
    }
  }

  /** What is answered to something. */
  public interface Answering {
    void to(Received request, OutputStream out) throws IOException, InterruptedException;
  }

  public Receiver() {
    this(ServerSocketFactory.getDefault());
  }

  Receiver(ServerSocketFactory sockets) {
    try {
      server = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  /** A status without a body. */
  public static Answering answer(int status, String... headers) {
    return (_, out) -> {
      String more = String.join("", List.of(headers).stream().map(h -> h + "\r\n").toList());
      out.write(
          ("HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\n" + more + "\r\n").getBytes(UTF_8));
    };
  }

  public int port() {
    return server.getLocalPort();
  }

  public String url() {
    return "http://127.0.0.1:" + port() + "/hooks?key=s3cret";
  }

  /** From now on. */
  public void answers(Answering how) {
    answering = how;
  }

  public List<Received> received() {
    return received;
  }

  int connections() {
    return connections.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        open.add(socket);
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in = new BufferedInputStream(socket.getInputStream());
      String[] first = line(in).split(" ", -1);
      Map<String, String> headers = new TreeMap<>();
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        int colon = line.indexOf(':');
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      var request = new Received(first[1], headers, new String(in.readNBytes(length), UTF_8));
      received.add(request);
      answering.to(request, socket.getOutputStream());
      socket.getOutputStream().flush();
    } catch (IOException | RuntimeException e) {
      // Whoever called has gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the end");
      }
      if (c != '\r') {
        line.write(c);
      }
    }
    return line.toString(ISO_8859_1);
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
