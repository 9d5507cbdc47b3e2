package io.naru.server.limits;

import io.naru.server.http.Exchange;
import java.util.Optional;

/** Where requests come from, as limits count it; empty for what nobody may be limited by. */
public interface Callers {

  /** Whoever calls; never a listed proxy itself. */
  Optional<String> callerAddress(Exchange exchange);

  /**
   * The same of a visitor. Nobody visits from the machine that we run on: what comes from there has
   * come through a proxy that is not listed, so all visitors would be one.
   */
  Optional<String> visitorAddress(Exchange exchange);
}
