package io.naru.ledger;

/** A statement, which not every database has in the same words. */
interface Sql {

  String in(Dialect dialect);

  /** One that all of them understand. */
  static Sql of(String text) {
    return _ -> text;
  }
}
