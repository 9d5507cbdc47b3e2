package io.naru.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.gateway.Rules.Held;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request on its way to somebody behind us, and its answer on the way back. */
final class Exchange {

  private static final ByteBuf CONTINUE =
      Unpooled.unreleasableBuffer(
          Unpooled.copiedBuffer("HTTP/1.1 100 Continue\r\n\r\n", US_ASCII).asReadOnly());
  private static final ByteBuf LINE_END =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("\r\n", US_ASCII).asReadOnly());
  private static final ByteBuf LAST_CHUNK =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("0\r\n\r\n", US_ASCII).asReadOnly());

  /** What may be sent again if nobody has answered, since it changes nothing. */
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  private final Front front;
  private final Loop loop;
  private final Rules rules;
  private final Asked asked;
  private final Body.Kind bodyKind;
  private final Way.On way;
  private final long start = System.nanoTime();
  private @Nullable Back back;
  private boolean isSent;
  private boolean isRepeated;
  private boolean isAnswered;
  private boolean isChunked;
  private boolean isStream;
  private boolean isOver;
  private int status;
  private long heard = start;

  Exchange(Front front, Loop loop, Rules rules, Asked asked, Body.Kind bodyKind, Way.On way) {
    this.front = front;
    this.loop = loop;
    this.rules = rules;
    this.asked = asked;
    this.bodyKind = bodyKind;
    this.way = way;
    this.isSent = bodyKind == Body.Kind.NONE;
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

  void begin() {
    loop.pool(way.upstream()).take(this);
  }

  /** There is a connection. */
  void begin(Back taken) {
    back = taken;
    heard = System.nanoTime();
    Channel channel = taken.channel();
    channel.write(loop.wire().request(channel.alloc(), asked, bodyKind, way));
    // With as much of the body as there is.
    front.resume();
  }

  /** Whether the visitor's body has somewhere to go. */
  boolean takesBody() {
    return back != null && back.channel().isWritable();
  }

  void body(ByteBuf data) {
    if (back == null) {
      data.release();
      return;
    }
    Channel channel = back.channel();
    if (bodyKind == Body.Kind.CHUNKED) {
      channel.write(Wire.chunk(channel.alloc(), data.readableBytes()));
      channel.write(data);
      channel.write(LINE_END.duplicate());
    } else {
      channel.write(data);
    }
  }

  void bodyEnded() {
    isSent = true;
    if (back != null) {
      if (bodyKind == Body.Kind.CHUNKED) {
        back.channel().write(LAST_CHUNK.duplicate());
      }
      heard = System.nanoTime();
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

  /** The site wants the body that a visitor has announced. */
  void continued() {
    if (!asked.isHttp10()) {
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
    complete(head);
    front.channel().write(answer(head, new Wire.Shape(isChunked, front.connection(asked))));
  }

  private ByteBuf answer(Head head, Wire.Shape shape) {
    return Wire.answer(
        front.channel().alloc(),
        head,
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
  }

  void data(ByteBuf data) {
    heard = System.nanoTime();
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
    back = null;
    if (isChunked) {
      front.channel().write(LAST_CHUNK.duplicate());
    }
    front.channel().flush();
    if (!isStream) {
      served(status >= 500);
    }
    front.answered();
  }

  boolean isUpgrade() {
    return asked.isWebSocket();
  }

  /** From here on both sides speak something else. */
  void upgraded(Head head) {
    isStream = true;
    isAnswered = true;
    leavePool();
    front.channel().writeAndFlush(answer(head, new Wire.Shape(false, "Upgrade")));
    front.tunnel();
  }

  /** The connection is gone, or brought rubbish. */
  void broken(boolean wasIdle) {
    back = null;
    if (isAnswered) {
      // Who has got half of it must see that it is not all.
      served(true);
      front.cut();
    } else if (wasIdle && !isRepeated && isSafe()) {
      isRepeated = true;
      loop.pool(way.upstream()).open(this);
    } else {
      failed(Failing.DOWN);
    }
  }

  void failed(Failing failing) {
    back = null;
    served(true);
    front.answer(
        OwnAnswer.failed(way.upstream().isNaru() ? Failing.NARU_AWAY : failing, asked), asked);
  }

  private void served(boolean isFailed) {
    Held held = way.held();
    if (held != null && way.isProtected()) {
      held.guarded().gate().served(Duration.ofNanos(System.nanoTime() - start), isFailed);
    }
  }

  /** The visitor has gone: nobody needs the answer. */
  void gone() {
    Back leaving = back;
    back = null;
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
      front.cut();
    } else {
      failed(Failing.SLOW);
    }
  }
}
