package io.naru.server;

import io.naru.queue.InvalidValue;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What others than this machine can do with a server that is started this way; pure. */
final class Exposure {

  private Exposure() {}

  /** Refuses what cannot be meant. */
  static void check(String bind, @Nullable URI publicUrl) {
    if (publicUrl == null && isEveryAddress(bind)) {
      throw new InvalidValue(
          "bind",
          "an address of this machine, or --public-url with it",
          "says where to listen ("
              + bind
              + ") and not where we are: passes name their issuer, so give --public-url, the"
              + " address that visitors use");
    }
  }

  /** What whoever starts it should know. */
  static List<String> warnings(Naru.Config config) {
    List<String> warnings = new ArrayList<>();
    Naru.Visitors visitors = config.visitors();
    URI url = visitors.publicUrl();
    if (!isLoopback(config.bind())) {
      if (url == null) {
        warnings.add(
            "visitors and gates know this server as "
                + config.bind()
                + "; give --public-url, the address that they use");
      }
      if (visitors.userHeader() != null) {
        warnings.add(
            "whoever sends "
                + visitors.userHeader().name()
                + " from an address of --trusted-proxies is that visitor, with their place and"
                + " their pass: every proxy there must set or clear it (docs/operations.md)");
      }
    }
    String jwks = visitors.site() == null ? null : visitors.site().jwks();
    if (jwks != null && jwks.startsWith("http://") && !isLoopback(hostOf(jwks))) {
      warnings.add(
          "the keys of the site's tokens come in the clear: whoever can change them on the way is"
              + " any visitor they like; give --site-jwks https://…, or a file");
    }
    String host = url == null ? config.bind() : String.valueOf(url.getHost());
    if (!visitors.isHttps() && !isLoopback(host)) {
      warnings.add(
          "cookies, passes and the admin key travel in the clear; have a proxy speak TLS and give"
              + " --public-url https://…");
    }
    String management = config.watching().bind();
    openManagement(management, "queues and stores").ifPresent(warnings::add);
    if (config.redis() != null && isOpen(config.redis())) {
      warnings.add(
          "this Redis is not on this machine and has no password: whoever reaches it rules the"
              + " line; set one (requirepass, or an ACL) and name it in NARU_REDIS");
    }
    return warnings;
  }

  /** Nobody is asked for a key there. */
  static Optional<String> openManagement(String bind, String named) {
    return isLoopback(bind)
        ? Optional.empty()
        : Optional.of(
            "whoever reaches "
                + bind
                + " reads metrics and health, which name "
                + named
                + ": nobody is asked for a key there, so let only your monitoring through"
                + " (--management-bind)");
  }

  private static String hostOf(String url) {
    return String.valueOf(URI.create(url).getHost());
  }

  /** Whether a Redis elsewhere is used without a password. */
  private static boolean isOpen(String redis) {
    int start = redis.indexOf("://");
    String rest = redis.substring(start < 0 ? 0 : start + 3);
    String authority = rest.split("[/?#]", 2)[0];
    return authority.indexOf('@') < 0
        && !Arrays.stream(authority.split(",", -1))
            .map(Exposure::withoutPort)
            .allMatch(Exposure::isLoopback);
  }

  private static String withoutPort(String host) {
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
    return end <= 0 ? host : host.substring(0, end);
  }

  private static boolean isEveryAddress(String bind) {
    InetAddress address = literal(bind);
    return address != null && address.isAnyLocalAddress();
  }

  /** Names other than localhost are not looked up: they may lead elsewhere tomorrow. */
  private static boolean isLoopback(String host) {
    InetAddress address = literal(host);
    return address == null ? host.equalsIgnoreCase("localhost") : address.isLoopbackAddress();
  }

  private static @Nullable InetAddress literal(String host) {
    boolean isBracketed = host.startsWith("[") && host.endsWith("]");
    try {
      return InetAddress.ofLiteral(isBracketed ? host.substring(1, host.length() - 1) : host);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
