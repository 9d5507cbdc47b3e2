package io.naru.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A visitor's connection. Requests are taken one at a time: what has arrived behind the one under
 * way stays unread until that is answered, and then nothing more is read from the connection.
 */
final class Front extends ChannelInboundHandlerAdapter {

  private enum State {
    HEAD,
    BODY,
    ANSWER,
    TUNNEL,
    /** The last word is said; what still comes is thrown away, so that they get to read it. */
    LINGER
  }

  /** As much as we read of a body that nobody wants, to keep the connection. */
  private static final long MAX_UNWANTED = 65_536;

  /** Who is slower with a body than this in its time is given up. */
  private static final long LEAST_BODY = 1_024;

  /** The same where a connection to the site waits for the rest. */
  private static final long LEAST_HOLDING = 16_384;

  private static final Duration LINGER = Duration.ofMillis(1_500);

  private final Loop loop;
  private final Channel channel;
  private final Caller caller;
  private final HeadReader heads = new HeadReader();
  private State state = State.HEAD;
  private Body body = Body.none();
  private boolean isFirst = true;
  private boolean keepsAlive;
  private boolean isAnswered;
  private boolean isAdvancing;
  private boolean isSaid;
  private long since = System.nanoTime();
  private long received;
  private long unwanted;
  private @Nullable Exchange exchange;
  private @Nullable Account account;
  private @Nullable ByteBuf arrived;

  Front(Loop loop, Channel channel, Caller caller) {
    this.loop = loop;
    this.channel = channel;
    this.caller = caller;
  }

  Channel channel() {
    return channel;
  }

  Caller caller() {
    return caller;
  }

  /** What will be logged of the request under way; null if nothing is. */
  @Nullable Account account() {
    return account;
  }

  /** Nothing more will be said of it. */
  private void settle(boolean isCut) {
    Account settled = account;
    account = null;
    if (settled != null) {
      loop.log(settled, isCut);
    }
  }

  /** Whether somebody still waits for this answer. */
  boolean isOpen(Exchange asking) {
    return exchange == asking && channel.isActive();
  }

  boolean isIdle() {
    return state == State.HEAD || state == State.LINGER;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    loop.opened(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf data = (ByteBuf) message;
    if (state == State.LINGER) {
      data.release();
    } else if (state == State.TUNNEL && exchange != null) {
      exchange.tunnel(data);
    } else {
      arrived = Bytes.joined(arrived, data);
      advance();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (state == State.TUNNEL && exchange != null) {
      exchange.flush();
    }
  }

  /** Somebody behind can take more, or has been found. */
  void resume() {
    if (state == State.TUNNEL) {
      channel.config().setAutoRead(exchange != null && exchange.takesBody());
    } else {
      advance();
    }
  }

  private void advance() {
    if (isAdvancing) {
      return;
    }
    isAdvancing = true;
    try {
      while (arrived != null && step(arrived)) {
        // On to what is behind it.
      }
    } catch (BadMessage e) {
      refuse(e);
    } finally {
      isAdvancing = false;
      arrived = state == State.LINGER ? Bytes.dropped(arrived) : Bytes.rest(arrived);
    }
    channel.config().setAutoRead(isReading());
    if (exchange != null) {
      exchange.flush();
    }
  }

  private boolean isReading() {
    return switch (state) {
      // Who does not take the answers so far gets no more of them.
      case HEAD -> channel.isWritable();
      case LINGER -> true;
      case BODY -> exchange == null || exchange.takesBody();
      // So that we hear if they go; with more behind it, that has to wait.
      case ANSWER -> arrived == null;
      case TUNNEL -> exchange != null && exchange.takesBody();
    };
  }

  /** Whether there may be more to do with what has arrived. */
  private boolean step(ByteBuf in) throws BadMessage {
    if (state == State.HEAD) {
      if (!channel.isWritable()) {
        return false;
      }
      byte[] head = heads.read(in);
      if (head != null) {
        begin(Head.request(head));
      }
      return head != null;
    }
    if (state != State.BODY || (exchange != null && !exchange.takesBody())) {
      return false;
    }
    int before = in.readableBytes();
    Exchange wanting = exchange;
    boolean isComplete = body.read(in, wanting == null ? ByteBuf::release : wanting::body);
    received += before - in.readableBytes();
    if (!isComplete) {
      unwanted += wanting == null ? before : 0;
      if (unwanted > MAX_UNWANTED) {
        linger();
      }
      return false;
    }
    state = State.ANSWER;
    // It may have been answered within that, if nobody behind could take it.
    Exchange current = exchange;
    if (current != null) {
      current.bodyEnded();
    } else if (isAnswered) {
      next();
    }
    return true;
  }

  private void begin(Head head) throws BadMessage {
    isFirst = false;
    isAnswered = false;
    since = System.nanoTime();
    received = 0;
    unwanted = 0;
    keepsAlive = false;
    body = Body.ofRequest(head);
    Asked asked = Asked.of(head, caller);
    account = loop.account(asked, caller);
    Rules rules = loop.rules();
    Way way = Way.of(asked, rules, loop.naru());
    keepsAlive = head.keepsAlive() && !loop.isStopping();
    state = body.kind() == Body.Kind.NONE ? State.ANSWER : State.BODY;
    switch (way) {
      case Way.Here here -> {
        if (here.isKeptOut()) {
          loop.meters().keptOut(asked.isBrowser());
        }
        answer(here.answer(), asked);
      }
      case Way.On on -> {
        var next = new Exchange(this, loop, rules, asked, body, on);
        exchange = next;
        next.begin();
      }
    }
  }

  /** The value of the header {@code Connection} in our answer; empty if there is nothing to say. */
  String connection(Asked asked) {
    return !keepsAlive ? "close" : asked.isHttp10() ? "keep-alive" : "";
  }

  /** The connection ends with the answer. */
  void closeAfter() {
    keepsAlive = false;
  }

  /** Answers with something of our own. */
  void answer(OwnAnswer answer, Asked asked) {
    exchange = null;
    if (state == State.BODY && asked.head().value("expect") != null) {
      // Now they may send the body or not, and we could not tell it from the next request.
      keepsAlive = false;
    }
    channel.writeAndFlush(Wire.own(channel.alloc(), answer, asked.isHead(), connection(asked)));
    said(answer);
    answered();
  }

  private void said(OwnAnswer answer) {
    loop.meters().answered(Meters.By.GATEWAY, answer.status());
    if (account != null) {
      account.answered(Meters.By.GATEWAY, answer.status());
      account.sent(answer.body().length());
    }
  }

  /** The answer is written, to its end. */
  void answered() {
    settle(false);
    exchange = null;
    isAnswered = true;
    if (state == State.ANSWER) {
      next();
    } else if (state == State.BODY && !keepsAlive) {
      linger();
    }
    advance();
  }

  private void next() {
    since = System.nanoTime();
    if (keepsAlive) {
      state = State.HEAD;
      isAnswered = false;
    } else {
      linger();
    }
  }

  private void refuse(BadMessage bad) {
    Exchange current = exchange;
    exchange = null;
    if (current != null) {
      current.gone();
    }
    if (isAnswered) {
      // Another answer would be taken for that of the next request.
      linger();
    } else if (current == null || current.isUnanswered()) {
      OwnAnswer answer = OwnAnswer.bad(bad);
      account = account == null ? loop.account(null, caller) : account;
      channel.write(Wire.own(channel.alloc(), answer, false, "close"));
      said(answer);
      settle(false);
      linger();
    } else {
      cut();
    }
  }

  private void linger() {
    state = State.LINGER;
    since = System.nanoTime();
    // Behind what is still to be written.
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            _ -> {
              isSaid = true;
              since = System.nanoTime();
              SslHandler tls = caller.isTls() ? channel.pipeline().get(SslHandler.class) : null;
              if (tls == null) {
                endOutput();
              } else {
                // Without its own last word they would take what they got for a part.
                tls.closeOutbound().addListener(_ -> endOutput());
              }
            });
  }

  private void endOutput() {
    if (channel instanceof DuplexChannel duplex && channel.isActive()) {
      duplex.shutdownOutput();
    }
  }

  /** Ends the connection within an answer. */
  void cut() {
    settle(true);
    exchange = null;
    channel.close();
  }

  /** Says what is still to be said, and ends the connection. */
  void hangUp() {
    settle(false);
    exchange = null;
    linger();
  }

  void tunnel() {
    state = State.TUNNEL;
    isAnswered = true;
    ByteBuf early = arrived;
    arrived = null;
    if (early != null && exchange != null) {
      exchange.tunnel(early);
      exchange.flush();
    }
    channel.config().setAutoRead(true);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    since = System.nanoTime();
    if (exchange != null) {
      exchange.reading(channel.isWritable());
    }
    if (channel.isWritable()) {
      advance();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    loop.closed(this);
    settle(true);
    Exchange current = exchange;
    exchange = null;
    arrived = Bytes.dropped(arrived);
    if (current != null) {
      current.gone();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    channel.close();
  }

  /** Ends what takes too long. */
  void check(long now, Patience patience) {
    long waited = now - since;
    switch (state) {
      case HEAD -> {
        Duration limit = isFirst ? patience.first() : patience.next();
        if (waited > (channel.isWritable() ? limit : patience.silence()).toNanos()) {
          channel.close();
        }
      }
      case BODY -> checkBody(now, patience);
      case ANSWER, TUNNEL -> checkAnswer(now, patience);
      case LINGER -> {
        if (waited > (isSaid ? LINGER : patience.silence()).toNanos()) {
          channel.close();
        }
      }
    }
  }

  private void checkBody(long now, Patience patience) {
    if (exchange != null && !exchange.takesBody()) {
      // It is the site that takes its time.
      since = now;
      checkAnswer(now, patience);
    } else if (now - since > patience.body().toNanos()) {
      boolean isHolding = exchange != null && exchange.holdsConnection();
      if (received < (isHolding ? LEAST_HOLDING : LEAST_BODY)) {
        refuse(new BadMessage(408, "the body takes too long to arrive"));
      }
      since = now;
      received = 0;
    }
  }

  private void checkAnswer(long now, Patience patience) {
    if (exchange == null) {
      return;
    }
    if (channel.isWritable()) {
      exchange.check(now, patience);
    } else if (now - since > patience.silence().toNanos()) {
      Exchange current = exchange;
      cut();
      current.gone();
    }
  }
}
