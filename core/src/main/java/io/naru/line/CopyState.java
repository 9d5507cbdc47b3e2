package io.naru.line;

/** What a copy says of itself. */
public sealed interface CopyState {

  /** It is whole, and at this change. */
  record At(long change) implements CopyState {}

  /** There is none, it is another original's, or a part of it is gone. */
  record Lost() implements CopyState {}
}
