package io.naru.bench.servers;

import io.naru.bench.load.Mixed;
import io.naru.bench.load.Template;
import io.naru.bench.load.Traffic;
import io.naru.bench.load.Users;
import java.util.concurrent.atomic.AtomicLong;

/** One queue under load: who is in it, and the requests for it. */
public final class Queue {

  static final String TYPE = "BENCH";

  private static final AtomicLong IDS = new AtomicLong(System.currentTimeMillis());

  private final String authority;
  private final long id;
  private final Users users = new Users();

  Queue(String authority, long id) {
    this.authority = authority;
    this.id = id;
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

  /** The name of one of its keys in Redis. */
  String key(String part) {
    return "queue:{%s:%d}:%s".formatted(TYPE, id, part);
  }

  /** Everybody is new. */
  public Traffic enter() {
    return Template.httpAsUser("POST", authority, path("enter")).byNewcomers(users);
  }

  /** Anybody of those who entered before asks. */
  public Traffic status() {
    return Template.httpAsUser("GET", authority, path("status")).byKnown(users);
  }

  /** One enters, nine ask. */
  public Traffic mixed() {
    return new Mixed(enter(), status());
  }
}
