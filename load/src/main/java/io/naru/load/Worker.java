package io.naru.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.naru.load.wire.SocketParser;
import io.naru.load.wire.StreamParser;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * One thread's share of the crowd: its visitors, their plans, its connections and what it counts,
 * touched by that thread only.
 *
 * <p>Visitors are rows of a calendar, not threads: each has one thing planned at most, which is
 * done when it is due, over any connection that is free. Latency counts from when it was due, so
 * that a wait for a connection, or for a server that stalls, is not left out.
 */
final class Worker {

  private static final String EMPTY = "Content-Length: 0\r\n\r\n";
  private static final long SECOND = 1_000_000_000;
  private static final Duration TICK = Duration.ofMillis(2);
  private static final long SWEEP = SECOND;

  /** As browsers do: no answer, or a stream without a word. */
  private static final long PATIENCE = 20 * SECOND;

  private static final long SILENCE = 12 * SECOND;

  /** Servers close connections that rest; better to be first. */
  private static final long REST = 30 * SECOND;

  /** After so many failures in a row somebody goes away. */
  private static final int MOST_FAILURES = 10;

  /** As the waiting page: not before that is a stream tried again. */
  private static final long WITHOUT_STREAM = 20 * SECOND;

  /** As many streams connect at once: a crowd, but not one that overruns what the kernel holds. */
  private static final int CONNECTING = 256;

  private final EventLoop loop;
  private final Errand errand;
  private final int mostLinks;
  private final int mostStreams;
  private final long start;
  private final Bootstrap bootstrap;
  private final StreamParser.Scratch scratch = new StreamParser.Scratch();
  private final SplittableRandom random;
  private final String head;

  private final PriorityQueue<Plan> calendar = new PriorityQueue<>();
  private final Deque<Plan> unsent = new ArrayDeque<>();
  private final Deque<Link> idle = new ArrayDeque<>();
  private final Set<Link> links = new HashSet<>();
  private final Deque<Visitor> unopened = new ArrayDeque<>();
  private final Map<Visitor, StreamLink> streams = new HashMap<>();

  /** Those who live on the board, and whoever reads it for them: nobody of the crowd. */
  private final Set<Visitor> onBoard = new HashSet<>();

  private final Visitor reader = new Visitor(-1, new Habits.Mind(Habits.End.NONE, 0, -1, false));
  private Board board = Board.NONE;
  private final Course course = new Course();
  private int connecting;
  private int streamsConnecting;
  private int left;
  private long sweptAt;
  private boolean isClosed;

  /** What somebody does next, and when. */
  record Plan(long at, Visitor visitor, int number) implements Comparable<Plan> {

    boolean stands() {
      return number == visitor.plans;
    }

    @Override
    public int compareTo(Plan other) {
      // By difference: these times may wrap around.
      return Long.signum(at - other.at);
    }
  }

  /**
   * @param start of everything, by {@link System#nanoTime}
   */
  Worker(
      EventLoop loop,
      Errand errand,
      List<Visitor> visitors,
      int mostLinks,
      int mostStreams,
      long start) {
    this.loop = loop;
    this.errand = errand;
    this.mostLinks = mostLinks;
    this.mostStreams = mostStreams;
    this.start = start;
    this.sweptAt = start;
    this.left = visitors.size();
    this.random = new SplittableRandom(errand.seed() ^ visitors.size());
    this.head = " HTTP/1.1\r\nHost: " + errand.url().getRawAuthority() + "\r\n";
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4 * 1024))
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) (PATIENCE / 1_000_000));
    for (Visitor visitor : visitors) {
      plan(visitor, Step.ENTER, start + errand.wave().arrival(visitor.number));
    }
  }

  void start() {
    var _ = loop.scheduleAtFixedRate(this::tick, 0, TICK.toMillis(), MILLISECONDS);
  }

  StreamParser.Scratch scratch() {
    return scratch;
  }

  /** To be called by the thread itself. */
  Course course() {
    return course.copy();
  }

  boolean isOver() {
    return left == 0;
  }

  void close() {
    isClosed = true;
    calendar.clear();
    unsent.clear();
    unopened.clear();
    Set.copyOf(streams.values()).forEach(this::drop);
    Set.copyOf(links).forEach(Link::close);
  }

  // --- plans

  private void plan(Visitor visitor, Step step, long at) {
    visitor.next = step;
    calendar.add(new Plan(at, visitor, ++visitor.plans));
  }

  /** The same, unless they will have left, or sleep, by then. */
  private void planInLine(Visitor visitor, Step step, long at) {
    if (visitor.endsAt != 0 && visitor.endsAt - at <= 0) {
      boolean leaves = visitor.mind.end() == Habits.End.LEAVES;
      plan(visitor, leaves ? Step.LEAVE : Step.SLEEP, visitor.endsAt);
    } else {
      plan(visitor, step, at);
    }
  }

  private void tick() {
    if (isClosed) {
      return;
    }
    long now = System.nanoTime();
    for (Plan due = calendar.peek(); due != null && due.at - now <= 0; due = calendar.peek()) {
      calendar.remove();
      if (due.stands()) {
        act(due);
      }
    }
    if (now - sweptAt > SWEEP) {
      sweptAt = now;
      Set.copyOf(links).forEach(link -> link.sweep(now, PATIENCE, REST));
      List.copyOf(streams.values()).forEach(stream -> stream.sweep(now, SILENCE));
    }
  }

  private void act(Plan due) {
    Visitor visitor = due.visitor;
    switch (visitor.next) {
      case ENTER -> {
        if (visitor.cameAt == 0) {
          visitor.cameAt = due.at;
          count(Count.ARRIVED);
        }
        send(due);
      }
      case LEAVE -> {
        // Else the stream would tell them what they do themselves.
        StreamLink stream = streams.get(visitor);
        if (stream != null) {
          drop(stream);
        }
        onBoard.remove(visitor);
        send(due);
      }
      case ASK, COMPLETE, RETURN, BOARD -> send(due);
      case STREAM -> follow(visitor);
      case SLEEP -> {
        count(Count.ASLEEP);
        finish(visitor);
      }
      case DONE -> {}
    }
  }

  // --- requests

  private void send(Plan due) {
    Link link = idle.pollLast();
    if (link != null) {
      link.send(due, request(due.visitor), System.nanoTime());
      return;
    }
    unsent.add(due);
    if (links.size() + connecting < mostLinks && connecting < unsent.size()) {
      connect();
    }
  }

  private void connect() {
    connecting++;
    var link = new Link(this);
    open(
        link,
        opened -> {
          connecting--;
          Plan due = opened ? null : unsent.poll();
          if (due != null) {
            failed(due, due.visitor.next.word() + ": cannot connect", 0);
          }
        });
  }

  private void open(ChannelHandler handler, Consumer<Boolean> then) {
    // A copy, since connecting takes the handler from the bootstrap later on.
    bootstrap
        .clone()
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                @Nullable SSLEngine tls = errand.tlsEngine();
                if (tls != null) {
                  channel.pipeline().addLast(new SslHandler(tls));
                }
                channel.pipeline().addLast(handler);
              }
            })
        .connect(errand.address())
        .addListener(opened -> then.accept(opened.isSuccess()));
  }

  /** A connection has nothing to do. */
  void free(Link link) {
    if (isClosed) {
      link.close();
      return;
    }
    links.add(link);
    long now = System.nanoTime();
    for (Plan due = unsent.poll(); due != null; due = unsent.poll()) {
      if (due.stands()) {
        link.send(due, request(due.visitor), now);
        return;
      }
    }
    link.rested(now);
    idle.addLast(link);
  }

  void gone(Link link) {
    links.remove(link);
    idle.remove(link);
    if (!unsent.isEmpty() && links.size() + connecting < mostLinks && !isClosed) {
      connect();
    }
  }

  private byte[] request(Visitor visitor) {
    String request =
        switch (visitor.next) {
          case ENTER -> "POST " + errand.path("enter") + head + named(visitor) + EMPTY;
          case LEAVE -> "POST " + errand.path("leave") + head + bearer(visitor) + EMPTY;
          case COMPLETE -> "POST " + errand.path("complete") + head + bearer(visitor) + EMPTY;
          case RETURN -> "POST " + errand.path("return") + head + bearer(visitor) + EMPTY;
          case BOARD -> "GET " + errand.path("board") + head + "\r\n";
          case ASK -> "GET /queue/token/" + visitor.token + "/status" + head + "\r\n";
          case STREAM ->
              "GET "
                  + errand.path("subscribe/")
                  + visitor.token
                  + head
                  + (errand.follow() == Errand.Follow.SOCKET
                      ? SocketParser.UPGRADE
                      : "Accept: text/event-stream\r\n\r\n");
          case SLEEP, DONE -> throw new IllegalStateException("asks nothing: " + visitor.next);
        };
    return request.getBytes(US_ASCII);
  }

  private String named(Visitor visitor) {
    @Nullable String header = errand.userHeader();
    // With the seed, so that another run is other people.
    return header == null
        ? ""
        : header
            + ": load-"
            + Long.toHexString(errand.seed() & 0xffff_ffffL)
            + "-"
            + visitor.number
            + "\r\n";
  }

  private static String bearer(Visitor visitor) {
    return "Authorization: Bearer " + visitor.token + "\r\n";
  }

  void answered(Plan due, Reply reply) {
    Visitor visitor = due.visitor;
    course.answered(visitor.next, System.nanoTime() - due.at, second());
    if (!due.stands()) {
      return;
    }
    switch (visitor.next) {
      case ENTER -> entered(due, reply);
      case ASK -> placed(due, reply);
      case BOARD -> look(reply);
      case LEAVE -> {
        if (reply.isGood()) {
          count(Count.LEFT);
          finish(visitor);
        } else if (reply.status() == 404) {
          // Let in, or out, a moment ago: they did not look any more.
          count(Count.ASLEEP);
          finish(visitor);
        } else {
          failed(due, reply.problem(Step.LEAVE), reply.retryAfter());
        }
      }
      case COMPLETE -> {
        if (reply.isGood()) {
          count(Count.COMPLETED);
          finish(visitor);
        } else if (isFinal(reply) && visitor.hasReturned) {
          // The other try took too long: they ask what they have now.
          plan(visitor, Step.RETURN, System.nanoTime());
        } else if (isFinal(reply)) {
          lost(visitor, reply.problem(Step.COMPLETE));
        } else {
          failed(due, reply.problem(Step.COMPLETE), reply.retryAfter());
        }
      }
      case RETURN -> returned(due, reply);
      case STREAM, SLEEP, DONE -> throw new IllegalStateException("asked nothing");
    }
  }

  private void entered(Plan due, Reply reply) {
    Visitor visitor = due.visitor;
    if (reply.member("entryToken").isEmpty()) {
      failed(due, reply.problem(Step.ENTER), reply.retryAfter());
      return;
    }
    if (visitor.mind.end() != Habits.End.NONE) {
      visitor.endsAt = System.nanoTime() + visitor.mind.afterNanos();
    }
    joined(visitor, reply);
    if (!isInside(visitor, reply)) {
      again(visitor);
    }
  }

  private void joined(Visitor visitor, Reply reply) {
    visitor.token = reply.member("entryToken");
    visitor.ticket = reply.number("ticket");
    visitor.lane = reply.member("lane");
    visitor.failures = 0;
    count(Count.JOINED);
  }

  private void placed(Plan due, Reply reply) {
    Visitor visitor = due.visitor;
    if (reply.isGood() && reply.member("status").equals("WAITING")) {
      visitor.failures = 0;
      if (mayStream(visitor)) {
        follow(visitor);
      } else {
        planInLine(visitor, Step.ASK, System.nanoTime() + spread(reply.retryAfter()));
      }
    } else if (!isInside(visitor, reply)) {
      if (reply.isGood() || reply.member("code").startsWith("S80")) {
        lost(visitor, reply.problem(Step.ASK) + " " + reply.member("status"));
      } else {
        failed(due, reply.problem(Step.ASK), reply.retryAfter());
      }
    }
  }

  private boolean isInside(Visitor visitor, Reply reply) {
    boolean isIn = reply.isGood() && reply.member("status").equals("ENTERED");
    if (isIn) {
      told(visitor, reply.member("pass"));
    }
    return isIn;
  }

  /**
   * Their payment failed: the place inside is theirs for another try, which succeeds; or, where
   * there is none or it is over, one in front of the line is.
   */
  private void returned(Plan due, Reply reply) {
    Visitor visitor = due.visitor;
    boolean isInside = reply.isGood() && reply.member("status").equals("ENTERED");
    boolean isInLine = reply.isGood() && reply.member("status").equals("WAITING");
    if ((isInside || isInLine) && !visitor.hasReturned) {
      visitor.hasReturned = true;
      count(Count.RETURNED);
    }
    if (isInside) {
      visitor.token = reply.member("pass");
      visitor.failures = 0;
      plan(visitor, Step.COMPLETE, System.nanoTime() + visitor.mind.stayNanos());
    } else if (isInLine) {
      visitor.cameAt = System.nanoTime();
      joined(visitor, reply);
      again(visitor);
    } else if (isFinal(reply)) {
      lost(visitor, reply.problem(Step.RETURN));
    } else {
      failed(due, reply.problem(Step.RETURN), reply.retryAfter());
    }
  }

  /** Whether it is no use to ask again. */
  private static boolean isFinal(Reply reply) {
    return reply.status() / 100 == 4 && reply.status() != 429;
  }

  /** As naru.js: when the server said, give or take a tenth, so that a crowd does not march. */
  private long spread(long seconds) {
    return (long) (Math.max(1, seconds) * SECOND * (0.9 + random.nextDouble() / 5));
  }

  // --- streams

  private boolean mayStream(Visitor visitor) {
    return errand.follow().isOpen()
        && System.nanoTime() - visitor.pollsUntil > 0
        && streams.size() + unopened.size() < mostStreams;
  }

  /** Goes on with following a place, at once. */
  void again(Visitor visitor) {
    if (mayStream(visitor)) {
      follow(visitor);
    } else if (errand.follow() == Errand.Follow.BOARD) {
      live(visitor);
    } else {
      planInLine(visitor, Step.ASK, System.nanoTime() + spread(1));
    }
  }

  // --- the board

  private void live(Visitor visitor) {
    visitor.next = Step.BOARD;
    visitor.plans++;
    if (onBoard.isEmpty()) {
      plan(reader, Step.BOARD, System.nanoTime());
    }
    onBoard.add(visitor);
    if (visitor.endsAt != 0) {
      planInLine(visitor, Step.BOARD, visitor.endsAt);
    }
  }

  /** Who is near the front goes on by themselves; the others look again in a second. */
  private void look(Reply reply) {
    if (reply.isGood()) {
      board = Board.read(reply.text()).orNewer(board);
    } else {
      course.failed(reply.problem(Step.BOARD), second());
    }
    long now = System.nanoTime();
    for (Visitor visitor : List.copyOf(onBoard)) {
      if (board.mustAsk(visitor.lane, visitor.ticket)) {
        onBoard.remove(visitor);
        planInLine(visitor, Step.ASK, now + (long) (random.nextDouble() * SECOND));
      }
    }
    if (!onBoard.isEmpty()) {
      plan(reader, Step.BOARD, now + SECOND);
    }
  }

  private void follow(Visitor visitor) {
    visitor.next = Step.STREAM;
    visitor.plans++;
    unopened.add(visitor);
    openMore();
  }

  private void openMore() {
    while (streamsConnecting < CONNECTING && !unopened.isEmpty() && !isClosed) {
      openStream(unopened.remove());
    }
  }

  private void openStream(Visitor visitor) {
    long now = System.nanoTime();
    var stream = new StreamLink(this, visitor, errand.follow(), request(visitor), now);
    streams.put(visitor, stream);
    streamsConnecting++;
    if (visitor.endsAt != 0) {
      planInLine(visitor, Step.STREAM, Math.max(visitor.endsAt, now));
    }
    open(
        stream,
        opened -> {
          streamsConnecting--;
          if (!opened) {
            stream.broken("stream: cannot connect");
          }
          openMore();
        });
  }

  /**
   * @param nanos since it was asked for, of a first message; else 0
   */
  void heard(long nanos) {
    if (nanos > 0) {
      course.answered(Step.STREAM, nanos, second());
    } else {
      count(Count.MESSAGES);
    }
  }

  void ended(StreamLink stream) {
    streams.remove(stream.visitor(), stream);
  }

  void withoutStream(Visitor visitor, String kind) {
    if (isClosed) {
      return;
    }
    course.failed(kind, second());
    visitor.pollsUntil = System.nanoTime() + WITHOUT_STREAM;
    planInLine(visitor, Step.ASK, System.nanoTime() + spread(1));
  }

  private void drop(StreamLink stream) {
    stream.end();
    stream.close();
  }

  // --- what becomes of them

  void told(Visitor visitor, String pass) {
    count(Count.TOLD);
    course.waited(System.nanoTime() - visitor.cameAt);
    visitor.token = pass;
    visitor.endsAt = 0;
    visitor.failures = 0;
    if (visitor.mind.stayNanos() < 0 || pass.isEmpty()) {
      finish(visitor);
    } else {
      Step next = visitor.mind.payFails() && !visitor.hasReturned ? Step.RETURN : Step.COMPLETE;
      plan(visitor, next, System.nanoTime() + visitor.mind.stayNanos());
    }
  }

  void lost(Visitor visitor, String kind) {
    course.failed(kind.strip(), second());
    count(Count.ENDED);
    finish(visitor);
  }

  /** It did not work; later again, and later each time. */
  void failed(Plan due, String kind, long retryAfter) {
    if (isClosed || !due.stands()) {
      return;
    }
    Visitor visitor = due.visitor;
    course.failed(kind, second());
    if (visitor.equals(reader)) {
      plan(reader, Step.BOARD, System.nanoTime() + SECOND);
      return;
    }
    if (++visitor.failures >= MOST_FAILURES) {
      count(visitor.next == Step.ENTER ? Count.TURNED_AWAY : Count.ENDED);
      finish(visitor);
      return;
    }
    long most = Math.min(15, 1L << (visitor.failures - 1));
    long wait = retryAfter * SECOND + (long) ((0.25 + random.nextDouble() * most) * SECOND);
    plan(visitor, visitor.next, System.nanoTime() + wait);
  }

  private void finish(Visitor visitor) {
    StreamLink stream = streams.get(visitor);
    onBoard.remove(visitor);
    visitor.next = Step.DONE;
    visitor.plans++;
    visitor.token = "";
    left--;
    if (stream != null) {
      drop(stream);
    }
  }

  private void count(Count what) {
    course.count(what, second());
  }

  private int second() {
    return (int) ((System.nanoTime() - start) / SECOND);
  }
}
