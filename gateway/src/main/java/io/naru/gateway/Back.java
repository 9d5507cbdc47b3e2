package io.naru.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/** A connection to somebody behind us: one exchange at a time, each answer read to its end. */
final class Back extends ChannelInboundHandlerAdapter {

  private enum State {
    IDLE,
    HEAD,
    BODY,
    TUNNEL,
    CLOSED
  }

  private static final int MAX_INTERIM = 16;

  private final Pool pool;
  private final Channel channel;
  private final HeadReader heads = new HeadReader();
  private State state = State.IDLE;
  private Body body = Body.none();
  private int interim;
  private boolean keepsAlive;
  private boolean isPooled = true;
  private boolean wasIdle;
  private long idleSince = System.nanoTime();
  private @Nullable Exchange exchange;
  private @Nullable ByteBuf arrived;

  Back(Pool pool, Channel channel) {
    this.pool = pool;
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  long idleSince() {
    return idleSince;
  }

  void begin(Exchange next) {
    exchange = next;
    interim = 0;
    state = State.HEAD;
    next.begin(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf data = (ByteBuf) message;
    Exchange current = exchange;
    if (current == null) {
      // Whoever speaks without being asked would be heard by the next visitor.
      data.release();
      channel.close();
      return;
    }
    if (state == State.TUNNEL) {
      current.data(data);
      return;
    }
    arrived = Bytes.joined(arrived, data);
    try {
      while (arrived != null && step(arrived, current)) {
        // On to what is behind it.
      }
    } catch (BadMessage e) {
      broken(current);
    } finally {
      arrived = Bytes.rest(arrived);
    }
  }

  /** Whether there may be more to do with what has arrived. */
  private boolean step(ByteBuf in, Exchange current) throws BadMessage {
    return switch (state) {
      case HEAD -> {
        byte[] head = heads.read(in);
        if (head != null) {
          answered(Head.answer(head), current);
        }
        yield head != null;
      }
      case BODY -> {
        if (body.read(in, current::data)) {
          ended(current);
        }
        yield false;
      }
      case TUNNEL -> {
        if (in.isReadable()) {
          current.data(in.readRetainedSlice(in.readableBytes()));
        }
        yield false;
      }
      case IDLE, CLOSED -> false;
    };
  }

  private void answered(Head head, Exchange current) throws BadMessage {
    int status = head.status();
    if (status == 101) {
      if (!current.isUpgrade()) {
        throw new BadMessage(502, "nobody asked for another protocol");
      }
      state = State.TUNNEL;
      current.upgraded(head);
      return;
    }
    if (status < 200) {
      interim++;
      if (interim > MAX_INTERIM) {
        throw new BadMessage(502, "there is no end of interim answers");
      }
      // Others than 100 are hints, which browsers take by HTTP/2 alone and some programs mistake
      // for the answer.
      if (status == 100) {
        current.wantedBehind();
      }
      return;
    }
    body = Body.ofAnswer(head, current.isHead());
    keepsAlive =
        head.keepsAlive() && body.kind() != Body.Kind.UNTIL_CLOSE && !saysTooMuch(head, status);
    state = State.BODY;
    current.answered(head, body.kind());
    if (body.kind() == Body.Kind.NONE) {
      ended(current);
    }
  }

  /** Some send the body that they announced, though there is none with this status. */
  private static boolean saysTooMuch(Head head, int status) {
    String length = head.value("content-length");
    return status == 204
        && (head.value("transfer-encoding") != null || (length != null && !length.equals("0")));
  }

  private void ended(Exchange current) {
    boolean isClean =
        keepsAlive
            && current.isSent()
            && !current.mayBeUnread()
            && (arrived == null || !arrived.isReadable());
    exchange = null;
    state = State.IDLE;
    idleSince = System.nanoTime();
    wasIdle = true;
    channel.config().setAutoRead(true);
    if (isClean && isPooled) {
      pool.release(this);
    } else {
      channel.close();
    }
    current.ended();
  }

  private void broken(Exchange current) {
    exchange = null;
    state = State.CLOSED;
    channel.close();
    current.broken(false);
  }

  /** Nobody is interested any more. */
  void abandon() {
    exchange = null;
    state = State.CLOSED;
    channel.close();
  }

  void leavePool() {
    if (isPooled) {
      isPooled = false;
      pool.left();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (exchange != null) {
      exchange.front().channel().flush();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (exchange != null) {
      exchange.front().resume();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    Exchange current = exchange;
    State last = state;
    exchange = null;
    state = State.CLOSED;
    arrived = Bytes.dropped(arrived);
    if (isPooled) {
      pool.closed(this);
    }
    if (current == null) {
      return;
    }
    if (last == State.TUNNEL) {
      current.front().hangUp();
    } else if (last == State.BODY && body.kind() == Body.Kind.UNTIL_CLOSE) {
      current.ended();
    } else {
      current.broken(wasIdle && last == State.HEAD);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    channel.close();
  }
}
