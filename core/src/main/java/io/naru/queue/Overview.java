package io.naru.queue;

/** A queue and its figures, read at one moment. */
public record Overview(Queue queue, Figures figures) {}
