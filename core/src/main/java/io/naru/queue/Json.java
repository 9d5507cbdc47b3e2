package io.naru.queue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * JSON as stores keep it: maps, lists, text, numbers, true, false and null, and nothing that is not
 * exactly that. Whole numbers are {@code Integer}, {@code Long} or {@code BigInteger}, as they fit,
 * others {@code BigDecimal}, so that what is written again is the same number.
 */
public final class Json {

  /** Far deeper than any setting; so that no text can exhaust the stack. */
  private static final int MAX_DEPTH = 32;

  /** So many digits fit into a {@code Long}, whichever they are. */
  private static final int SHORT = 18;

  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]{0,99})(\\.[0-9]{1,99})?([eE][-+]?[0-9]{1,6})?");

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /**
   * @throws IllegalArgumentException if this is not one JSON array and nothing else
   */
  public static List<@Nullable Object> readList(String text) {
    var json = new Json(text);
    List<@Nullable Object> list = json.list(0);
    json.blanks();
    if (json.at < text.length()) {
      throw json.wrong("the end");
    }
    return list;
  }

  /**
   * @throws IllegalArgumentException if this is not one JSON object and nothing else
   */
  public static Map<String, @Nullable Object> readObject(String text) {
    var json = new Json(text);
    Map<String, @Nullable Object> object = json.object(0);
    json.blanks();
    if (json.at < text.length()) {
      throw json.wrong("the end");
    }
    return object;
  }

  private @Nullable Object value(int depth) {
    if (depth > MAX_DEPTH) {
      throw wrong("less depth");
    }
    return switch (peek()) {
      case '{' -> object(depth);
      case '[' -> list(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object(int depth) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    take('{');
    while (isNext('}', object.isEmpty())) {
      String name = string();
      take(':');
      if (object.containsKey(name)) {
        throw wrong("a name once");
      }
      object.put(name, value(depth + 1));
    }
    return object;
  }

  private List<@Nullable Object> list(int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    take('[');
    while (isNext(']', list.isEmpty())) {
      list.add(value(depth + 1));
    }
    return list;
  }

  /** Goes past the end, or past the comma before the next one, which the first does not have. */
  private boolean isNext(char end, boolean isFirst) {
    if (peek() == end) {
      at++;
      return false;
    }
    if (!isFirst) {
      take(',');
    }
    return true;
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong(word);
    }
    at += word.length();
    return value;
  }

  private Number number() {
    // Nearly all are short, and a pattern takes ten times as long: texts of lanes are nothing else.
    Number found = shortWhole();
    return found == null ? anyNumber() : found;
  }

  /** A whole number that surely fits into a {@code Long}; null if it is none, or another one. */
  private @Nullable Number shortWhole() {
    boolean isNegative = text.charAt(at) == '-';
    int first = isNegative ? at + 1 : at;
    int end = first;
    long whole = 0;
    while (end < text.length() && isDigit(text.charAt(end)) && end - first < SHORT) {
      whole = 10 * whole + text.charAt(end) - '0';
      end++;
    }
    boolean goesOn = end < text.length() && "0123456789.eE".indexOf(text.charAt(end)) >= 0;
    if (end == first || goesOn || (text.charAt(first) == '0' && end - first > 1)) {
      return null;
    }
    at = end;
    return narrowed(isNegative ? -whole : whole);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static Number narrowed(long l) {
    return l == (int) l ? (Number) (int) l : (Number) l;
  }

  private Number anyNumber() {
    Matcher number = NUMBER.matcher(text).region(at, text.length());
    if (!number.lookingAt()) {
      throw wrong("a value");
    }
    at = number.end();
    if (number.group(1) != null || number.group(2) != null) {
      return new BigDecimal(number.group());
    }
    var whole = new BigInteger(number.group());
    if (whole.bitLength() > 63) {
      return whole;
    }
    return narrowed(whole.longValue());
  }

  private String string() {
    take('"');
    var string = new StringBuilder();
    while (true) {
      char c = next();
      if (c == '"') {
        return string.toString();
      }
      if (c < ' ') {
        throw wrong("no control character");
      }
      string.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b', 'f', 'n', 'r', 't' -> "\b\f\n\r\t".charAt("bfnrt".indexOf(c));
      case 'u' -> {
        at += 4;
        if (at > text.length()) {
          throw wrong("four digits");
        }
        yield (char) HexFormat.fromHexDigits(text, at - 4, at);
      }
      default -> throw wrong("an escape");
    };
  }

  private void take(char expected) {
    if (peek() != expected) {
      throw wrong("" + expected);
    }
    at++;
  }

  /** What comes behind blanks. */
  private char peek() {
    blanks();
    char c = next();
    at--;
    return c;
  }

  private void blanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char next() {
    if (at == text.length()) {
      throw wrong("more");
    }
    return text.charAt(at++);
  }

  private IllegalArgumentException wrong(String expected) {
    return new IllegalArgumentException("no JSON: expected " + expected + " at character " + at);
  }

  public static String write(Map<String, ? extends @Nullable Object> object) {
    var out = new StringBuilder();
    write(out, object);
    return out.toString();
  }

  /** Any such value, behind what is there already. */
  public static void write(StringBuilder out, @Nullable Object value) {
    switch (value) {
      case Map<?, ?> object -> {
        String before = "{";
        for (Map.Entry<?, ?> entry : object.entrySet()) {
          string(out.append(before), (String) entry.getKey());
          write(out.append(':'), entry.getValue());
          before = ",";
        }
        out.append(object.isEmpty() ? "{}" : "}");
      }
      case List<?> list -> {
        String before = "[";
        for (Object each : list) {
          write(out.append(before), each);
          before = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
      }
      case String string -> string(out, string);
      case null, default -> out.append(value);
    }
  }

  private static void string(StringBuilder out, String string) {
    out.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        // Half a pair would not survive as it is.
        out.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
