package io.naru.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.gateway.Rules.Held;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way to somebody behind us, and its answer on the way back. A body that is
 * small is gathered before there is a connection for it: who sends slowly holds up nobody.
 */
final class Exchange {

  /** So much of a body is gathered. */
  static final int MAX_GATHERED = 65_536;

  private static final ByteBuf CONTINUE =
      Unpooled.unreleasableBuffer(
          Unpooled.copiedBuffer("HTTP/1.1 100 Continue\r\n\r\n", US_ASCII).asReadOnly());
  private static final ByteBuf LINE_END =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("\r\n", US_ASCII).asReadOnly());
  private static final ByteBuf LAST_CHUNK =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("0\r\n\r\n", US_ASCII).asReadOnly());

  /** What may be sent again if nobody has answered, since it changes nothing. */
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  /** With which a body is nothing unusual, so that sites read it. */
  private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

  private final Front front;
  private final Loop loop;
  private final Rules rules;
  private final Asked asked;
  private final Body.Kind bodyKind;
  private final Way.On way;
  private final boolean isGathering;
  private @Nullable Back back;
  private @Nullable ByteBuf gathered;
  private Pool.@Nullable Share share;

  /** Whether a connection was asked for, or is there. */
  private boolean isTaking;

  /** Whether a visitor was told that the body is wanted. */
  private boolean isWanted;

  private boolean isDone;
  private boolean isSent;
  private boolean isRepeated;
  private boolean isAnswered;
  private boolean isChunked;
  private boolean isStream;
  private boolean isOver;
  private int status;

  /** When the last of the request left us: what the site takes counts from there. */
  private long sent = System.nanoTime();

  private long heard = sent;

  Exchange(Front front, Loop loop, Rules rules, Asked asked, Body body, Way.On way) {
    this.front = front;
    this.loop = loop;
    this.rules = rules;
    this.asked = asked;
    this.bodyKind = body.kind();
    this.way = way;
    this.isSent = bodyKind == Body.Kind.NONE;
    this.isGathering = body.mayBeWithin(MAX_GATHERED);
  }

  Front front() {
    return front;
  }

  boolean isHead() {
    return asked.isHead();
  }

  /** Whether it may go over a connection that has been idle, and may have been closed meanwhile. */
  boolean isSafe() {
    return SAFE.contains(asked.head().first()) && bodyKind == Body.Kind.NONE;
  }

  /**
   * Whether the site may have left a body unread, as some do where they expect none. It would be
   * the beginning of the next request over that connection, which is somebody else's.
   */
  boolean mayBeUnread() {
    return bodyKind != Body.Kind.NONE && !WITH_BODY.contains(asked.head().first());
  }

  void begin() {
    if (!isGathering) {
      take();
    } else if (isMetHere()) {
      wanted();
    }
  }

  /** Whether it is for us to say that an announced body is wanted. */
  private boolean isMetHere() {
    return isGathering && isAwaited();
  }

  /** Whether they have announced a body and wait until it is wanted. */
  private boolean isAwaited() {
    return "100-continue".equalsIgnoreCase(asked.head().value("expect"));
  }

  private void take() {
    isTaking = true;
    sent = System.nanoTime();
    loop.pool(way.upstream()).take(this);
  }

  /** It counts among those of its address. */
  void counted(Pool.Share counting) {
    share = counting;
  }

  /** There is a connection. */
  void begin(Back taken) {
    back = taken;
    heard = System.nanoTime();
    sent = heard;
    Channel channel = taken.channel();
    channel.write(loop.wire().request(channel.alloc(), asked, bodyKind, way, isMetHere()));
    ByteBuf whole = gathered;
    if (whole != null) {
      gathered = null;
      loop.letGo(whole.readableBytes());
      send(channel, whole);
    }
    if (isSent) {
      end(channel);
    }
    // With as much more of the body as there is.
    front.resume();
  }

  /** Whether the visitor's body has somewhere to go. */
  boolean takesBody() {
    return back == null ? !isTaking : back.channel().isWritable();
  }

  /** Whether somebody behind waits for the rest of it. */
  boolean holdsConnection() {
    return back != null;
  }

  void body(ByteBuf data) {
    if (back != null) {
      sent = System.nanoTime();
      send(back.channel(), data);
    } else if (isDone) {
      data.release();
    } else {
      gather(data);
    }
  }

  /** Copied: a piece may be one byte that keeps alive all that it arrived with. */
  private void gather(ByteBuf data) {
    int size = data.readableBytes();
    ByteBuf all = gathered == null ? front.channel().alloc().buffer(size) : gathered;
    gathered = all.writeBytes(data);
    data.release();
    boolean hasRoom = loop.gather(size);
    if (!isTaking && (!hasRoom || all.readableBytes() > MAX_GATHERED)) {
      take();
    }
  }

  private void send(Channel channel, ByteBuf data) {
    if (bodyKind == Body.Kind.CHUNKED) {
      channel.write(Wire.chunk(channel.alloc(), data.readableBytes()));
      channel.write(data);
      channel.write(LINE_END.duplicate());
    } else {
      channel.write(data);
    }
  }

  private void end(Channel channel) {
    if (bodyKind == Body.Kind.CHUNKED) {
      channel.write(LAST_CHUNK.duplicate());
    }
  }

  void bodyEnded() {
    isSent = true;
    if (back != null) {
      end(back.channel());
      heard = System.nanoTime();
      sent = heard;
    } else if (!isTaking && !isDone) {
      take();
    }
  }

  void flush() {
    if (back != null) {
      back.channel().flush();
    }
  }

  /** Whether nothing of the answer is on its way to the visitor. */
  boolean isUnanswered() {
    return !isAnswered;
  }

  /** Whether all of the request is on its way. */
  boolean isSent() {
    return isSent;
  }

  /** The site wants the body; some sites say so unasked. */
  void wantedBehind() {
    if (isAwaited()) {
      wanted();
    }
  }

  /** The body that a visitor has announced is wanted, which is said once. */
  private void wanted() {
    if (!isWanted && !asked.isHttp10()) {
      isWanted = true;
      front.channel().writeAndFlush(CONTINUE.duplicate());
    }
  }

  void answered(Head head, Body.Kind answerKind) {
    isAnswered = true;
    heard = System.nanoTime();
    status = head.status();
    boolean isEndless = answerKind == Body.Kind.CHUNKED || answerKind == Body.Kind.UNTIL_CLOSE;
    isChunked = isEndless && !asked.isHttp10();
    if ((isEndless && asked.isHttp10()) || !isSent) {
      // It has no other end; or whoever has not sent all of their body may leave it at that.
      front.closeAfter();
    }
    String type = head.value("content-type");
    isStream = type != null && type.startsWith("text/event-stream");
    if (isStream) {
      leavePool();
    }
    if (!isStream) {
      served(sent, status >= 500);
    }
    noted();
    complete(head);
    front.channel().write(answer(head, new Wire.Shape(isChunked, front.connection(asked))));
  }

  private void noted() {
    long took = System.nanoTime() - sent;
    boolean isNaru = way.upstream().isNaru();
    Held held = way.held();
    loop.meters().answered(isNaru ? Meters.By.NARU : Meters.By.SITE, status);
    if (!isNaru) {
      loop.meters().siteTook(took);
    }
    Account account = front.account();
    if (account != null) {
      account.answered(isNaru ? Meters.By.NARU : Meters.By.SITE, status);
      account.served(took, held == null ? null : held.guarded().queue());
    }
  }

  private ByteBuf answer(Head head, Wire.Shape shape) {
    return Wire.answer(
        front.channel().alloc(),
        head,
        way.upstream(),
        shape,
        way.upstream().isNaru() ? Set.of() : rules.completeKeys(),
        isOver,
        asked.scheme().equals("https"));
  }

  private void complete(Head head) {
    if (way.upstream().isNaru()) {
      return;
    }
    Held held =
        way.completes() && status >= 200 && status < 400
            ? way.held()
            : rules.completed(head, asked.tokens());
    if (held != null) {
      isOver = true;
      loop.completions().complete(held);
    }
  }

  /** What lasts as long as somebody looks does not count among the site's connections. */
  private void leavePool() {
    if (back != null) {
      back.leavePool();
    }
    giveBackShare();
  }

  private void giveBackShare() {
    Pool.Share held = share;
    share = null;
    if (held != null) {
      held.giveBack();
    }
  }

  /** Nothing more goes to anybody behind, and nothing is held any more. */
  private void done() {
    back = null;
    isDone = true;
    ByteBuf unsent = gathered;
    gathered = null;
    if (unsent != null) {
      loop.letGo(unsent.readableBytes());
      unsent.release();
    }
    giveBackShare();
  }

  void data(ByteBuf data) {
    heard = System.nanoTime();
    Account account = front.account();
    if (account != null) {
      account.sent(data.readableBytes());
    }
    Channel channel = front.channel();
    if (isChunked) {
      channel.write(Wire.chunk(channel.alloc(), data.readableBytes()));
      channel.write(data);
      channel.write(LINE_END.duplicate());
    } else {
      channel.write(data);
    }
  }

  /** The answer is complete. */
  void ended() {
    done();
    if (isChunked) {
      front.channel().write(LAST_CHUNK.duplicate());
    }
    front.channel().flush();
    front.answered();
  }

  boolean isUpgrade() {
    return asked.isWebSocket();
  }

  /** From here on both sides speak something else. */
  void upgraded(Head head) {
    isStream = true;
    isAnswered = true;
    status = head.status();
    noted();
    leavePool();
    front.channel().writeAndFlush(answer(head, new Wire.Shape(false, "Upgrade")));
    front.tunnel();
  }

  /** The connection is gone, or brought rubbish. */
  void broken(boolean wasIdle) {
    back = null;
    if (isAnswered) {
      cut();
    } else if (wasIdle && !isRepeated && isSafe()) {
      isRepeated = true;
      loop.pool(way.upstream()).open(this);
    } else {
      failed(Failing.DOWN);
    }
  }

  /** Who has got half of an answer must see that it is not all. */
  private void cut() {
    served(heard, true);
    done();
    front.cut();
  }

  void failed(Failing failing) {
    Failing seen = way.upstream().isNaru() ? Failing.NARU_AWAY : failing;
    served(sent, true);
    done();
    loop.meters().failed(seen);
    front.answer(OwnAnswer.failed(seen, asked), asked);
  }

  /** Tells what the site took; how long visitors take to send and to read is not its matter. */
  private void served(long from, boolean isFailed) {
    Held held = way.held();
    if (held != null && way.isProtected()) {
      held.guarded().gate().served(Duration.ofNanos(System.nanoTime() - from), isFailed);
    }
  }

  /** The visitor has gone: nobody needs the answer. */
  void gone() {
    Back leaving = back;
    if (leaving != null && isSent && !isAnswered) {
      // It would have taken longer still: a site that people give up on is slow.
      served(sent, false);
    }
    done();
    if (leaving != null) {
      leaving.abandon();
    }
  }

  void reading(boolean wanted) {
    if (back != null) {
      heard = System.nanoTime();
      back.channel().config().setAutoRead(wanted);
    }
  }

  void tunnel(ByteBuf data) {
    heard = System.nanoTime();
    if (back == null) {
      data.release();
    } else {
      back.channel().write(data);
    }
  }

  /** Ends what takes too long. */
  void check(long now, Patience patience) {
    if (back == null) {
      return;
    }
    Duration limit =
        isStream ? patience.quiet() : isAnswered ? patience.silence() : patience.answer();
    // While the visitor still sends it is their time that passes, and while they do not read.
    boolean isTheirs = isAnswered || isSent;
    if (!isTheirs || now - heard < limit.toNanos()) {
      return;
    }
    Back late = back;
    back = null;
    late.abandon();
    if (isAnswered) {
      cut();
    } else {
      failed(Failing.SLOW);
    }
  }
}
