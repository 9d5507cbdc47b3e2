package io.naru.server.board;

import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.server.content.Content;
import io.naru.server.http.Json;
import java.util.Base64;
import java.util.BitSet;

/**
 * A tile as browsers read it: which tickets of a block are gone, as bits.
 *
 * @param count how many are
 * @param isFinal whether all of the block is still behind the first who waits: then no other tile
 *     of it has as many
 */
record TileJson(Content content, int count, boolean isFinal) {

  static TileJson of(Tile.Block block, Tile tile) {
    Tickets.Range range = tile.range();
    var bits = new BitSet();
    tile.gone().stream()
        .filter(ticket -> ticket >= block.from())
        .forEach(ticket -> bits.set((int) (ticket - block.from())));
    byte[] json =
        Json.object(
                out -> {
                  out.writeNumberProperty("change", tile.change());
                  out.writeNumberProperty("front", range.front());
                  out.writeNumberProperty("next", range.last() + 1);
                  out.writeNumberProperty("from", block.from());
                  out.writeNumberProperty("count", bits.cardinality());
                  out.writeStringProperty(
                      "gone",
                      Base64.getUrlEncoder().withoutPadding().encodeToString(bits.toByteArray()));
                })
            .getBytes();
    return new TileJson(
        new Content("application/json", json), bits.cardinality(), range.front() <= block.from());
  }
}
