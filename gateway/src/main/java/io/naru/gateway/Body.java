package io.naru.gateway;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tells where a body ends. What it consists of goes on in the pieces that arrived, uncopied;
 * extensions of chunks and trailers stay behind.
 */
final class Body {

  private static final int MAX_SIZE_DIGITS = 15;
  private static final int MAX_EXTENSION = 256;
  private static final int MAX_TRAILERS = HeadReader.MAX_HEADERS;

  enum Kind {
    NONE,
    LENGTH,
    CHUNKED,
    UNTIL_CLOSE
  }

  private enum Step {
    SIZE,
    EXTENSION_START,
    EXTENSION,
    SIZE_END,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER_START,
    TRAILER_NAME,
    TRAILER,
    TRAILER_LF,
    LAST_LF,
    DONE
  }

  private final Kind kind;
  private long left;
  private Step step = Step.SIZE;
  private int digits;
  private int beside;

  private Body(Kind kind, long length) {
    this.kind = kind;
    this.left = length;
  }

  static Body none() {
    return new Body(Kind.NONE, 0);
  }

  /** What the head of a request says; where another server could see another end, nothing. */
  static Body ofRequest(Head head) throws BadMessage {
    Body body = framed(head.headers(), 400);
    if (body.kind == Kind.CHUNKED && head.third().equals("HTTP/1.0")) {
      throw new BadMessage(400, "HTTP/1.0 has no chunks");
    }
    return body.kind == Kind.UNTIL_CLOSE ? none() : body;
  }

  /**
   * @param isToHead whether the request was a {@code HEAD}
   */
  static Body ofAnswer(Head head, boolean isToHead) throws BadMessage {
    int status = head.status();
    Body body = framed(head.headers(), 502);
    return isToHead || status < 200 || status == 204 || status == 304 ? none() : body;
  }

  private static Body framed(List<Header> headers, int status) throws BadMessage {
    Body body = null;
    for (Header header : headers) {
      boolean isLength = header.key().equals("content-length");
      if (isLength || header.key().equals("transfer-encoding")) {
        if (body != null) {
          throw new BadMessage(status, "the headers do not say clearly where the body ends");
        }
        body = isLength ? ofLength(header.value(), status) : ofEncoding(header.value(), status);
      }
    }
    return body == null ? new Body(Kind.UNTIL_CLOSE, 0) : body;
  }

  private static Body ofLength(String value, int status) throws BadMessage {
    if (value.isEmpty()
        || value.length() > 18
        || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new BadMessage(status, "Content-Length is not a length");
    }
    long length = Long.parseLong(value);
    return length == 0 ? none() : new Body(Kind.LENGTH, length);
  }

  private static Body ofEncoding(String value, int status) throws BadMessage {
    if (!value.equalsIgnoreCase("chunked")) {
      throw new BadMessage(status, "Transfer-Encoding is something else than chunked");
    }
    return new Body(Kind.CHUNKED, 0);
  }

  Kind kind() {
    return kind;
  }

  /** Whether there is one that may have no more bytes than these. */
  boolean mayBeWithin(int bytes) {
    return kind == Kind.CHUNKED || (kind == Kind.LENGTH && left <= bytes);
  }

  /**
   * Takes what belongs to the body.
   *
   * @param data takes the pieces, and has to release them
   * @return whether that was all of it
   */
  boolean read(ByteBuf in, Consumer<ByteBuf> data) throws BadMessage {
    return switch (kind) {
      case NONE -> true;
      case LENGTH -> {
        take(in, data);
        yield left == 0;
      }
      case CHUNKED -> readChunks(in, data);
      case UNTIL_CLOSE -> {
        left = in.readableBytes();
        take(in, data);
        yield false;
      }
    };
  }

  private void take(ByteBuf in, Consumer<ByteBuf> data) {
    int size = (int) Math.min(left, in.readableBytes());
    if (size > 0) {
      left -= size;
      data.accept(in.readRetainedSlice(size));
    }
  }

  private boolean readChunks(ByteBuf in, Consumer<ByteBuf> data) throws BadMessage {
    while (step != Step.DONE && in.isReadable()) {
      if (step == Step.DATA) {
        take(in, data);
        step = left == 0 ? Step.DATA_CR : Step.DATA;
      } else {
        step = next(in.readByte());
      }
    }
    return step == Step.DONE;
  }

  /** The step behind one byte that is no data. */
  private Step next(byte b) throws BadMessage {
    return switch (step) {
      case SIZE -> size(b);
      case EXTENSION_START -> beside(Head.isToken(b), MAX_EXTENSION, Step.EXTENSION);
      case EXTENSION -> extension(b);
      case SIZE_END -> {
        expect(b, '\n');
        digits = 0;
        beside = 0;
        yield left == 0 ? Step.TRAILER_START : Step.DATA;
      }
      case DATA_CR -> expect(b, '\r', Step.DATA_LF);
      case DATA_LF -> expect(b, '\n', Step.SIZE);
      case TRAILER_START ->
          b == '\r' ? Step.LAST_LF : beside(Head.isToken(b), MAX_TRAILERS, Step.TRAILER_NAME);
      case TRAILER_NAME ->
          b == ':' ? Step.TRAILER : beside(Head.isToken(b), MAX_TRAILERS, Step.TRAILER_NAME);
      case TRAILER ->
          b == '\r' ? Step.TRAILER_LF : beside(!Head.isControl(b), MAX_TRAILERS, Step.TRAILER);
      case TRAILER_LF -> expect(b, '\n', Step.TRAILER_START);
      case LAST_LF -> expect(b, '\n', Step.DONE);
      case DATA, DONE -> throw new IllegalStateException(step.name());
    };
  }

  private Step size(byte b) throws BadMessage {
    int digit = Character.digit((char) b, 16);
    if (digit >= 0 && b > 0) {
      digits++;
      if (digits > MAX_SIZE_DIGITS) {
        throw broken();
      }
      left = left * 16 + digit;
      return Step.SIZE;
    }
    if (digits == 0 || (b != '\r' && b != ';')) {
      throw broken();
    }
    return b == '\r' ? Step.SIZE_END : Step.EXTENSION_START;
  }

  /** A name, and perhaps a value; then there may be another one. */
  private Step extension(byte b) throws BadMessage {
    return switch (b) {
      case '\r' -> Step.SIZE_END;
      case ';', '=' -> Step.EXTENSION_START;
      default -> beside(Head.isToken(b), MAX_EXTENSION, Step.EXTENSION);
    };
  }

  /** What stays behind is read as strictly: others on the way may see an end in it. */
  private Step beside(boolean isAllowed, int most, Step then) throws BadMessage {
    beside++;
    if (beside > most || !isAllowed) {
      throw broken();
    }
    return then;
  }

  private static Step expect(byte b, char expected, Step then) throws BadMessage {
    expect(b, expected);
    return then;
  }

  private static void expect(byte b, char expected) throws BadMessage {
    if (b != expected) {
      throw broken();
    }
  }

  private static BadMessage broken() {
    return new BadMessage(400, "the body is badly framed");
  }
}
