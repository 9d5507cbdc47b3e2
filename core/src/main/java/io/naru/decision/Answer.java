package io.naru.decision;

import io.naru.queue.InvalidValue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a request is answered.
 *
 * @param value null if it was refused
 * @param refusal why nothing was changed by it, or null
 */
public record Answer<A>(Request<A> request, @Nullable A value, @Nullable InvalidValue refusal) {

  /** The answer if there is no such queue. */
  public static <A> Answer<A> withoutQueue(Request<A> request) {
    try {
      return new Answer<>(request, request.withoutQueue(), null);
    } catch (InvalidValue e) {
      return new Answer<>(request, null, e);
    }
  }

  /**
   * The same, to whoever asked.
   *
   * @throws IllegalArgumentException if it answers another request
   */
  @SuppressWarnings("unchecked") // An answer is of the type of its request.
  public <B> Answer<B> to(Request<B> asked) {
    if (!request.equals(asked)) {
      throw new IllegalArgumentException(request + " is answered, not " + asked);
    }
    return (Answer<B>) this;
  }

  public void complete(CompletableFuture<A> future) {
    if (refusal != null) {
      future.completeExceptionally(refusal);
    } else {
      future.complete(value);
    }
  }
}
