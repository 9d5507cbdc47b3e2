package io.naru.line;

import io.naru.queue.Place;

/** What the line knows of a user. */
public sealed interface Standing {

  /** The user's place: in the line, inside, or how it ended (known for an hour). */
  record Found(Place place) implements Standing {}

  /** Never there, left, or forgotten. */
  record Unknown() implements Standing {}

  record NoQueue() implements Standing {}
}
