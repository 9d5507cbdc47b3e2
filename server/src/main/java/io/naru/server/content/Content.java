package io.naru.server.content;

import io.naru.server.http.Exchange;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Something that is sent more than once: prepared plain and compressed, with a name by which a
 * browser knows whether it has it already.
 */
public final class Content {

  private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");

  private final String type;
  private final Buffer plain;
  private final Buffer compressed;
  private final String hash;

  public Content(String type, byte[] bytes) {
    this.type = type;
    this.plain = Buffer.buffer(bytes);
    this.compressed = Buffer.buffer(gzip(bytes));
    this.hash = hash(bytes);
  }

  /** Sends it, or says that the browser has it; the caller has set how long it may be kept. */
  public void send(Exchange exchange, int status) {
    HttpServerResponse response = exchange.response();
    boolean isCompressed = acceptsGzip(exchange.request().getHeader(HttpHeaders.ACCEPT_ENCODING));
    // The two are different bytes, so they have different names.
    String etag = "\"" + hash + (isCompressed ? "-gz" : "") + "\"";
    response.putHeader(HttpHeaders.ETAG, etag);
    response.headers().add(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    response.putHeader("X-Content-Type-Options", NOSNIFF);
    if (status == 200 && knows(exchange.request().getHeader(HttpHeaders.IF_NONE_MATCH), etag)) {
      response.setStatusCode(304).end();
      return;
    }
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type);
    if (isCompressed) {
      response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    // A copy that shares the bytes: sending moves its reading mark.
    response.end((isCompressed ? compressed : plain).slice());
  }

  public static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static boolean knows(@Nullable String ifNoneMatch, String etag) {
    return ifNoneMatch != null && (ifNoneMatch.strip().equals("*") || ifNoneMatch.contains(etag));
  }

  private static boolean acceptsGzip(@Nullable String acceptEncoding) {
    if (acceptEncoding == null) {
      return false;
    }
    for (String coding : acceptEncoding.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = coding.split(";", 2);
      if (parts[0].strip().equals("gzip")) {
        return parts.length == 1 || !parts[1].strip().matches("q=0(\\.0*)?");
      }
    }
    return false;
  }

  private static byte[] gzip(byte[] bytes) {
    var out = new ByteArrayOutputStream(bytes.length / 2 + 64);
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
