package io.naru.gate;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.util.JSONObjectUtils;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.naru.pass.Algorithm;
import io.naru.pass.EndedTurns;
import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import io.naru.pass.PassSigner;
import io.naru.pass.Revocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The other side, over real HTTP: publishes keys and revocations, and notes who asks for what. */
public final class FakeNaru implements AutoCloseable {

  public static final String QUEUE = "TIMEDEAL/123";

  private static final Pattern ENDED = Pattern.compile("/queue/(.+/.+)/ended");

  /** What the next answers are like. */
  public enum Mood {
    WELL,
    FAILING,
    REDIRECTING,
    ENDLESS,
    SILENT,
    RUBBISH
  }

  public final Queue<String> asked = new ConcurrentLinkedQueue<>();
  public final Set<String> revokedKeys = ConcurrentHashMap.newKeySet();
  public final Set<String> revokedPasses = ConcurrentHashMap.newKeySet();
  public final List<PassKey> published = new ArrayList<>();
  public volatile PassKey key = PassKey.generate(Algorithm.ES256);
  public volatile PassKey next = PassKey.generate(Algorithm.ES256);
  public volatile Mood mood = Mood.WELL;
  public volatile int callStatus = 200;
  public volatile String elsewhere = "";

  /** Whether what it did is not said: it binds a pass, and answers 503. */
  public volatile boolean answersLost;

  /** Holds up everybody who redeems until they have all come. */
  public volatile @Nullable CyclicBarrier together;

  /** Its own clock, by which it signs. */
  public volatile InstantSource clock = InstantSource.system();

  /** Holds up whoever asks for the keys until it is at zero. */
  public volatile CountDownLatch keysHeld = new CountDownLatch(0);

  /** How old the list of revocations says it is. */
  public volatile Duration listAge = Duration.ZERO;

  /** Passes whose turn is over; each is a change. */
  public final List<Pass> over = new CopyOnWriteArrayList<>();

  /** When the queue was made; 0 if there is none. */
  public volatile long born = 1;

  /** How many turns a part has. */
  public volatile int partSize = 3;

  /** The status of the answer that says whose turn is over. */
  public volatile int endedStatus = 200;

  /** What becomes of the part that would be right. */
  public volatile UnaryOperator<EndedTurns> lie = part -> part;

  /** What is sent whatever is right. */
  public volatile @Nullable String replayed;

  /** The site key that the last request had; null for none. */
  public volatile @Nullable String siteKey;

  /** Whether the queue's rate follows what it is told. */
  public volatile boolean follows = true;

  /** The bearer that the last signal came with. */
  public volatile @Nullable String signalKey;

  private final Map<String, Pass> passes = new ConcurrentHashMap<>();
  private final Map<String, String> boundTo = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;
  private final int port;

  /** Bound to the port while nobody listens there. */
  private Socket reserved = new Socket();

  public FakeNaru() {
    published.add(key);
    published.add(next);
    server = start(0);
    port = server.getAddress().getPort();
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  public GateBuilder gate() {
    return Gate.builder(url(), QUEUE);
  }

  /** A good pass for five minutes; of one name there is one, as with the real one. */
  public Pass pass(String id) {
    return passes.computeIfAbsent(
        id,
        unused -> {
          Instant now = clock.instant();
          return new Pass(url(), QUEUE, QUEUE, "user-7", id, now, now.plusSeconds(300));
        });
  }

  public String token(String id) {
    return new PassSigner(key).sign(pass(id));
  }

  public long redeemed() {
    return asked.stream().filter(what -> what.contains("/redeem")).count();
  }

  /** What it was told of an application's answers, window by window. */
  public List<Map<String, Object>> signals() {
    String call = "POST /admin/queue/signal ";
    return asked.stream()
        .filter(what -> what.startsWith(call))
        .map(what -> parsed(what.substring(call.length())))
        .toList();
  }

  public long fetchesOfKeys() {
    return asked.stream().filter("GET /.well-known/jwks.json"::equals).count();
  }

  /** No process there any more: the port refuses, and nobody else gets it meanwhile. */
  public void goAway() {
    server.stop(0);
    try {
      reserved.setReuseAddress(true);
      reserved.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void comeBack() {
    release();
    server = start(port);
  }

  private void release() {
    try {
      reserved.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    reserved = new Socket();
  }

  @Override
  public void close() {
    release();
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private HttpServer start(int port) {
    try {
      var http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      http.setExecutor(threads);
      http.createContext("/", this::answer);
      http.start();
      return http;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    String path = exchange.getRequestURI().getPath();
    asked.add(exchange.getRequestMethod() + " " + path + (body.isEmpty() ? "" : " " + body));
    siteKey = exchange.getRequestHeaders().getFirst("Naru-Site-Key");
    if (path.equals("/admin/queue/signal")) {
      signalKey = exchange.getRequestHeaders().getFirst("Authorization");
    }
    switch (mood) {
      case WELL -> {
        switch (path) {
          case "/.well-known/jwks.json" -> {
            awaitZero(keysHeld);
            send(exchange, 200, PassKey.jwks(published));
          }
          case "/.well-known/naru-revocations" -> send(exchange, 200, revocations());
          default -> {
            Matcher ended = ENDED.matcher(path);
            if (ended.matches()) {
              send(exchange, endedStatus, ended(exchange, ended.group(1)));
            } else {
              send(exchange, status(exchange, path, body), "{\"adaptive\":" + follows + "}");
            }
          }
        }
      }
      case FAILING -> send(exchange, 500, "");
      case RUBBISH -> send(exchange, 200, "<html>");
      case REDIRECTING -> {
        exchange.getResponseHeaders().set("Location", elsewhere + path);
        send(exchange, 302, "");
      }
      case ENDLESS -> endless(exchange);
      case SILENT -> {
        awaitZero(closed);
        exchange.close();
      }
    }
  }

  private static void awaitZero(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int status(HttpExchange exchange, String path, String body) {
    if (path.equals("/admin/queue/signal")) {
      return callStatus == 200 ? 202 : callStatus;
    }
    return path.endsWith("/redeem") ? redeem(exchange, body) : callStatus;
  }

  private int redeem(HttpExchange exchange, String session) {
    CyclicBarrier all = together;
    if (all != null) {
      try {
        all.await(5, TimeUnit.SECONDS);
      } catch (Exception e) {
        return 500;
      }
    }
    if (callStatus != 200) {
      return callStatus;
    }
    String token = exchange.getRequestHeaders().getFirst("Authorization").substring(7);
    String passId = String.valueOf(claims(token).get("jti"));
    String first = boundTo.putIfAbsent(passId, session);
    if (answersLost) {
      return 503;
    }
    return first == null || first.equals(session) ? 200 : 403;
  }

  private static Map<String, Object> claims(String token) {
    byte[] json = Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]);
    return parsed(new String(json, UTF_8));
  }

  private static Map<String, Object> parsed(String json) {
    try {
      return JSONObjectUtils.parse(json);
    } catch (ParseException e) {
      throw new IllegalArgumentException(e);
    }
  }

  String revocations() {
    return new Revocations(
            url(), clock.instant().minus(listAge), next.id(), revokedKeys, revokedPasses)
        .sign(key);
  }

  private String ended(HttpExchange exchange, String queue) {
    String[] after =
        exchange.getRequestURI().getQuery().substring("after=".length()).split("\\.", -1);
    String old = replayed;
    return old != null
        ? old
        : ended(queue, Long.parseLong(after[0]) == born ? Integer.parseInt(after[1]) : 0);
  }

  /** The part after a change, signed. */
  public String ended(int after) {
    return ended(QUEUE, after);
  }

  private String ended(String queue, int after) {
    int from = Math.min(after, over.size());
    int to = Math.min(over.size(), from + partSize);
    var passes = new TreeMap<Long, long[]>();
    for (Pass pass : over.subList(from, to)) {
      passes.merge(
          EndedTurns.endOf(pass.expiresAt()),
          new long[] {EndedTurns.fingerprint(pass.id())},
          FakeNaru::both);
    }
    var part =
        new EndedTurns(
            url(), queue, clock.instant().minus(listAge), born, from, to, to < over.size(), passes);
    // As the real one: what is revoked signs nothing.
    return lie.apply(part).sign(revokedKeys.contains(key.id()) ? next : key);
  }

  private static long[] both(long[] some, long[] more) {
    long[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  private static void endless(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    byte[] spaces = " ".repeat(8_192).getBytes(UTF_8);
    while (true) {
      exchange.getResponseBody().write(spaces);
    }
  }
}
