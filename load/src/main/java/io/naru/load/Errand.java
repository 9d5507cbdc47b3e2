package io.naru.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.NoSuchAlgorithmException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Who goes where, and how.
 *
 * @param url of a Naru
 * @param queue as {@code TYPE/id}
 * @param connections over which everything but streams goes
 * @param streams how many may be open at once; who finds none left polls
 * @param userHeader in which the server believes us who a visitor is; null for those whom it gives
 *     an identity of its own
 * @param seed of what everybody does
 * @param tls what is trusted where the address is https; null for what Java trusts
 */
public record Errand(
    URI url,
    String queue,
    Wave wave,
    Habits habits,
    Follow follow,
    int connections,
    int streams,
    @Nullable String userHeader,
    long seed,
    @Nullable SSLContext tls) {

  public static final int DEFAULT_CONNECTIONS = 256;

  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9_.-]{1,64}/[A-Za-z0-9_.-]{1,64}");
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9-]{1,64}");

  /** How people learn of their place. */
  public enum Follow {
    /** An open stream each, as the waiting page does. */
    STREAM,
    /** The same messages over a WebSocket each. */
    SOCKET,
    /** A question each, whenever the server said to ask again. */
    POLL,
    /** The board, read once a second for all, as behind a cache; who is near the front asks. */
    BOARD;

    /** Whether everybody has a connection of their own, as long as there are enough. */
    public boolean isOpen() {
      return this == STREAM || this == SOCKET;
    }
  }

  /** To an address without TLS, or with what Java trusts. */
  public Errand(
      URI url,
      String queue,
      Wave wave,
      Habits habits,
      Follow follow,
      int connections,
      int streams,
      @Nullable String userHeader,
      long seed) {
    this(url, queue, wave, habits, follow, connections, streams, userHeader, seed, null);
  }

  public Errand {
    boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
    if (!isHttp || url.getHost() == null || !isBare(url)) {
      throw new IllegalArgumentException(
          "--url: must be the address of a Naru like http://127.0.0.1:8080 or"
              + " https://wait.shop.example, is "
              + url);
    }
    if (!QUEUE.matcher(queue).matches()) {
      throw new IllegalArgumentException("TYPE/id: is not a queue: " + queue);
    }
    if (userHeader != null && !HEADER.matcher(userHeader).matches()) {
      throw new IllegalArgumentException("--user-header: is not a header's name: " + userHeader);
    }
    Range.check("--connections", connections, 1, 10_000);
    Range.check("--streams", streams, 0, 1_000_000);
  }

  private static boolean isBare(URI url) {
    return url.getRawUserInfo() == null
        && url.getRawQuery() == null
        && (url.getRawPath().isEmpty() || url.getRawPath().equals("/"));
  }

  /** Whether all that is loaded is this machine. */
  public boolean isLoopback() {
    try {
      return InetAddress.getByName(url.getHost()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  InetSocketAddress address() {
    return new InetSocketAddress(host(), port());
  }

  private int port() {
    return url.getPort() >= 0 ? url.getPort() : isTls() ? 443 : 80;
  }

  private boolean isTls() {
    return "https".equals(url.getScheme());
  }

  /** For one connection; null without TLS. */
  @Nullable SSLEngine tlsEngine() {
    if (!isTls()) {
      return null;
    }
    SSLEngine engine = context().createSSLEngine(host(), port());
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    engine.setSSLParameters(parameters);
    return engine;
  }

  private SSLContext context() {
    try {
      return tls == null ? SSLContext.getDefault() : tls;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no TLS", e);
    }
  }

  private String host() {
    String host = url.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  String path(String call) {
    return "/queue/" + queue + "/" + call;
  }
}
