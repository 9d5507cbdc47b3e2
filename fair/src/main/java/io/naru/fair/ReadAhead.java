package io.naru.fair;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads what comes next while what is there is worked on: to unpack a large file takes about as
 * long as to check it. A few pieces are kept, never more.
 */
final class ReadAhead extends InputStream {

  private static final int PIECE = 1 << 17;
  private static final int PIECES = 8;

  /** Some bytes, or why there are no more. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares pieces
  private record Piece(byte[] bytes, boolean isLast, @Nullable IOException failed) {}

  private final InputStream in;
  private final BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(PIECES);
  private final Thread reader;
  private Piece piece = new Piece(new byte[0], false, null);
  private int at;

  ReadAhead(InputStream in) {
    this.in = in;
    this.reader = Thread.ofPlatform().daemon().name("read-ahead").start(this::readAll);
  }

  private void readAll() {
    try {
      Piece next = readPiece();
      while (!next.isLast) {
        pieces.put(next);
        next = readPiece();
      }
      pieces.put(next);
    } catch (InterruptedException e) {
      // Closed: nobody wants more.
      Thread.currentThread().interrupt();
    }
  }

  private Piece readPiece() {
    try {
      byte[] bytes = new byte[PIECE];
      int read = in.read(bytes, 0, PIECE);
      return new Piece(Arrays.copyOf(bytes, Math.max(0, read)), read < 0, null);
    } catch (IOException e) {
      return new Piece(new byte[0], true, e);
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    while (at == piece.bytes.length) {
      if (piece.failed != null) {
        throw piece.failed;
      }
      if (piece.isLast) {
        return -1;
      }
      piece = take();
      at = 0;
    }
    int count = Math.min(length, piece.bytes.length - at);
    System.arraycopy(piece.bytes, at, bytes, offset, count);
    at += count;
    return count;
  }

  private Piece take() throws IOException {
    try {
      return pieces.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while reading", e);
    }
  }

  @Override
  public void close() throws IOException {
    reader.interrupt();
    try {
      // It may be in the middle of a piece, and what it reads from must not be closed before.
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    in.close();
  }
}
