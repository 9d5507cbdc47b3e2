package io.naru.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.load.wire.HttpParser;
import io.naru.load.wire.ReplyParser;
import java.util.Arrays;
import java.util.function.Consumer;

/** HTTP answers that carry an entry, whose token is handed on. */
public final class TokenParser implements ReplyParser {

  private static final byte[] KEY = "\"entryToken\":\"".getBytes(US_ASCII);

  private final HttpParser http = new HttpParser();
  private final Consumer<String> tokens;

  /**
   * A parser that hands on the token of each entry.
   *
   * @param tokens called by the thread that reads, once for each successful answer
   */
  public TokenParser(Consumer<String> tokens) {
    this.tokens = tokens;
  }

  @Override
  public int end(byte[] bytes, int from, int to) {
    int end = http.end(bytes, from, to);
    if (end != INCOMPLETE && http.success()) {
      handOn(bytes, from, end);
    }
    return end;
  }

  private void handOn(byte[] bytes, int from, int to) {
    for (int at = from; at <= to - KEY.length; at++) {
      if (Arrays.equals(bytes, at, at + KEY.length, KEY, 0, KEY.length)) {
        int start = at + KEY.length;
        int end = start;
        while (bytes[end] != '"') {
          end++;
        }
        tokens.accept(new String(bytes, start, end - start, US_ASCII));
        return;
      }
    }
  }

  @Override
  public boolean success() {
    return http.success();
  }

  @Override
  public boolean closes() {
    return http.closes();
  }
}
