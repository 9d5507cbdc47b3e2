package io.naru.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.gateway.Rules.Held;
import io.naru.pass.Pass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes heads anew: of what came only that goes on which is meant for the one behind. */
final class Wire {

  /** Between two neighbours, and for nobody behind them. */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  /** What {@code Connection} may not take away, whatever it names. */
  private static final Set<String> KEPT =
      Set.of("authorization", "content-length", "cookie", "host", "x-forwarded-for");

  /** What only we say to a site, and the headers by which some sites take another path. */
  private static final Set<String> OURS =
      Set.of(
          "host",
          "content-length",
          "forwarded",
          "x-real-ip",
          "x-original-url",
          "x-rewrite-url",
          "user-id",
          "user-lane");

  /** All that Naru is told of what a visitor sends: whoever they say they are is not part of it. */
  private static final Set<String> FOR_NARU =
      Set.of(
          "accept",
          "accept-encoding",
          "accept-language",
          "access-control-request-headers",
          "access-control-request-method",
          "authorization",
          "cache-control",
          "content-encoding",
          "content-type",
          "cookie",
          "expect",
          "if-modified-since",
          "if-none-match",
          "last-event-id",
          "origin",
          "referer",
          "sec-fetch-dest",
          "sec-fetch-mode",
          "sec-fetch-site",
          "sec-fetch-user",
          "sec-websocket-extensions",
          "sec-websocket-key",
          "sec-websocket-protocol",
          "sec-websocket-version",
          "user-agent");

  private final boolean forwardsPass;
  private final @Nullable String siteCookie;

  /**
   * @param forwardsPass whether the site gets the pass, too
   * @param siteCookie the one cookie of the site that is for Naru; null for none
   */
  Wire(boolean forwardsPass, @Nullable String siteCookie) {
    this.forwardsPass = forwardsPass;
    this.siteCookie = siteCookie;
  }

  /**
   * The head of a request, for whom it goes on to.
   *
   * @param isContinued whether we have said already that the body is wanted
   */
  ByteBuf request(
      ByteBufAllocator memory, Asked asked, Body.Kind body, Way.On way, boolean isContinued) {
    Head head = asked.head();
    boolean isNaru = way.upstream().isNaru();
    ByteBuf out = memory.buffer(1_024);
    text(out, head.first());
    out.writeByte(' ');
    text(out, head.second());
    text(out, " HTTP/1.1\r\n");
    header(out, "Host", asked.host());
    for (Header header : head.headers()) {
      String value = isNaru ? forNaru(header) : forSite(header, asked.named());
      if (value != null && !(isContinued && header.key().equals("expect"))) {
        header(out, header.name(), value);
      }
    }
    header(out, "X-Forwarded-For", asked.forwardedFor());
    header(out, "X-Forwarded-Proto", asked.scheme());
    header(out, "X-Forwarded-Host", asked.forwardedHost());
    if (isNaru) {
      header(out, "Naru-Site", asked.scheme());
    }
    Held held = way.held();
    if (held != null) {
      header(out, "Naru-User", held.pass().user());
      header(out, "Naru-Pass-Id", held.pass().id());
    }
    String length = head.value("content-length");
    if (body == Body.Kind.CHUNKED) {
      header(out, "Transfer-Encoding", "chunked");
    } else if (length != null) {
      header(out, "Content-Length", length);
    }
    if (asked.isWebSocket()) {
      text(out, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    }
    return end(out);
  }

  private @Nullable String forSite(Header header, List<String> named) {
    String key = header.key();
    if (HOP_BY_HOP.contains(key)
        || OURS.contains(key)
        || key.startsWith("x-forwarded-")
        || key.startsWith("naru-")
        || (!named.isEmpty() && named.contains(key) && !KEPT.contains(key))) {
      return null;
    }
    if (forwardsPass) {
      return header.value();
    }
    return switch (key) {
      case "authorization" -> Asked.isPass(header.value()) ? null : header.value();
      case "cookie" ->
          header.value().contains(Pass.COOKIE)
              ? kept(Cookies.without(header.value(), Wire::isPass))
              : header.value();
      default -> header.value();
    };
  }

  private @Nullable String forNaru(Header header) {
    if (!FOR_NARU.contains(header.key())) {
      return null;
    }
    return header.key().equals("cookie")
        ? kept(Cookies.without(header.value(), name -> !isForNaru(name)))
        : header.value();
  }

  private boolean isForNaru(String cookie) {
    return cookie.equals("naru")
        || cookie.startsWith("naru-")
        || cookie.startsWith("__Host-naru")
        || cookie.equals(siteCookie);
  }

  private static boolean isPass(String cookie) {
    return cookie.equals(Pass.COOKIE) || cookie.equals(Pass.HOST_COOKIE);
  }

  private static @Nullable String kept(String cookies) {
    return cookies.isEmpty() ? null : cookies;
  }

  /**
   * How an answer goes to the visitor.
   *
   * @param isChunked whether it is cut into chunks for them
   * @param connection the value of that header; empty for none
   */
  record Shape(boolean isChunked, String connection) {}

  /**
   * The head of the site's answer, for the visitor.
   *
   * @param from whose answer it is
   * @param dropped the headers that are for us, as {@link Header#key}
   * @param isOver whether the turn is over with it, and the pass of no more use
   */
  static ByteBuf answer(
      ByteBufAllocator memory,
      Head head,
      Upstream from,
      Shape shape,
      Set<String> dropped,
      boolean isOver,
      boolean isHttps) {
    ByteBuf out = memory.buffer(1_024);
    status(out, head.second(), head.third());
    List<String> named = named(head);
    for (Header header : head.headers()) {
      String key = header.key();
      boolean isDropped =
          HOP_BY_HOP.contains(key)
              || dropped.contains(key)
              || (shape.isChunked() && key.equals("content-length"))
              || (!named.isEmpty() && named.contains(key) && !KEPT.contains(key));
      if (!isDropped) {
        boolean leads = key.equals("location") && !from.isNaru();
        header(out, header.name(), leads ? from.here(header.value()) : header.value());
      }
    }
    if (isOver) {
      clearCookies(out, isHttps);
    }
    if (shape.isChunked()) {
      header(out, "Transfer-Encoding", "chunked");
    }
    if (!shape.connection().isEmpty()) {
      header(out, "Connection", shape.connection());
    }
    if (head.status() == 101) {
      header(out, "Upgrade", "websocket");
    }
    return end(out);
  }

  private static List<String> named(Head head) {
    String connection = head.value("connection");
    return connection == null || connection.equals("keep-alive") || connection.equals("close")
        ? List.of()
        : List.of(connection.toLowerCase(Locale.ROOT).replace(" ", "").split(",", -1));
  }

  private static void clearCookies(ByteBuf out, boolean isHttps) {
    String clear = "=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax";
    header(out, "Set-Cookie", Pass.COOKIE + clear);
    if (isHttps) {
      header(out, "Set-Cookie", Pass.HOST_COOKIE + clear + "; Secure");
    }
  }

  /** The whole of an answer of our own. */
  static ByteBuf own(ByteBufAllocator memory, OwnAnswer answer, boolean isHead, String connection) {
    byte[] body = answer.body().getBytes(UTF_8);
    ByteBuf out = memory.buffer(512 + body.length);
    status(out, String.valueOf(answer.status()), answer.reason());
    for (Header header : answer.headers()) {
      header(out, header.name(), header.value());
    }
    header(out, "Content-Length", String.valueOf(body.length));
    if (!connection.isEmpty()) {
      header(out, "Connection", connection);
    }
    end(out);
    return isHead ? out : out.writeBytes(body);
  }

  /** A piece of a body, as a chunk: what stands before it. */
  static ByteBuf chunk(ByteBufAllocator memory, int size) {
    ByteBuf out = memory.buffer(12);
    text(out, Integer.toHexString(size));
    return crlf(out);
  }

  private static void status(ByteBuf out, String status, String reason) {
    text(out, "HTTP/1.1 ");
    text(out, status);
    out.writeByte(' ');
    text(out, reason);
    crlf(out);
  }

  private static void header(ByteBuf out, String name, String value) {
    text(out, name);
    out.writeByte(':').writeByte(' ');
    text(out, value);
    crlf(out);
  }

  /** A byte for each character, as they were read. */
  private static void text(ByteBuf out, String text) {
    ByteBufUtil.writeAscii(out, text);
  }

  private static ByteBuf crlf(ByteBuf out) {
    return out.writeByte('\r').writeByte('\n');
  }

  private static ByteBuf end(ByteBuf out) {
    return crlf(out);
  }
}
