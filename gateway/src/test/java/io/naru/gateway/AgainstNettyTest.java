package io.naru.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.support.Seeded;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Our reading of requests beside that of a library that the world uses: what we take, it reads as
 * we do, to the last byte. (What it takes and we do not is another matter: it is lenient.)
 */
class AgainstNettyTest {

  private static final int HISTORIES = 10_000;
  private static final String[] METHODS = {"GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS"};
  private static final String[] NAMES = {
    "Host", "Accept", "Cookie", "X-A", "x_b", "Content-Type", "Connection", "Expect", "Naru-User"
  };

  private static final Caller SOMEBODY = new Caller("192.0.2.1", false, false);

  /** What breaks a request now and then, or should not. */
  private static final String[] PIECES = {
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    ":",
    ";",
    ",",
    "0",
    "a",
    "\0",
    "\u007f",
    "é",
    "chunked",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    " Transfer-Encoding: chunked\r\n",
    "\r\n\r\n",
    "GET / HTTP/1.1\r\n",
    "+",
    "-1"
  };

  /** One request, and what is left behind it. */
  private record Read(
      String line, List<Map.Entry<String, String>> headers, String body, int rest) {}

  @Test
  void whatWeTake_nettyReadsAlike() {
    var taken = new int[2];
    Seeded.histories(
        HISTORIES,
        random -> {
          String wire = wire(random);
          Read ours = ours(wire, random);
          if (ours != null) {
            taken[0]++;
            taken[1] += ours.body.isEmpty() ? 0 : 1;
            assertThat(ours).as(wire).isEqualTo(netty(wire));
          }
        });
    if (System.getProperty("naru.seed") == null) {
      assertThat(taken[0]).as("requests that could be compared").isGreaterThan(HISTORIES / 4);
      assertThat(taken[1]).as("of them with a body").isGreaterThan(HISTORIES / 20);
    }
  }

  private static String wire(Random random) {
    var head = new StringBuilder();
    head.append(METHODS[random.nextInt(METHODS.length)]);
    head.append(" /").append(word(random)).append(random.nextBoolean() ? "" : "?q=" + word(random));
    head.append(" HTTP/1.").append(random.nextInt(10) == 0 ? 0 : 1).append("\r\nHost: a\r\n");
    for (int i = random.nextInt(4); i > 0; i--) {
      String name = NAMES[random.nextInt(NAMES.length)];
      head.append(name).append(random.nextBoolean() ? ": " : ":").append(word(random));
      head.append(random.nextInt(5) == 0 ? " \t\r\n" : "\r\n");
    }
    switch (random.nextInt(3)) {
      case 0 -> {
        String body = word(random);
        head.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
      }
      case 1 -> chunks(head.append("Transfer-Encoding: chunked\r\n\r\n"), random);
      default -> head.append("\r\n");
    }
    if (random.nextBoolean()) {
      head.append("GET /next HTTP/1.1\r\nHost: b\r\n\r\n");
    }
    for (int i = random.nextInt(3); i > 0 && random.nextBoolean(); i--) {
      int at = random.nextInt(head.length());
      switch (random.nextInt(3)) {
        case 0 -> head.insert(at, PIECES[random.nextInt(PIECES.length)]);
        case 1 -> head.deleteCharAt(at);
        default -> head.setCharAt(at, PIECES[random.nextInt(PIECES.length)].charAt(0));
      }
    }
    return head.toString();
  }

  private static void chunks(StringBuilder out, Random random) {
    for (int i = random.nextInt(4); i > 0; i--) {
      String chunk = word(random) + "c";
      out.append(Integer.toHexString(chunk.length()));
      out.append(random.nextInt(4) == 0 ? ";x=y" : "").append("\r\n").append(chunk).append("\r\n");
    }
    out.append("0\r\n").append(random.nextInt(4) == 0 ? "X-Trailer: z\r\n" : "").append("\r\n");
  }

  private static String word(Random random) {
    var word = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      word.append((char) ('a' + random.nextInt(26)));
    }
    return word.toString();
  }

  /** In pieces, as a network brings it; null if it is refused or not all there. */
  private static @Nullable Read ours(String wire, Random random) {
    ByteBuf all = Unpooled.copiedBuffer(wire, ISO_8859_1);
    ByteBuf in = Unpooled.buffer();
    var heads = new HeadReader();
    var bytes = new StringBuilder();
    Head head = null;
    Body body = Body.none();
    try {
      while (all.isReadable()) {
        in.writeBytes(all, Math.min(all.readableBytes(), 1 + random.nextInt(40)));
        if (head == null) {
          byte[] read = heads.read(in);
          if (read == null) {
            continue;
          }
          head = Head.request(read);
          body = Body.ofRequest(head);
          Asked.of(head, SOMEBODY);
        }
        boolean isComplete =
            body.read(
                in,
                piece -> {
                  bytes.append(piece.toString(ISO_8859_1));
                  piece.release();
                });
        if (isComplete) {
          int rest = in.readableBytes() + all.readableBytes();
          String line = head.first() + " " + head.second() + " " + head.third();
          return new Read(line, headers(head), bytes.toString(), rest);
        }
      }
      return null;
    } catch (BadMessage e) {
      return null;
    } finally {
      all.release();
      in.release();
    }
  }

  private static List<Map.Entry<String, String>> headers(Head head) {
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    head.headers().forEach(header -> headers.add(Map.entry(header.name(), header.value())));
    return headers;
  }

  private static @Nullable Read netty(String wire) {
    byte[] all = wire.getBytes(ISO_8859_1);
    var channel = new EmbeddedChannel(new HttpRequestDecoder());
    HttpRequest request = null;
    var bytes = new StringBuilder();
    try {
      // One byte at a time, to see with which of them the first request ends.
      for (int i = 0; i < all.length; i++) {
        channel.writeInbound(Unpooled.wrappedBuffer(all, i, 1));
        for (Object part = channel.readInbound(); part != null; part = channel.readInbound()) {
          try {
            if (part instanceof HttpRequest head) {
              request = head;
            }
            if (part instanceof HttpContent content) {
              bytes.append(content.content().toString(ISO_8859_1));
            }
            if (part instanceof LastHttpContent && request != null) {
              return request.decoderResult().isFailure()
                  ? null
                  : new Read(line(request), headers(request), bytes.toString(), all.length - i - 1);
            }
          } finally {
            ReferenceCountUtil.release(part);
          }
        }
      }
      return null;
    } finally {
      channel.finishAndReleaseAll();
    }
  }

  private static String line(HttpRequest request) {
    return request.method().name() + " " + request.uri() + " " + request.protocolVersion().text();
  }

  private static List<Map.Entry<String, String>> headers(HttpRequest request) {
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    request.headers().forEach(header -> headers.add(Map.entry(header.getKey(), header.getValue())));
    return headers;
  }
}
