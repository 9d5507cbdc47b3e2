package io.naru.line;

/** One step of a line, from a change to a later one, and who left it on the way. */
public record Move(long from, long to, Departures departures) {}
