package io.naru.journal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is appended to a log in one step, all of it or nothing.
 *
 * @param to how many records the log has then
 * @param cursor up to which change the journal is in it then; what is behind that is forgotten
 * @param origin the name under which it is signed
 * @param holder who appends; for {@code holdMicros} nobody else will
 * @param tiles new ones, and those that grew
 * @param bundles likewise
 * @param checkpoint over the log as it is then; null to leave the last one
 * @param signedAt when that was signed
 */
public record Addition(
    long to,
    long cursor,
    String origin,
    String holder,
    long holdMicros,
    List<HashTile> tiles,
    List<Bundle> bundles,
    @Nullable String checkpoint,
    long signedAt) {}
