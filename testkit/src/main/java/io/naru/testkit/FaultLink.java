package io.naru.testkit;

import io.naru.testkit.FaultProxy.Way;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One connection through a {@link FaultProxy}: for each way, one reads and one passes on. */
final class FaultLink {

  private static final int CHUNK = 64 * 1024;
  private static final int UNDER_WAY = 256;

  /** Bytes that arrive when they are due; none at all are the end of the stream. */
  private static final class Chunk {
    final byte[] bytes;
    final long dueNanos;

    Chunk(byte[] bytes, long dueNanos) {
      this.bytes = bytes;
      this.dueNanos = dueNanos;
    }
  }

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server;
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private volatile boolean hasLost;
  private volatile boolean isCut;

  FaultLink(FaultProxy proxy, Socket client, Socket server) throws IOException {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  void start() {
    pump(Way.TO_SERVER, client, server);
    pump(Way.TO_CLIENT, server, client);
  }

  boolean hasLost() {
    return hasLost;
  }

  private void pump(Way way, Socket from, Socket to) {
    var underWay = new ArrayBlockingQueue<Chunk>(UNDER_WAY);
    start(() -> read(way, from, underWay));
    start(() -> passOn(way, to, underWay));
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private void start(Work work) {
    threads.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    work.run();
                  } catch (IOException | InterruptedException e) {
                    // One side has gone without a word: so has the other.
                    reset();
                  }
                }));
  }

  private void read(Way way, Socket from, BlockingQueue<Chunk> underWay)
      throws IOException, InterruptedException {
    var in = from.getInputStream();
    var buffer = new byte[CHUNK];
    for (int length = in.read(buffer); ; length = in.read(buffer)) {
      if (isCut && way == Way.TO_CLIENT) {
        proxy.hasCut(Math.max(length, 0));
        reset();
        return;
      }
      if (proxy.loses(way, Math.max(length, 0))) {
        hasLost = true;
        if (length < 0) {
          return;
        }
        continue;
      }
      var bytes = Arrays.copyOf(buffer, Math.max(length, 0));
      if (way == Way.TO_SERVER && proxy.cutsAfter(bytes)) {
        // Before it is passed on, or the answer could be the faster one.
        isCut = true;
      }
      underWay.put(new Chunk(bytes, System.nanoTime() + proxy.delay(way).toNanos()));
      if (length < 0) {
        return;
      }
    }
  }

  private void passOn(Way way, Socket to, BlockingQueue<Chunk> underWay)
      throws IOException, InterruptedException {
    while (!isOver.get()) {
      var chunk = underWay.take();
      TimeUnit.NANOSECONDS.sleep(chunk.dueNanos - System.nanoTime());
      if (chunk.bytes.length == 0) {
        end(to);
        return;
      }
      to.getOutputStream().write(chunk.bytes);
      proxy.hasPassed(way, chunk.bytes.length);
    }
  }

  /** One half has ended well; once both have, so has the connection. */
  private void end(Socket to) throws IOException {
    to.shutdownOutput();
    if (client.isOutputShutdown()
        && server.isOutputShutdown()
        && isOver.compareAndSet(false, true)) {
      client.close();
      server.close();
      proxy.hasEnded(this);
    }
  }

  /** Ends both sides with a reset; says whether there still was something to end. */
  boolean reset() {
    if (!isOver.compareAndSet(false, true)) {
      return false;
    }
    reset(client);
    reset(server);
    // Whoever waits for bytes to pass on would wait for ever.
    threads.forEach(Thread::interrupt);
    proxy.hasEnded(this);
    return true;
  }

  static void reset(Socket socket) {
    try (socket) {
      // Closing with no time to linger sends RST in place of FIN.
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It has gone already, which is all that is wanted.
      return;
    }
  }
}
