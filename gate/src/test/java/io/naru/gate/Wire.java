package io.naru.gate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** HTTP without a client that knows better. */
public final class Wire {

  private Wire() {}

  /** Sends a request to this machine exactly as it is given, and returns the whole answer. */
  public static String send(int port, String method, String target, String... headers)
      throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      var request = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: site\r\n");
      for (String header : headers) {
        request.append(header).append("\r\n");
      }
      request.append("Connection: close\r\n\r\n");
      socket.getOutputStream().write(request.toString().getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  /** An answer without what differs each time. */
  public static String withoutDate(String answer) {
    return answer.replaceFirst("Date: .*\r\n", "");
  }
}
