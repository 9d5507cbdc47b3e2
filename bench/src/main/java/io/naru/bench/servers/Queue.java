package io.naru.bench.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.bench.load.Mixed;
import io.naru.bench.load.Template;
import io.naru.bench.load.Traffic;
import io.naru.bench.load.Users;
import io.naru.bench.viewers.Subscription;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** One queue under load: who is in it, and the requests for it. */
public final class Queue {

  static final String TYPE = "BENCH";

  private static final AtomicLong IDS = new AtomicLong(System.currentTimeMillis());

  private final String authority;
  private final long id;
  private final Users users;

  Queue(String authority, long id) {
    this(authority, id, new Users());
  }

  private Queue(String authority, long id, Users users) {
    this.authority = authority;
    this.id = id;
    this.users = users;
  }

  /** The same queue, at another server. */
  Queue at(String server) {
    return new Queue(server, id, users);
  }

  /** A number, since a peer may know no other ids; no earlier run had it. */
  static long newId() {
    return IDS.getAndIncrement();
  }

  long id() {
    return id;
  }

  public Users users() {
    return users;
  }

  String path(String call) {
    return "/queue/%s/%d/%s".formatted(TYPE, id, call);
  }

  /** As passes and gates have it. */
  String name() {
    return TYPE + "/" + id;
  }

  /** The name of one of its keys in Redis. */
  String key(String part) {
    return "queue:{%s:%d}:%s".formatted(TYPE, id, part);
  }

  /** Everybody is new. */
  public Traffic enter() {
    return Template.httpAsUser("POST", authority, path("enter")).byNewcomers(users);
  }

  /** Everybody is new, nobody has a name, and all come from one network behind a proxy. */
  public Traffic strangers() {
    var next = new AtomicInteger();
    String path = path("enter");
    return out -> {
      out.writeCharSequence(
          "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\nX-Forwarded-For: 203.0.113.%d\r\n\r\n"
              .formatted(path, authority, next.getAndIncrement() & 0xff),
          US_ASCII);
      return true;
    };
  }

  /** Everybody is new, one in each lane after the other. */
  public Traffic enter(int lanes) {
    List<Traffic> each =
        IntStream.range(0, lanes)
            .mapToObj(
                lane ->
                    Template.httpInLane("POST", authority, path("enter"), "lane" + lane)
                        .byNewcomers(users))
            .toList();
    var next = new AtomicInteger();
    return out -> each.get(Math.floorMod(next.getAndIncrement(), lanes)).next(out);
  }

  /** Anybody of those who entered before asks. */
  public Traffic status() {
    return Template.httpAsUser("GET", authority, path("status")).byKnown(users);
  }

  /** Where those in it watch their place. */
  public Subscription subscription(InetSocketAddress server) {
    return new Subscription(server, path("subscribe/"));
  }

  /** Those with these passes are done inside. */
  public Traffic complete(List<String> passes) {
    var next = new AtomicInteger();
    return out -> {
      int n = next.getAndIncrement();
      if (n >= passes.size()) {
        return false;
      }
      out.writeCharSequence(
          "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(path("complete"), authority, passes.get(n)),
          US_ASCII);
      return true;
    };
  }

  /** A proxy asks whether somebody with this pass may go on. */
  public Traffic gateCheck(String pass) {
    byte[] request =
        "GET /gate/check?queue=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(name(), authority, pass)
            .getBytes(US_ASCII);
    return out -> {
      out.writeBytes(request);
      return true;
    };
  }

  /** One enters, nine ask. */
  public Traffic mixed() {
    return new Mixed(enter(), status());
  }
}
