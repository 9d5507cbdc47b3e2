package io.naru.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;

/** A request built once, with a hole where each user's id goes. */
public final class Template {

  private static final String HOLE = "?".repeat(Users.ID_LENGTH);

  private final byte[] bytes;
  private final int hole;

  private Template(String text) {
    bytes = text.getBytes(US_ASCII);
    hole = text.indexOf(HOLE);
  }

  /** An HTTP request without a body and without a user. */
  public static Template http(String method, String authority, String path) {
    return new Template("%s %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(method, path, authority));
  }

  /** An HTTP request without a body in the name of a user. */
  public static Template httpAsUser(String method, String authority, String path) {
    var length = method.equals("POST") ? "Content-Length: 0\r\n" : "";
    return new Template(
        "%s %s HTTP/1.1\r\nHost: %s\r\n%sUser-Id: %s\r\n\r\n"
            .formatted(method, path, authority, length, HOLE));
  }

  /** The same in a lane that a trusted proxy gives. */
  public static Template httpInLane(String method, String authority, String path, String lane) {
    return new Template(
        "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\nUser-Lane: %s\r\nUser-Id: %s\r\n\r\n"
            .formatted(method, path, authority, lane, HOLE));
  }

  /** A Redis command whose last argument is the user. */
  public static Template redis(String... words) {
    var text = new StringBuilder("*" + (words.length + 1) + "\r\n");
    for (var word : words) {
      text.append("$%d\r\n%s\r\n".formatted(word.length(), word));
    }
    return new Template(text + "$%d\r\n%s\r\n".formatted(HOLE.length(), HOLE));
  }

  /** The same request again and again. */
  public Traffic always() {
    return out -> {
      out.writeBytes(bytes);
      return true;
    };
  }

  /** Each request from a user nobody has seen yet. */
  public Traffic byNewcomers(Users users) {
    return out -> {
      users.writeNew(out, append(out));
      return true;
    };
  }

  /** Each request from a random one of those who entered. */
  public Traffic byKnown(Users users) {
    return out -> {
      users.writeKnown(out, append(out));
      return true;
    };
  }

  private int append(ByteBuf out) {
    var start = out.writerIndex();
    out.writeBytes(bytes);
    return start + hole;
  }
}
