package io.naru.bench.servers;

import io.naru.bench.load.Target;
import io.naru.bench.load.Template;
import io.naru.bench.load.Traffic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Another server with the same calls, started by somebody else. */
public final class Peer implements WaitingRoom {

  private static final List<String> BARE_PATHS = List.of("/hello", "/health/live");

  private final URI uri;
  private final String barePath;
  private final OptionalLong pid;
  private final Optional<Admin> admin;

  private Peer(URI uri, String barePath, OptionalLong pid, Optional<Admin> admin) {
    this.uri = uri;
    this.pid = pid;
    this.admin = admin;
    this.barePath = barePath;
  }

  /**
   * Looks for the peer and for a call of it that does nothing.
   *
   * @param pid its process, if what it takes from the machine is to be measured too
   * @param adminKey of a peer that is a Naru
   */
  public static Peer at(URI uri, OptionalLong pid, Optional<String> adminKey) {
    if (!"http".equals(uri.getScheme()) || uri.getPort() < 0) {
      throw new IllegalArgumentException("--peer must be http://HOST:PORT, is " + uri);
    }
    try (var client = HttpClient.newHttpClient()) {
      for (var path : BARE_PATHS) {
        var request = HttpRequest.newBuilder(uri.resolve(path)).build();
        if (client.send(request, BodyHandlers.discarding()).statusCode() == 200) {
          return new Peer(uri, path, pid, adminKey.map(key -> new Admin(uri, key)));
        }
      }
      throw new IllegalArgumentException("%s has none of %s".formatted(uri, BARE_PATHS));
    } catch (IOException e) {
      throw new IllegalArgumentException("--peer " + uri + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** What its process takes from the machine, if it is known which one that is. */
  public Optional<Vitals> vitals() {
    return pid.isPresent() ? Optional.of(new Vitals(pid.getAsLong())) : Optional.empty();
  }

  @Override
  public Target target() {
    return Target.http(new InetSocketAddress(uri.getHost(), uri.getPort()));
  }

  @Override
  public Traffic bare() {
    return Template.http("GET", uri.getAuthority(), barePath).always();
  }

  @Override
  public Queue openQueue() {
    // Others open their queues by themselves when somebody enters.
    var queue = new Queue(uri.getAuthority(), Queue.newId());
    admin.ifPresent(naru -> naru.openFull(queue));
    return queue;
  }
}
