package io.naru.server.webhooks;

import io.naru.net.Networks;
import io.naru.queue.InvalidValue;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where webhooks may go. Whoever makes one makes this server call: so it calls public addresses
 * alone, over TLS, and those networks that an operator of servers allows. A name is looked up once
 * for each try, and the very address that was looked at is called, so that a name which means
 * something else a moment later gets nobody anywhere.
 */
final class Targets {

  static final String ALLOWED =
      "an https:// address of at most 2000 characters, of a public host; others by --webhook-allow";

  private static final int MAX_LENGTH = 2_000;

  private static final Pattern PLAIN = Pattern.compile("[!-~]+");

  /** What IANA set apart among the addresses of IPv4. */
  private static final Networks SPECIAL =
      Networks.parse(
          "",
          "0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,"
              + "192.0.0.0/24,192.0.2.0/24,192.88.99.0/24,192.168.0.0/16,198.18.0.0/15,"
              + "198.51.100.0/24,203.0.113.0/24,224.0.0.0/4,240.0.0.0/4");

  /** Of IPv6, what there is for everybody; */
  private static final Networks GLOBAL = Networks.parse("", "2000::/3");

  /** and what of that leads elsewhere: tunnels, which carry an address of IPv4, and examples. */
  private static final Networks SPECIAL_GLOBAL =
      Networks.parse("", "2001::/23,2001:db8::/32,2002::/16,3fff::/20");

  private final @Nullable Networks allowed;
  private final Names names;

  /** What a host's name means. */
  interface Names {
    List<InetAddress> of(String host) throws UnknownHostException;

    Names SYSTEM = host -> List.of(InetAddress.getAllByName(host));
  }

  /**
   * @param host as it is named, for TLS
   * @param address literally
   * @param path with what is asked for
   */
  record Target(boolean isTls, String host, String address, int port, String path) {}

  /** It is not called; says why, in words for whoever looks after the webhook. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message);
    }
  }

  Targets(@Nullable Networks allowed, Names names) {
    this.allowed = allowed;
    this.names = names;
  }

  /**
   * Whether this is an address at all. Nobody is asked what its host means: that is looked at with
   * each try.
   *
   * @throws InvalidValue if it is none, or one that is never called
   */
  String check(@Nullable Object given) {
    if (!(given instanceof String text)) {
      throw new InvalidValue("url", ALLOWED, "is missing or not text");
    }
    if (text.length() > MAX_LENGTH || !PLAIN.matcher(text).matches()) {
      throw new InvalidValue("url", ALLOWED, "is too long, or has blanks or letters beyond ASCII");
    }
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException e) {
      throw new InvalidValue("url", ALLOWED, "is not an address");
    }
    if (!isHttps(url) && !(isHttp(url) && allowed != null)) {
      throw new InvalidValue("url", ALLOWED, "must begin with https://");
    }
    if (url.getHost() == null || url.getRawUserInfo() != null || url.getRawFragment() != null) {
      throw new InvalidValue(
          "url", ALLOWED, "must name a host, and have neither a user nor a #fragment");
    }
    if (url.getPort() == 0 || url.getPort() > 65_535) {
      throw new InvalidValue("url", ALLOWED, "must have a port of 1..65535, or none");
    }
    InetAddress literal = literal(url);
    if (literal != null) {
      String refusal = refusal(literal, isHttps(url));
      if (refusal != null) {
        throw new InvalidValue("url", ALLOWED, "cannot be called: " + refusal);
      }
    }
    return text;
  }

  private static boolean isHttps(URI url) {
    return "https".equalsIgnoreCase(url.getScheme());
  }

  private static boolean isHttp(URI url) {
    return "http".equalsIgnoreCase(url.getScheme());
  }

  /** What needs no looking up; null if it does. */
  private static @Nullable InetAddress literal(URI url) {
    try {
      return InetAddress.ofLiteral(bare(url.getHost()));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** Looks it up, and takes the first address that may be called. Blocks. */
  Target resolve(String text) throws Refused {
    URI url = URI.create(text);
    String host = url.getHost().toLowerCase(Locale.ROOT);
    String refusal = "its host is not known: " + host;
    for (InetAddress each : addresses(bare(host))) {
      String why = refusal(each, isHttps(url));
      if (why == null) {
        int port = url.getPort() > 0 ? url.getPort() : isHttps(url) ? 443 : 80;
        return new Target(isHttps(url), host, plain(each), port, path(url));
      }
      refusal = why;
    }
    throw new Refused(refusal);
  }

  private List<InetAddress> addresses(String host) {
    try {
      return names.of(host);
    } catch (UnknownHostException e) {
      return List.of();
    }
  }

  private static String path(URI url) {
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
  }

  /** Why this is not called; null if it is. */
  private @Nullable String refusal(InetAddress address, boolean isTls) {
    String plain = plain(address);
    if (allowed != null && allowed.include(plain)) {
      return null;
    }
    if (!isPublic(address, plain)) {
      return plain + " is not a public address, and no --webhook-allow names it";
    }
    return isTls ? null : "without TLS only what --webhook-allow names is called";
  }

  private static boolean isPublic(InetAddress address, String plain) {
    return address.getAddress().length == 4
        ? !SPECIAL.include(plain)
        : GLOBAL.include(plain) && !SPECIAL_GLOBAL.include(plain);
  }

  /** Without a name, and without the interface that a link-local one may name. */
  private static String plain(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress()).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }
}
