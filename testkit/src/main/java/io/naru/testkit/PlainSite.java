package io.naru.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A shop that knows nothing of Naru, to be put behind something that does: plain sockets, one
 * virtual thread for each, so that a test sees what arrived, byte by byte.
 *
 * <pre>
 *   /                    home, with a link to /checkout
 *   /checkout            a form; POST /checkout/buy counts one order and leads (303) to /done
 *   /done                thanks
 *   /orders              how many orders there were
 *   /headers             the request as it arrived: its line, then a header per line
 *   /echo                the body that was sent, with its Content-Type
 *   /status/503          that status
 *   /slow?millis=500     answers after a while
 *   /hang                never answers
 *   /cut                 closes the connection within its answer
 *   /large?bytes=100000  so many bytes, with a Content-Length
 *   /chunked?bytes=9     so many bytes, in chunks, with a trailer
 *   /events              an event a tenth of a second, for ever
 *   /socket              a WebSocket that sends back what it gets
 *   /completed           the answer has the header Naru-Complete: 1
 *   /as-told             whatever {@link #says} was told, byte by character
 * </pre>
 *
 * All of it is there below {@code /checkout} too, as {@code /checkout/headers}. What is none of
 * these comes from the folder, if there is one.
 */
public final class PlainSite implements AutoCloseable {

  private static final int REMEMBERED = 10_000;
  private static final byte[] BLOCK = "0123456789abcdef".repeat(1_024).getBytes(ISO_8859_1);

  private final ServerSocket listening;
  private final @Nullable Path folder;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<String> heads = new LinkedBlockingQueue<>(REMEMBERED);
  private final AtomicInteger orders = new AtomicInteger();
  private final AtomicLong written = new AtomicLong();
  private volatile String told = "";

  private PlainSite(ServerSocket listening, @Nullable Path folder) {
    this.listening = listening;
    this.folder = folder;
    Thread.ofVirtual().name("plain-site").start(this::accept);
  }

  /** In this JVM, on a free loopback port. */
  public static PlainSite open() {
    return open(0, null);
  }

  /**
   * @param port 0 for a free one
   * @param folder of files that it shows; null for none
   */
  public static PlainSite open(int port, @Nullable Path folder) {
    try {
      return new PlainSite(new ServerSocket(port, 1_024, InetAddress.getLoopbackAddress()), folder);
    } catch (IOException e) {
      throw new UncheckedIOException("no plain site on port " + port, e);
    }
  }

  /** In this JVM, where somebody has begun to listen, perhaps with TLS. */
  public static PlainSite open(ServerSocket listening) {
    return new PlainSite(listening, null);
  }

  /** As a process of its own, which tests may kill; it ends with this JVM. */
  public static AddressProcess start(Path folder) {
    var classes = PlainSite.class.getProtectionDomain().getCodeSource().getLocation();
    return AddressProcess.start(
        List.of(
            "-cp",
            Path.of(URI.create(classes.toString())).toString(),
            PlainSite.class.getName(),
            folder.toString()));
  }

  /** The process: prints its address and stays. */
  public static void main(String[] args) throws InterruptedException {
    var site = open(0, Path.of(args[0]));
    System.out.println("plain site on " + site.uri());
    Thread.currentThread().join();
  }

  public int port() {
    return listening.getLocalPort();
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + port());
  }

  /** The line and headers of all requests so far, in the order of their arrival. */
  public List<String> heads() {
    return List.copyOf(heads);
  }

  /** Forgets them. */
  public void forget() {
    heads.clear();
  }

  public int orders() {
    return orders.get();
  }

  /** How many bytes of bodies it has got rid of: what nobody reads stays with it. */
  public long written() {
    return written.get();
  }

  /** What it answers at {@code /as-told}, HTTP or not. */
  public void says(String bytes) {
    told = bytes;
  }

  /** Closes all connections; new ones are taken. */
  public void hangUp() {
    for (Socket socket : open) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  public int connections() {
    return open.size();
  }

  @Override
  public void close() {
    try {
      listening.close();
      hangUp();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
      socket.setTcpNoDelay(true);
      var in = new BufferedInputStream(socket.getInputStream());
      var out = new BufferedOutputStream(socket.getOutputStream(), 65_536);
      for (Request request = read(in); request != null; request = read(in)) {
        if (!answer(request, in, out)) {
          return;
        }
        out.flush();
      }
    } catch (IOException e) {
      // Who has gone needs no answer.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(socket);
    }
  }

  /**
   * @param body a character for each byte
   */
  private record Request(String head, String method, String target, String body) {

    String path() {
      String path = target.split("\\?", 2)[0];
      return path.startsWith("/checkout/") ? path.substring("/checkout".length()) : path;
    }

    int number(String parameter) {
      int at = target.indexOf(parameter + "=");
      return Integer.parseInt(target.substring(at + parameter.length() + 1).split("&", 2)[0]);
    }

    @Nullable String header(String name) {
      return headerOf(head, name);
    }
  }

  private static @Nullable String headerOf(String head, String name) {
    return head.lines()
        .skip(1)
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse(null);
  }

  private @Nullable Request read(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
      int b = in.read();
      if (b < 0) {
        return null;
      }
      head.append((char) b);
    }
    String text = head.toString();
    while (!heads.offer(text)) {
      heads.poll();
    }
    String[] line = text.split(" ", 3);
    return new Request(text, line[0], line[1], new String(body(text, in), ISO_8859_1));
  }

  private static byte[] body(String head, InputStream in) throws IOException {
    String length = headerOf(head, "content-length");
    if (length != null) {
      return in.readNBytes(Integer.parseInt(length));
    }
    var body = new ByteArrayOutputStream();
    if (headerOf(head, "transfer-encoding") != null) {
      for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
        body.write(in.readNBytes(size));
        line(in);
      }
      line(in);
    }
    return body.toByteArray();
  }

  private static int chunkSize(InputStream in) throws IOException {
    return Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException();
      }
      line.append((char) b);
    }
    return line.toString().strip();
  }

  /** Whether the connection goes on. */
  private boolean answer(Request request, InputStream in, OutputStream out)
      throws IOException, InterruptedException {
    switch (request.path()) {
      case "/" -> html(request, out, "Plain shop", "<a href=\"/checkout\">Checkout</a>");
      case "/checkout" ->
          html(
              request,
              out,
              "Checkout",
              "<form method=\"post\" action=\"/checkout/buy\"><button>Buy</button></form>");
      case "/buy" -> {
        orders.incrementAndGet();
        send(request, out, "303 See Other", List.of("Location: /done"), new byte[0]);
      }
      case "/done" -> html(request, out, "Thank you", "<a href=\"/\">Home</a>");
      case "/orders" -> text(request, out, String.valueOf(orders.get()));
      case "/headers" -> text(request, out, request.head);
      case "/echo" ->
          send(
              request,
              out,
              "200 OK",
              List.of("Content-Type: " + request.header("content-type")),
              request.body.getBytes(ISO_8859_1));
      case "/slow" -> {
        Thread.sleep(Duration.ofMillis(request.number("millis")));
        text(request, out, "slow");
      }
      case "/hang" -> Thread.sleep(Duration.ofDays(1));
      case "/cut" -> {
        write(out, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        out.flush();
        return false;
      }
      case "/as-told" -> {
        write(out, told);
        out.flush();
        return false;
      }
      case "/large" -> large(request, out, false);
      case "/chunked" -> large(request, out, true);
      case "/events" -> events(out);
      case "/socket" -> {
        socket(request, in, out);
        return false;
      }
      case "/completed" ->
          send(request, out, "200 OK", List.of("Naru-Complete: 1"), "done".getBytes(UTF_8));
      default -> other(request, out);
    }
    return !"close".equalsIgnoreCase(request.header("connection"));
  }

  private void other(Request request, OutputStream out) throws IOException {
    String path = request.path();
    if (path.startsWith("/status/")) {
      send(request, out, path.substring(8) + " As Asked", List.of(), path.getBytes(UTF_8));
      return;
    }
    Path file = folder == null ? null : folder.resolve(path.substring(1)).normalize();
    if (folder != null && file != null && file.startsWith(folder) && Files.isRegularFile(file)) {
      String type = Files.probeContentType(file);
      var headers = type == null ? List.<String>of() : List.of("Content-Type: " + type);
      send(request, out, "200 OK", headers, Files.readAllBytes(file));
    } else {
      send(request, out, "404 Not Found", List.of(), "nothing here".getBytes(UTF_8));
    }
  }

  private void html(Request request, OutputStream out, String title, String body)
      throws IOException {
    String page =
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>%1$s</title><h1>%1$s</h1>%2$s"
            .formatted(title, body);
    send(
        request,
        out,
        "200 OK",
        List.of("Content-Type: text/html; charset=utf-8"),
        page.getBytes(UTF_8));
  }

  private void text(Request request, OutputStream out, String text) throws IOException {
    send(request, out, "200 OK", List.of("Content-Type: text/plain"), text.getBytes(UTF_8));
  }

  private void send(
      Request request, OutputStream out, String status, List<String> headers, byte[] body)
      throws IOException {
    var lines = new ArrayList<>(List.of("HTTP/1.1 " + status));
    lines.addAll(headers);
    lines.add("Content-Length: " + body.length);
    write(out, String.join("\r\n", lines) + "\r\n\r\n");
    if (!request.method.equals("HEAD")) {
      out.write(body);
    }
  }

  private void large(Request request, OutputStream out, boolean isChunked) throws IOException {
    int left = request.number("bytes");
    write(out, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n");
    write(
        out,
        isChunked
            ? "Transfer-Encoding: chunked\r\n\r\n"
            : "Content-Length: %d\r\n\r\n".formatted(left));
    while (left > 0) {
      int size = Math.min(left, BLOCK.length);
      if (isChunked) {
        write(out, Integer.toHexString(size) + "\r\n");
      }
      out.write(BLOCK, 0, size);
      if (isChunked) {
        write(out, "\r\n");
      }
      out.flush();
      written.addAndGet(size);
      left -= size;
    }
    if (isChunked) {
      write(out, "0\r\nChecksum: none\r\n\r\n");
    }
  }

  private void events(OutputStream out) throws IOException, InterruptedException {
    write(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    for (int i = 1; ; i++) {
      write(out, "data: " + i + "\n\n");
      out.flush();
      Thread.sleep(100);
    }
  }

  /** As RFC 6455 has it, for whole messages below 64 kB. */
  private void socket(Request request, InputStream in, OutputStream out) throws IOException {
    String key = request.header("sec-websocket-key");
    if (key == null) {
      send(request, out, "426 Upgrade Required", List.of("Upgrade: websocket"), new byte[0]);
      return;
    }
    write(
        out,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + ("Sec-WebSocket-Accept: " + accept(key) + "\r\n\r\n"));
    out.flush();
    for (int first = in.read(); first >= 0; first = in.read()) {
      int length = in.read() & 0x7f;
      int size = length < 126 ? length : in.read() << 8 | in.read();
      byte[] mask = in.readNBytes(4);
      byte[] data = in.readNBytes(size);
      for (int i = 0; i < size; i++) {
        data[i] ^= mask[i % 4];
      }
      out.write(first);
      if (size < 126) {
        out.write(size);
      } else {
        out.write(new byte[] {126, (byte) (size >> 8), (byte) size});
      }
      out.write(data);
      out.flush();
      if ((first & 0x0f) == 8) {
        return;
      }
    }
  }

  private static String accept(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1")
              .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(ISO_8859_1));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(ISO_8859_1));
  }
}
