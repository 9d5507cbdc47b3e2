package io.naru.gateway;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server behind us: the site, or Naru. Looked up by name aside, never while somebody waits. */
final class Upstream {

  private static final Logger log = LoggerFactory.getLogger(Upstream.class);

  /** What is a path for browsers, too: they take some beginnings for that of a host. */
  private static final Pattern PATH = Pattern.compile("/(?![/\\\\\t])");

  private final String name;
  private final String host;
  private final int port;
  private final boolean isNaru;
  private final int connections;
  private final @Nullable SslContext tls;

  /** How it may name itself, the longer one first. */
  private final List<String> addresses;

  private volatile @Nullable InetSocketAddress address;
  private boolean isLost;
  private volatile boolean isRetired;

  /**
   * @param url with scheme, host and perhaps a port
   * @param connections how many there may be at a time
   * @param trusted who may have signed its certificate; none for those that Java trusts
   */
  Upstream(URI url, boolean isNaru, int connections, List<X509Certificate> trusted) {
    boolean isTls = "https".equals(url.getScheme());
    this.name = url.toString();
    this.host = url.getHost();
    this.port = url.getPort() >= 0 ? url.getPort() : isTls ? 443 : 80;
    String plain = url.getScheme() + "://" + host;
    this.addresses =
        port == (isTls ? 443 : 80)
            ? List.of(plain + ":" + port, plain)
            : List.of(plain + ":" + port);
    this.isNaru = isNaru;
    this.connections = connections;
    try {
      this.tls = isTls ? tls(trusted) : null;
    } catch (SSLException e) {
      throw new IllegalStateException("no TLS here for " + url, e);
    }
    lookUp();
  }

  private static SslContext tls(List<X509Certificate> trusted) throws SSLException {
    SslContextBuilder builder = SslContextBuilder.forClient();
    if (!trusted.isEmpty()) {
      builder.trustManager(trusted);
    }
    return builder.build();
  }

  /** The last address found serves on while the name has none. */
  void lookUp() {
    try {
      address = new InetSocketAddress(InetAddress.getByName(host), port);
      isLost = false;
    } catch (UnknownHostException e) {
      if (!isLost) {
        log.warn("{} cannot be found: {}", name, e.getMessage());
      }
      isLost = true;
    }
  }

  @Nullable InetSocketAddress address() {
    return address;
  }

  @Nullable SslContext tls() {
    return tls;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  /**
   * Where a redirect of this server leads visitors: what it says of its own address, which they do
   * not know and should not go around us to, is a path of ours.
   */
  String here(String location) {
    for (String own : addresses) {
      if (location.regionMatches(true, 0, own, 0, own.length())) {
        String rest = location.substring(own.length());
        if (rest.isEmpty() || rest.startsWith("?") || rest.startsWith("#")) {
          return "/" + rest;
        }
        return PATH.matcher(rest).lookingAt() ? rest : location;
      }
    }
    return location;
  }

  boolean isNaru() {
    return isNaru;
  }

  int connections() {
    return connections;
  }

  /** No rule names it any more. */
  void retire() {
    isRetired = true;
  }

  boolean isRetired() {
    return isRetired;
  }

  @Override
  public String toString() {
    return name;
  }
}
