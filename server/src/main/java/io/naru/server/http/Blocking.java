package io.naru.server.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Asks a store that blocks, on a thread that may wait. */
public final class Blocking {

  private Blocking() {}

  public static <T> CompletionStage<T> call(Supplier<T> step) {
    return CompletableFuture.supplyAsync(step, task -> Thread.ofVirtual().start(task));
  }
}
