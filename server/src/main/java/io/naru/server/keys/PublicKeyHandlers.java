package io.naru.server.keys;

import io.naru.pass.Revocations;
import io.naru.server.http.Exchange;
import io.naru.server.keys.RingKey.State;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What verifiers fetch: the public keys, and what of all that was signed counts no more. */
public final class PublicKeyHandlers {

  private final SigningKeys keys;
  private final Supplier<String> issuer;
  private final InstantSource clock;
  private volatile @Nullable Listed listed;

  /** Signed once a second at most: anybody may ask, and as often as they like. */
  private record Listed(KeyRing ring, Instant second, Buffer token) {}

  public PublicKeyHandlers(SigningKeys keys, Supplier<String> issuer, InstantSource clock) {
    this.keys = keys;
    this.issuer = issuer;
    this.clock = clock;
  }

  /** {@code GET /.well-known/jwks.json}. */
  public void jwks(Exchange exchange) {
    exchange.send(200, "application/json", "public, max-age=60", Buffer.buffer(keys.jwks()));
  }

  /** {@code GET /.well-known/naru-revocations}. */
  public void revocations(Exchange exchange) {
    exchange.send(200, "application/jwt", "no-store", list());
  }

  private Buffer list() {
    KeyRing ring = keys.ring();
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Listed last = listed;
    if (last == null || !last.ring.equals(ring) || !last.second.equals(now)) {
      var ids =
          ring.in(State.REVOKED).stream().map(RingKey::id).collect(Collectors.toUnmodifiableSet());
      var list =
          new Revocations(issuer.get(), now, ring.next().id(), ids, ring.revokedPasses().keySet());
      last = new Listed(ring, now, Buffer.buffer(list.sign(ring.inUse().key())));
      listed = last;
    }
    return last.token.copy();
  }
}
