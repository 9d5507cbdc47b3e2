package io.naru.redis.plain;

import io.naru.redis.Script;
import java.util.function.Function;

/** All operations. */
record Scripts(
    Script join,
    Script locate,
    Script earlier,
    Script since,
    Script leave,
    Script complete,
    Script redeem,
    Script admit,
    Script edit,
    Script find,
    Script delete,
    Script over) {

  private static final String SHARED = Script.resource(Scripts.class, "plain");

  /** On the clock of Redis. */
  static Scripts standard() {
    return on(Script.resource(Scripts.class, "clock"));
  }

  /** For tests, which set the time instead of waiting for it. */
  static Scripts on(String clock) {
    Function<String, Script> load =
        name -> Script.onQueue(Scripts.class, name, clock + "\n" + SHARED);
    return new Scripts(
        load.apply("join"),
        load.apply("locate"),
        load.apply("earlier"),
        Script.since(SHARED),
        load.apply("leave"),
        load.apply("complete"),
        load.apply("redeem"),
        load.apply("admit"),
        load.apply("edit"),
        load.apply("find"),
        load.apply("delete"),
        load.apply("over"));
  }
}
