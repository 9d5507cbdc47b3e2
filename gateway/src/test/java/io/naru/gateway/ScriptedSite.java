package io.naru.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A site that says exactly what it was told to, request by request, and leaves its connections open
 * or closes them as servers do that nobody would write today.
 */
final class ScriptedSite implements AutoCloseable {

  /** What it does with one request, of which the head was read. */
  interface Script {

    /** Whether the connection goes on. */
    boolean answer(String head, Talking with) throws IOException;
  }

  /** The other end of a connection. */
  static final class Talking {
    private final Socket socket;
    private final InputStream in;

    private Talking(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream());
    }

    void say(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    }

    String read(int bytes) throws IOException {
      return new String(in.readNBytes(bytes), ISO_8859_1);
    }

    private String head() throws IOException {
      var head = new StringBuilder();
      while (!head.toString().endsWith("\r\n\r\n")) {
        int b = in.read();
        if (b < 0) {
          return "";
        }
        head.append((char) b);
      }
      return head.toString();
    }
  }

  private final ServerSocket listening;
  private final Script script;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<String> heads = new CopyOnWriteArrayList<>();

  ScriptedSite(Script script) throws IOException {
    this.script = script;
    this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  /** One that answers always the same, and goes on. */
  static ScriptedSite saying(String answer) throws IOException {
    return new ScriptedSite(
        (head, with) -> {
          with.say(answer);
          return true;
        });
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + listening.getLocalPort());
  }

  /** What it was asked, in order. */
  List<String> heads() {
    return heads;
  }

  static int length(String head) {
    String name = "content-length: ";
    int at = head.toLowerCase(Locale.ROOT).indexOf(name);
    return at < 0
        ? 0
        : Integer.parseInt(head.substring(at + name.length(), head.indexOf('\r', at)));
  }

  private void accept() {
    try {
      while (true) {
        var socket = listening.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // It was closed.
    }
  }

  private void serve(Socket socket) {
    open.add(socket);
    try (socket) {
      var talking = new Talking(socket);
      String head = talking.head();
      while (!head.isEmpty()) {
        heads.add(head);
        if (!script.answer(head, talking)) {
          return;
        }
        head = talking.head();
      }
    } catch (IOException e) {
      // Who has gone needs no answer.
    } finally {
      open.remove(socket);
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
