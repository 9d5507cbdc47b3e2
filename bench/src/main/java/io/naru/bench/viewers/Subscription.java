package io.naru.bench.viewers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.net.InetSocketAddress;

/**
 * Where streams are opened.
 *
 * @param path up to the token
 */
public record Subscription(InetSocketAddress server, String path) {

  byte[] request(String token) {
    return "GET %s%s HTTP/1.1\r\nHost: %s:%d\r\nAccept: text/event-stream\r\n\r\n"
        .formatted(path, token, server.getHostString(), server.getPort())
        .getBytes(US_ASCII);
  }
}
