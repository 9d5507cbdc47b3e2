package io.naru.e2e.crash;

/** Names an entry; the user alone would not do, who may have one after the other. */
record Name(String user, long joined) {

  static Name of(Row row) {
    return new Name(row.user(), row.joined());
  }
}
