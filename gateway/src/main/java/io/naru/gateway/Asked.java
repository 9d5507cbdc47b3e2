package io.naru.gateway;

import io.naru.pass.Pass;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one look over a request's headers tells.
 *
 * @param path still encoded, without the query
 * @param host as the visitor's browser has it
 * @param scheme by which visitors come: {@code http} or {@code https}
 * @param forwardedFor the value to send on
 * @param tokens what may be a pass, the best first
 * @param named the headers that {@code Connection} names, as {@link Header#key}
 */
record Asked(
    Head head,
    String path,
    String host,
    String scheme,
    String forwardedFor,
    String forwardedHost,
    List<String> tokens,
    List<String> named,
    boolean isBrowser,
    @Nullable String languages,
    boolean isWebSocket) {

  private static final int MAX_TOKENS = 4;

  /** No name of a host is longer, and addresses of pages are made of it. */
  private static final int MAX_HOST = 255;

  private static final String BEARER = "bearer ";
  private static final String TYPE = "\"" + Pass.TYPE + "\"";

  static Asked of(Head head, Caller caller) throws BadMessage {
    String host = null;
    int hosts = 0;
    String scheme = caller.isTls() ? "https" : "http";
    var forwardedFor = new StringBuilder();
    String forwardedHost = null;
    var bearers = new ArrayList<String>();
    var hostCookies = new ArrayList<String>();
    var cookies = new ArrayList<String>();
    List<String> named = List.of();
    String accept = "";
    String languages = null;
    String upgrade = "";
    for (Header header : head.headers()) {
      String value = header.value();
      switch (header.key()) {
        case "host" -> {
          host = value;
          hosts++;
        }
        case "authorization" -> {
          if (isPass(value)) {
            bearers.add(value.substring(BEARER.length()).strip());
          }
        }
        case "cookie" -> {
          Cookies.add(value, Pass.HOST_COOKIE, hostCookies);
          Cookies.add(value, Pass.COOKIE, cookies);
        }
        case "connection" -> named = options(named, value);
        case "accept" -> accept = value;
        case "accept-language" -> languages = value;
        case "upgrade" -> upgrade = value;
        case "x-forwarded-for" -> {
          if (caller.isProxy()) {
            forwardedFor.append(value).append(", ");
          }
        }
        case "x-forwarded-proto" -> {
          if (caller.isProxy()) {
            // It knows how visitors came to it, however it came to us.
            scheme = value.equals("https") ? "https" : "http";
          }
        }
        case "x-forwarded-host" -> forwardedHost = caller.isProxy() ? value : null;
        default -> {}
      }
    }
    if (hosts != 1 || host == null || !isHost(host)) {
      throw new BadMessage(400, "there must be one Host");
    }
    String target = head.second();
    if (!target.startsWith("/")) {
      throw new BadMessage(400, "the address must be a path");
    }
    bearers.addAll(hostCookies);
    bearers.addAll(cookies);
    String method = head.first();
    int query = target.indexOf('?');
    return new Asked(
        head,
        query < 0 ? target : target.substring(0, query),
        host,
        scheme,
        forwardedFor.append(caller.address()).toString(),
        forwardedHost == null ? host : forwardedHost,
        bearers.subList(0, Math.min(bearers.size(), MAX_TOKENS)),
        named,
        (method.equals("GET") || method.equals("HEAD")) && accept.contains("text/html"),
        languages,
        method.equals("GET")
            && upgrade.equalsIgnoreCase("websocket")
            && named.contains("upgrade")
            && head.third().equals("HTTP/1.1"));
  }

  private static boolean isHost(String host) {
    return !host.isEmpty()
        && host.length() <= MAX_HOST
        && host.chars().allMatch(c -> c > ' ' && c < 127 && "/?#@\\,\"<>".indexOf(c) < 0);
  }

  private static List<String> options(List<String> before, String value) {
    var options = new ArrayList<>(before);
    for (String option : value.split(",", -1)) {
      options.add(option.strip().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    return options;
  }

  /**
   * Whether the value of {@code Authorization} is a pass, of whatever queue. Sites use that header
   * for logins of their own, which go on to them; a pass is no business of theirs.
   */
  static boolean isPass(String authorization) {
    if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return false;
    }
    String token = authorization.substring(BEARER.length()).strip();
    int dot = token.indexOf('.');
    if (dot < 0 || dot > Pass.MAX_LENGTH) {
      return false;
    }
    try {
      byte[] header = Base64.getUrlDecoder().decode(token.substring(0, dot));
      return new String(header, StandardCharsets.UTF_8).contains(TYPE);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  boolean isHead() {
    return head.first().equals("HEAD");
  }

  boolean isHttp10() {
    return head.third().equals("HTTP/1.0");
  }
}
