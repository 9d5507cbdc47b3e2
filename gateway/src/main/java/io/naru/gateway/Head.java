package io.naru.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request or of an answer, read as strictly as RFC 9112 allows. Two servers in a row
 * that read one head differently are how requests are smuggled; so what could be read in two ways
 * is refused, and what is sent on is written anew.
 *
 * @param first the method, or the version of an answer
 * @param second the target, or the status
 * @param third the version, or the reason
 */
record Head(String first, String second, String third, List<Header> headers) {

  private static final Pattern VERSION = Pattern.compile("HTTP/1\\.[01]");
  private static final Pattern STATUS = Pattern.compile("[1-5][0-9]{2}");
  private static final int MAX_HEADERS = 200;
  private static final boolean[] TOKEN = new boolean[128];

  static {
    for (char c = '!'; c < 127; c++) {
      TOKEN[c] = "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
    }
  }

  /**
   * @param bytes from the first line to the empty one, each ended with CR LF
   */
  static Head request(byte[] bytes) throws BadMessage {
    Head head = parse(bytes);
    if (!isToken(head.first) || !VERSION.matcher(head.third).matches()) {
      throw new BadMessage(400, "the request line is not well-formed");
    }
    for (int i = 0; i < head.second.length(); i++) {
      char c = head.second.charAt(i);
      if (c <= ' ' || c >= 127 || c == '#') {
        throw new BadMessage(400, "the address has characters that no address has");
      }
    }
    return head;
  }

  static Head answer(byte[] bytes) throws BadMessage {
    Head head = parse(bytes);
    if (!VERSION.matcher(head.first).matches() || !STATUS.matcher(head.second).matches()) {
      throw new BadMessage(502, "the status line is not well-formed");
    }
    return head;
  }

  private static Head parse(byte[] bytes) throws BadMessage {
    int end = lineEnd(bytes, 0);
    String line = text(bytes, 0, end);
    int one = line.indexOf(' ');
    int two = one < 0 ? -1 : line.indexOf(' ', one + 1);
    if (two < 0 && !line.startsWith("HTTP/")) {
      throw new BadMessage(400, "the request line is not well-formed");
    }
    // The reason of an answer may be missing, with its blank.
    String second = two < 0 ? line.substring(one + 1) : line.substring(one + 1, two);
    String third = two < 0 ? "" : line.substring(two + 1);
    var headers = new ArrayList<Header>();
    int start = end + 2;
    while (start < bytes.length - 2) {
      end = lineEnd(bytes, start);
      headers.add(header(bytes, start, end));
      if (headers.size() > MAX_HEADERS) {
        throw new BadMessage(431, "there are more than " + MAX_HEADERS + " headers");
      }
      start = end + 2;
    }
    return new Head(one < 0 ? line : line.substring(0, one), second, third, headers);
  }

  private static int lineEnd(byte[] bytes, int from) throws BadMessage {
    for (int i = from; i < bytes.length - 1; i++) {
      if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
        return i;
      }
      if (isControl(bytes[i])) {
        throw new BadMessage(400, "there is a control character in the head");
      }
    }
    throw new BadMessage(400, "a line of the head does not end");
  }

  private static Header header(byte[] bytes, int start, int end) throws BadMessage {
    int colon = start;
    while (colon < end && isToken(bytes[colon])) {
      colon++;
    }
    // Also a line that begins with a blank, which goes on with the one before for some.
    if (colon == start || colon == end || bytes[colon] != ':') {
      throw new BadMessage(400, "a header is not well-formed");
    }
    int from = colon + 1;
    while (from < end && isBlank(bytes[from])) {
      from++;
    }
    int to = end;
    while (to > from && isBlank(bytes[to - 1])) {
      to--;
    }
    return Header.of(text(bytes, start, colon), text(bytes, from, to));
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }

  static boolean isToken(byte b) {
    return b >= 0 && TOKEN[b];
  }

  static boolean isControl(byte b) {
    return (b >= 0 && b < ' ' && b != '\t') || b == 127;
  }

  private static boolean isToken(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c < 128 && TOKEN[c]);
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, ISO_8859_1);
  }

  /**
   * The first value of a header; null if there is none.
   *
   * @param key as {@link Header#key}
   */
  @Nullable String value(String key) {
    for (Header header : headers) {
      if (header.key().equals(key)) {
        return header.value();
      }
    }
    return null;
  }

  int status() {
    return Integer.parseInt(second);
  }

  /** Whether the one who sent it would like to go on with this connection. */
  boolean keepsAlive() {
    String version = first.startsWith("HTTP/") ? first : third;
    boolean keeps = version.equals("HTTP/1.1");
    for (Header header : headers) {
      if (header.key().equals("connection")) {
        for (String option : header.value().split(",", -1)) {
          keeps =
              switch (option.strip().toLowerCase(Locale.ROOT)) {
                case "close" -> false;
                case "keep-alive" -> true;
                default -> keeps;
              };
        }
      }
    }
    return keeps;
  }
}
