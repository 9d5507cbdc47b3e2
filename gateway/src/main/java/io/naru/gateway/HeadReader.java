package io.naru.gateway;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Finds the end of a head in what has arrived so far, and looks at no byte twice. */
final class HeadReader {

  static final int MAX_LINE = 8_192;
  static final int MAX_HEADERS = 16_384;

  private static final int MAX_EMPTY = 4;

  private int scanned;
  private int empty;
  private int line;
  private int firstLine = -1;

  /**
   * The whole head, taken from what has arrived; null if there is more to come.
   *
   * @throws BadMessage if it is too long, or a line ends other than with CR LF
   */
  byte @Nullable [] read(ByteBuf in) throws BadMessage {
    while (true) {
      int start = in.readerIndex();
      int end = in.indexOf(start + scanned, in.writerIndex(), (byte) '\n');
      int length = (end < 0 ? in.writerIndex() : end) - start;
      checkLength(length);
      if (end < 0) {
        scanned = length;
        return null;
      }
      if (length == 0 || in.getByte(end - 1) != '\r') {
        throw new BadMessage(400, "a line of the head does not end with CR LF");
      }
      boolean isEmpty = length - 1 == line;
      scanned = length + 1;
      line = scanned;
      if (isEmpty) {
        byte[] head = new byte[scanned];
        in.readBytes(head);
        reset();
        // Some send an empty line behind a body; before a request it means nothing.
        boolean isNothing = head.length == 2;
        empty = isNothing ? empty + 1 : 0;
        if (empty > MAX_EMPTY) {
          throw new BadMessage(400, "there are empty lines before the request");
        }
        if (!isNothing) {
          return head;
        }
      } else {
        firstLine = firstLine < 0 ? length : firstLine;
      }
    }
  }

  private void checkLength(int length) throws BadMessage {
    if (firstLine < 0 && length > MAX_LINE) {
      throw new BadMessage(414, "the request line is longer than 8 kB");
    }
    if (firstLine >= 0 && length - firstLine > MAX_HEADERS) {
      throw new BadMessage(431, "the headers are larger than 16 kB");
    }
  }

  private void reset() {
    scanned = 0;
    line = 0;
    firstLine = -1;
  }
}
