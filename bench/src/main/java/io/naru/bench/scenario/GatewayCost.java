package io.naru.bench.scenario;

import io.naru.bench.load.Traffic;
import io.naru.bench.report.Against;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Gateway;
import io.naru.bench.servers.Naru;
import io.naru.testkit.NginxServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * A site behind our gateway and behind nginx's {@code proxy_pass}, in turns: the same site (another
 * nginx, which is quicker than both), the same page of a kilobyte, everybody with a pass, which
 * only the gateway looks at. Then what the gateway keeps of a hundred thousand requests, and of a
 * thousand who download at once.
 */
final class GatewayCost implements Scenario {

  private static final double OF_NGINX = 0.60;
  private static final double TIMES_LATENCY = 2;
  private static final double TIMES_MEMORY = 1.10;
  private static final int MAX_REQUESTS = 100_000;
  private static final int MAX_DOWNLOADS = 1_000;
  private static final int DOWNLOAD_BYTES = 1_000_000;
  private static final String PAGE = "/checkout";
  private static final String FILE = "large";

  /** One site for both; answers from memory. */
  private static final String SITE =
      """
      keepalive_requests 1000000000;
      location = %s { default_type text/html; return 200 "%s"; }
      location = /%s { root .; }
      """
          .formatted(PAGE, "x".repeat(1_000), FILE);

  @Override
  public String name() {
    return "gateway";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    Optional<Path> nginx = BoardWatchers.nginx();
    if (nginx.isEmpty()) {
      stage.found("nginx", NginxServer.HOW);
      return;
    }
    stage.onServer(naru -> measure(stage, naru, nginx.get())).forEach(rows);
  }

  private static List<Row> measure(Stage stage, Naru naru, Path nginx) {
    var queue = naru.openQueue();
    String pass = naru.admin().passOfFirst(queue);
    try (var site = NginxServer.start(nginx, SITE);
        var proxy = NginxServer.start(nginx, upstream(site.port()), LOCATION);
        var gateway = stage.gateway(naru, queue, uri(site.port()), PAGE)) {
      writeLarge(site.folder());
      Traffic visits = Gateway.visits(PAGE, pass);
      var ours = new Contender("gateway, with a pass", gateway.target(), () -> visits);
      var theirs = new Contender("nginx proxy_pass", Gateway.target(proxy.port()), () -> visits);
      stage.warmUp(ours.target(), visits);
      var contest = new Contest(stage);
      contest.add(theirs);
      contest.add(ours);
      contest.hold();
      double ratio = ours.times(theirs);
      double latency = ours.timesLatency(theirs);
      return List.of(
          theirs.row().note("one worker, as the gateway's site"),
          ours.row()
              .against(Against.BARE, ratio)
              .owes("at least 60 % of nginx", ratio >= OF_NGINX)
              .owes("p99 at most 2 × (%.1f ×)".formatted(latency), latency <= TIMES_LATENCY),
          afterRequests(stage, gateway, visits),
          whileDownloading(stage, gateway));
    }
  }

  private static final String LOCATION =
      """
      keepalive_requests 1000000000;
      location / {
        proxy_pass http://site;
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header Connection "";
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
      }
      """;

  private static String upstream(int port) {
    return """
    upstream site {
      server 127.0.0.1:%d;
      keepalive 512;
      keepalive_requests 1000000000;
    }
    """
        .formatted(port);
  }

  private static URI uri(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  private static void writeLarge(Path folder) {
    try {
      Files.write(folder.resolve(FILE), new byte[DOWNLOAD_BYTES]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Row afterRequests(Stage stage, Gateway gateway, Traffic visits) {
    int requests = Math.min(MAX_REQUESTS, stage.pace().waiting());
    long before = gateway.vitals().residentBytes();
    var _ =
        stage
            .load()
            .drain(gateway.target(), visits.limitedTo(requests), stage.pace().connections(), 1);
    return memory("gateway, after %,d requests".formatted(requests), before, gateway);
  }

  private static Row whileDownloading(Stage stage, Gateway gateway) {
    int downloads = Math.min(MAX_DOWNLOADS, stage.pace().waiting() / 100);
    long before = gateway.vitals().residentBytes();
    download(gateway.port(), downloads);
    stage.progress().say("%,d downloads are complete".formatted(downloads));
    // Once more: what the first time needed may stay, what each time adds may not.
    long after = gateway.vitals().residentBytes();
    download(gateway.port(), downloads);
    return memory("gateway, after twice %,d downloads".formatted(downloads), after, gateway)
        .note("the first time: %+,d kB".formatted((after - before) / 1_024));
  }

  private static Row memory(String what, long before, Gateway gateway) {
    long after = gateway.vitals().residentBytes();
    double growth = (double) after / before;
    return Row.of(what, (double) after, Unit.BYTES)
        .note("%+.1f %%".formatted((growth - 1) * 100))
        .owes("at most 10 % more than before", growth <= TIMES_MEMORY);
  }

  /** All at once, each to its end. */
  private static void download(int port, int downloads) {
    try (var visitors = Executors.newVirtualThreadPerTaskExecutor()) {
      var all = new ArrayList<Future<Long>>();
      for (int i = 0; i < downloads; i++) {
        all.add(visitors.submit(() -> bytes(port)));
      }
      for (var one : all) {
        if (one.get() < DOWNLOAD_BYTES) {
          throw new IllegalStateException("a download is not complete: " + one.get());
        }
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a download failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static long bytes(int port) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String request =
          "GET /%s HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n".formatted(FILE);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      byte[] buffer = new byte[16_384];
      long count = 0;
      for (int n = 0; n >= 0; n = socket.getInputStream().read(buffer)) {
        count += n;
      }
      return count;
    }
  }
}
