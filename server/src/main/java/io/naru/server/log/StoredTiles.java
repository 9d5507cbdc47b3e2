package io.naru.server.log;

import io.naru.fair.Tiles;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** The tiles of a log as its store has them, each read once. Blocks. */
final class StoredTiles implements Tiles.Source {

  private final LogStore store;
  private final Log log;
  private final Map<String, byte[]> read = new HashMap<>();

  StoredTiles(LogStore store, Log log) {
    this.store = store;
    this.log = log;
  }

  @Override
  public byte[] tile(int level, long number, int width) {
    byte[] hashes =
        read.computeIfAbsent(
            level + "/" + number,
            name -> await(store.tile(log, level, number), "tile " + name).hashes());
    // It may have grown since: what was in it is still there.
    return Arrays.copyOf(hashes, Math.min(hashes.length, width * HashTile.HASH));
  }

  static Bundle bundle(LogStore store, Log log, long number) {
    return await(store.bundle(log, number), "records " + number);
  }

  private static <T> T await(CompletionStage<Optional<T>> asked, String what) {
    try {
      return asked
          .toCompletableFuture()
          .join()
          .orElseThrow(() -> new IllegalStateException("the log has no " + what));
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
