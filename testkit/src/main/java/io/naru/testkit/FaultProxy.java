package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A loopback port that leads to a server, through a network that a test can break while it is in
 * use. A stopped process is not a broken network, since its sockets still take what is sent; here
 * nothing arrives. Each fault is counted, so that a test can tell whether it has really happened.
 */
public final class FaultProxy implements AutoCloseable {

  /** Which way bytes go. */
  public enum Way {
    TO_SERVER,
    TO_CLIENT
  }

  private static final class Direction {
    final AtomicLong passed = new AtomicLong();
    final AtomicLong swallowed = new AtomicLong();
    volatile Duration delay = Duration.ZERO;
    volatile boolean isSwallowed;
  }

  private final ServerSocket door;
  private final Set<FaultLink> links = ConcurrentHashMap.newKeySet();
  private final Direction toServer = new Direction();
  private final Direction toClient = new Direction();
  private final AtomicReference<byte @Nullable []> lastRequest = new AtomicReference<>();
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();
  private final AtomicLong resets = new AtomicLong();
  private final AtomicLong cuts = new AtomicLong();
  private volatile int target;
  private volatile boolean refusing;

  private FaultProxy(ServerSocket door, int target) {
    this.door = door;
    this.target = target;
  }

  /** Opens a port that leads to that one, both on loopback. */
  public static FaultProxy to(int target) {
    try {
      var proxy =
          new FaultProxy(new ServerSocket(0, 512, InetAddress.getLoopbackAddress()), target);
      Thread.ofVirtual().name("fault-proxy-" + proxy.port()).start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException("no free loopback port", e);
    }
  }

  public int port() {
    return door.getLocalPort();
  }

  /** Each byte that way arrives that much later, in the same order. */
  public void delay(Way way, Duration delay) {
    direction(way).delay = delay;
  }

  /** What is sent that way is lost from now on, and nobody is told; an end of stream too. */
  public void swallow(Way way) {
    direction(way).isSwallowed = true;
  }

  /** As if nobody listened: what is connected is reset, and so is whoever comes. */
  public void refuse() {
    refusing = true;
    reset();
  }

  /** Resets all connections there are; new ones are welcome. */
  public void reset() {
    links.forEach(
        link -> {
          if (link.reset()) {
            resets.incrementAndGet();
          }
        });
  }

  /**
   * Cuts one connection after a request and before its answer: the next request with this text is
   * passed on, and as soon as the server answers, the answer is lost and the connection reset.
   */
  public void cutAfter(String request) {
    lastRequest.set(request.getBytes(UTF_8));
  }

  /** Leads to another port from now on, as a name or a virtual address does after a fail-over. */
  public void retarget(int port) {
    retargetNew(port);
    reset();
  }

  /** The same for new connections alone: those there are stay where they lead. */
  public void retargetNew(int port) {
    target = port;
  }

  /**
   * Ends all faults. A connection that has lost bytes is reset: going on in the middle of a message
   * is something no network does.
   */
  public void heal() {
    refusing = false;
    lastRequest.set(null);
    for (var direction : List.of(toServer, toClient)) {
      direction.delay = Duration.ZERO;
      direction.isSwallowed = false;
    }
    links.stream().filter(FaultLink::hasLost).forEach(FaultLink::reset);
  }

  /** Connections that were let through. */
  public long connections() {
    return connections.get();
  }

  /** Connections that were turned away. */
  public long refusals() {
    return refusals.get();
  }

  /** Connections that were reset in the middle. */
  public long resets() {
    return resets.get();
  }

  /** Connections that were cut between a request and its answer. */
  public long cuts() {
    return cuts.get();
  }

  /** Bytes that arrived. */
  public long passed(Way way) {
    return direction(way).passed.get();
  }

  /** Bytes that were lost. */
  public long swallowed(Way way) {
    return direction(way).swallowed.get();
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      links.forEach(FaultLink::reset);
    }
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        var client = door.accept();
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // Closed, or a client that has gone before it was let in: the loop knows which.
      }
    }
  }

  private void connect(Socket client) {
    if (refusing) {
      refusals.incrementAndGet();
      FaultLink.reset(client);
      return;
    }
    try {
      var server = new Socket(InetAddress.getLoopbackAddress(), target);
      connections.incrementAndGet();
      var link = new FaultLink(this, client, server);
      links.add(link);
      link.start();
      // Refusing may have begun in between, and must not leave this one behind.
      if (refusing || door.isClosed()) {
        link.reset();
      }
    } catch (IOException e) {
      FaultLink.reset(client);
    }
  }

  // What a link asks and reports.

  Duration delay(Way way) {
    return direction(way).delay;
  }

  /** Whether these bytes are lost. */
  boolean loses(Way way, int length) {
    var direction = direction(way);
    if (direction.isSwallowed) {
      direction.swallowed.addAndGet(length);
      return true;
    }
    return false;
  }

  void hasPassed(Way way, int length) {
    direction(way).passed.addAndGet(length);
  }

  /** Whether this is the request to cut after; only one connection is told so. */
  boolean cutsAfter(byte[] request) {
    var last = lastRequest.get();
    return last != null && contains(request, last) && lastRequest.compareAndSet(last, null);
  }

  void hasCut(int lost) {
    toClient.swallowed.addAndGet(lost);
    cuts.incrementAndGet();
  }

  void hasEnded(FaultLink link) {
    links.remove(link);
  }

  private Direction direction(Way way) {
    return switch (way) {
      case TO_SERVER -> toServer;
      case TO_CLIENT -> toClient;
    };
  }

  private static boolean contains(byte[] text, byte[] part) {
    for (int at = 0; at + part.length <= text.length; at++) {
      if (Arrays.equals(text, at, at + part.length, part, 0, part.length)) {
        return true;
      }
    }
    return false;
  }
}
