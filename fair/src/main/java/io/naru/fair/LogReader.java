package io.naru.fair;

import java.io.IOException;

/** Reads a log from its beginning to its end. */
public interface LogReader {

  /** The next record, as its exact bytes; they are another's once this returns. */
  void record(byte[] bytes, int offset, int length) throws IOException;

  /**
   * The next part of the list of a draw, see {@link Lobby}; all of them come behind the record that
   * sealed it.
   *
   * @param number of the draw
   */
  void leaves(long number, byte[] part) throws IOException;

  /** A signed note; behind all records. */
  void checkpoint(String note) throws IOException;
}
