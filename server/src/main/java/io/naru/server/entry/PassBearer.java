package io.naru.server.entry;

import io.naru.queue.EntryKey;
import io.naru.server.http.Exchange;
import io.naru.server.pass.Passes;
import java.util.Optional;

/** Whoever shows a pass, for the queue that the path names. */
final class PassBearer {

  private PassBearer() {}

  static Optional<EntryKey> entryOf(Exchange exchange, Passes passes) {
    var queue = exchange.queue();
    String bearer = exchange.bearer();
    return bearer == null ? Optional.empty() : passes.read(bearer, queue);
  }
}
