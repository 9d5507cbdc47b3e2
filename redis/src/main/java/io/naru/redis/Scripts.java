package io.naru.redis;

import java.util.function.Function;

/** All operations. */
record Scripts(
    Script join,
    Script locate,
    Script earlier,
    Script leave,
    Script complete,
    Script redeem,
    Script admit,
    Script edit,
    Script find,
    Script delete,
    Script over) {

  static Scripts standard() {
    return load(Script::load);
  }

  static Scripts load(Function<String, Script> load) {
    return new Scripts(
        load.apply("join"),
        load.apply("locate"),
        load.apply("earlier"),
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
