package io.naru.gateway;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS towards visitors, with what is in its files now. Who is connected stays so when these change;
 * the next one is shown the new certificate.
 */
final class Secured implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Secured.class);

  private final TlsFiles files;

  /** Signing takes a while, and must not hold up those who are in: a crowd connects at once. */
  private final ExecutorService signing =
      Executors.newFixedThreadPool(
          Runtime.getRuntime().availableProcessors(),
          Thread.ofPlatform().daemon().name("naru-tls-", 0).factory());

  private TlsFiles.Text seen;
  private volatile TlsFiles.Ready ready;
  private @Nullable String problem;
  private int looks;

  Secured(TlsFiles files) throws BadCertificate {
    this.files = files;
    this.seen = files.text();
    this.ready = files.parse(seen);
    warnIfOver();
  }

  /**
   * What stands before everything else on a visitor's connection.
   *
   * @param handshake how long that may take
   */
  SslHandler handler(Channel channel, Duration handshake) {
    SslHandler handler = ready.context().newHandler(channel.alloc(), signing);
    handler.setHandshakeTimeoutMillis(handshake.toMillis());
    return handler;
  }

  /** From when on browsers refuse what they are shown. */
  Instant expires() {
    return ready.expires();
  }

  /** Takes files that have changed; with a mistake in them nothing changes. */
  synchronized void look() {
    try {
      TlsFiles.Text text = files.text();
      if (!text.equals(seen)) {
        ready = files.parse(text);
        seen = text;
        log.info("new certificate of {}, good until {}", files, ready.expires());
        warnIfOver();
      }
      problem = null;
    } catch (BadCertificate e) {
      // Two files are not replaced at once: what does not fit now may do at the next look.
      looks = e.text().equals(problem) ? looks + 1 : 1;
      problem = e.text();
      if (looks == 2) {
        log.error("{}; visitors are shown the certificate before it", problem);
      }
    } catch (RuntimeException e) {
      log.error("the certificate could not be read; visitors are shown the one before", e);
    }
  }

  private void warnIfOver() {
    if (ready.expires().isBefore(Instant.now())) {
      log.warn("the certificate in {} was good until {}: browsers refuse it", files, expires());
    }
  }

  @Override
  public void close() {
    signing.shutdown();
    try {
      signing.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
