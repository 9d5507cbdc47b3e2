package io.naru.bench.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.bench.load.Target;
import io.naru.bench.load.Traffic;
import io.naru.testkit.Poll;
import io.naru.testkit.SpringProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The protected site: the shop of {@code examples/concert}, a process of its own. */
public final class Site implements AutoCloseable {

  /** The least that an endpoint of Spring does, so that what the gate adds to it shows. */
  private static final String PATH = "/actuator/health/liveness";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SpringProcess process;

  private Site(Setup setup, List<String> args) {
    process = SpringProcess.start(setup.siteJar(), args);
  }

  /** A site that lets nobody see anything without a pass of this queue. */
  public static Site guarded(Setup setup, Naru naru, Queue queue) {
    return new Site(
        setup,
        List.of(
            "--naru.gate.url=" + naru.uri(),
            "--naru.gate.queue=" + queue.name(),
            "--naru.gate.protect=/**"));
  }

  /** The same site with nobody at its gate. */
  public static Site unguarded(Setup setup, Naru naru) {
    return new Site(
        setup,
        List.of(
            "--naru.gate.url=" + naru.uri(),
            "--spring.autoconfigure.exclude=io.naru.gate.spring.NaruGateServletAutoConfiguration"));
  }

  /** Waits until the gate has its keys. */
  public void awaitTaking(String pass) {
    var client = HttpClient.newHttpClient();
    var request =
        HttpRequest.newBuilder(process.uri().resolve(PATH))
            .header("Authorization", "Bearer " + pass)
            .build();
    Poll.until(
        PATIENCE,
        () -> "the site takes no passes:\n" + process.log(),
        () -> {
          try {
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
          } catch (IOException e) {
            throw new IllegalStateException("the site does not answer:\n" + process.log(), e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
          }
        });
  }

  public Target target() {
    return Target.http(new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port()));
  }

  /**
   * The same endpoint again and again.
   *
   * @param passes the pass of each request; traffic ends with an empty one
   */
  public Traffic visits(Supplier<Optional<String>> passes) {
    var head =
        "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "
            .formatted(PATH, process.uri().getAuthority())
            .getBytes(US_ASCII);
    return out -> {
      var pass = passes.get();
      if (pass.isEmpty()) {
        return false;
      }
      out.writeBytes(head);
      out.writeCharSequence(pass.get(), US_ASCII);
      out.writeCharSequence("\r\n\r\n", US_ASCII);
      return true;
    };
  }

  @Override
  public void close() {
    process.close();
  }
}
