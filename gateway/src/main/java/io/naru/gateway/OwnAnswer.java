package io.naru.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.net.Accepted;
import io.naru.pass.WayBack;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What we answer ourselves. None of it says why a pass was refused, or what the site is.
 *
 * @param headers without those that say how long it is
 */
record OwnAnswer(int status, String reason, List<Header> headers, String body) {

  private static final List<String> LANGUAGES = List.of("en", "ko", "ja");
  private static final Map<String, Properties> TEXTS = new HashMap<>();

  /** How soon those come again who could not be served, in seconds. */
  private static final String AGAIN = "5";

  static {
    for (String language : LANGUAGES) {
      TEXTS.put(language, texts(language));
    }
  }

  private static Properties texts(String language) {
    try (InputStream in = OwnAnswer.class.getResourceAsStream(language + ".properties")) {
      var texts = new Properties();
      texts.load(new InputStreamReader(Objects.requireNonNull(in, language), UTF_8));
      return texts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** To the waiting page, with the way back. */
  static OwnAnswer toWaitingPage(String queue, String target) {
    String back = WayBack.isSafe(target) ? WayBack.query(target) : "";
    return own(303, "See Other", "", "", Header.of("Location", "/wait/" + queue + back));
  }

  /**
   * For programs that came without a valid pass.
   *
   * @param site scheme and host, as the visitor has it
   */
  static OwnAnswer noPass(String queue, String site) {
    String wait = site + "/wait/" + queue;
    return problem(
        429,
        "Too Many Requests",
        "S806",
        "No valid pass",
        "this needs a valid pass of the queue " + queue + "; get one at waitUrl",
        ",\"waitUrl\":\"" + wait + "\"");
  }

  static OwnAnswer bad(BadMessage bad) {
    String reason =
        switch (bad.status()) {
          case 405 -> "Method Not Allowed";
          case 408 -> "Request Timeout";
          case 414 -> "URI Too Long";
          case 431 -> "Request Header Fields Too Large";
          default -> "Bad Request";
        };
    return problem(bad.status(), reason, "bad-request", reason, bad.what(), "");
  }

  static OwnAnswer notHere() {
    return problem(404, "Not Found", "not-found", "Not found", "there is nothing at this path", "");
  }

  static OwnAnswer failed(Failing failing, Asked asked) {
    if (!asked.isBrowser()) {
      return problem(
          failing.status(), failing.title(), failing.code(), failing.title(), failing.title(), "");
    }
    String language = Accepted.language(asked.languages(), LANGUAGES).orElse("en");
    Properties texts = Objects.requireNonNull(TEXTS.get(language));
    String page =
        """
        <!doctype html>
        <html lang="%s">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="robots" content="noindex">
        <title>%2$s</title>
        <h1>%2$s</h1>
        <p>%3$s</p>
        """
            .formatted(
                language,
                texts.getProperty(failing.code()),
                texts.getProperty(failing.code() + ".more"));
    return own(
        failing.status(),
        failing.title(),
        "text/html; charset=utf-8",
        page,
        Header.of("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        Header.of("Vary", "Accept, Accept-Language"),
        Header.of("Retry-After", AGAIN),
        // The page comes again by itself; who only looks at it loses nothing.
        Header.of("Refresh", AGAIN));
  }

  private static OwnAnswer problem(
      int status, String reason, String code, String title, String detail, String more) {
    String json =
        """
        {"type":"urn:naru:problem:%s","title":"%s","status":%s,"code":"%1$s","detail":"%s"%s}"""
            .formatted(code, title, status, detail, more);
    Header again = status == 429 || status >= 500 ? Header.of("Retry-After", AGAIN) : null;
    return own(status, reason, "application/problem+json", json, again);
  }

  private static OwnAnswer own(
      int status, String reason, String type, String body, @Nullable Header... more) {
    var headers = new ArrayList<Header>();
    headers.add(Header.of("Cache-Control", "no-store"));
    headers.add(Header.of("Referrer-Policy", "no-referrer"));
    headers.add(Header.of("X-Content-Type-Options", "nosniff"));
    if (!type.isEmpty()) {
      headers.add(Header.of("Content-Type", type));
    }
    for (Header header : more) {
      if (header != null) {
        headers.add(header);
      }
    }
    return new OwnAnswer(status, reason, headers, body);
  }
}
