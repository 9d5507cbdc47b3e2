package io.naru.bench.load;

import io.netty.buffer.ByteBuf;

/** What is asked, request by request. Called by every thread of the load. */
public interface Traffic {

  /** Appends the next request, or returns false when there is nothing more to ask. */
  boolean next(ByteBuf out);

  /** The same until so many requests were made. */
  default Traffic limitedTo(long requests) {
    return new Limited(this, requests);
  }
}
