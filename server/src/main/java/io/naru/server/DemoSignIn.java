package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * A link that opens the console of the demo without typing a key. Naru itself has none: a key in an
 * address ends up in histories and logs. This one is another server on loopback: browsers know
 * cookies by host and not by port, so it can hand out the session that it was given. Whoever does
 * not know the link gets nothing, and all of it ends with the demo.
 */
final class DemoSignIn implements AutoCloseable {

  private final HttpServer server;
  private final String path;

  /**
   * @param cookie of a session, as Naru set it
   * @param console where the link leads
   */
  DemoSignIn(String cookie, String console) throws IOException {
    var random = new byte[16];
    new SecureRandom().nextBytes(random);
    path = "/" + HexFormat.of().formatHex(random);
    server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    server.createContext("/", exchange -> answer(exchange, cookie, console));
    server.start();
  }

  private void answer(HttpExchange exchange, String cookie, String console) throws IOException {
    byte[] asked = exchange.getRequestURI().getRawPath().getBytes(UTF_8);
    boolean isRight = MessageDigest.isEqual(asked, path.getBytes(UTF_8));
    var headers = exchange.getResponseHeaders();
    headers.set("Cache-Control", "no-store");
    headers.set("Referrer-Policy", "no-referrer");
    if (isRight) {
      headers.set("Set-Cookie", cookie);
      headers.set("Location", console);
    }
    exchange.sendResponseHeaders(isRight ? 303 : 404, -1);
    exchange.close();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
