package io.naru.fair;

/**
 * Something that should not be so.
 *
 * @param name what kind of thing, always in the same words
 * @param record the number of the record at which it shows, from 0; the size of the log if it shows
 *     at its end
 * @param words what it is, for people
 */
public record Finding(String name, long record, String words) {

  @Override
  public String toString() {
    return name + " at record " + record + ": " + words;
  }
}
