package io.naru.journal;

/**
 * The records over which a tile of level 0 has the hashes.
 *
 * @param number counted from the left
 * @param count how many records it has; it grows until they are {@link HashTile#WIDTH}
 * @param lastJoined the last who joined in it or before it, by when they did
 * @param content each record with two bytes before it that say how long it is
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and nobody changes it
public record Bundle(long number, int count, long lastJoined, byte[] content) {}
