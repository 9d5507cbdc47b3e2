package io.naru.queue;

/**
 * What is the same for everybody in a queue when a place is read.
 *
 * @param change the number of the state the place belongs to
 * @param waiting how many are waiting in all
 * @param active whether people are let in; if not, they keep their places
 * @param settings of which visitors are shown some; they travel as one text
 */
public record LineState(long change, long waiting, boolean active, Settings settings) {}
