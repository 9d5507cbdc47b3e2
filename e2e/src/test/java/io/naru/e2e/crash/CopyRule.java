package io.naru.e2e.crash;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;

/** 9. Redis rebuilt = Redis that never failed: same members, same scores. */
final class CopyRule implements Rule {

  @Override
  public int number() {
    return 9;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    Map<String, Long> waiting = new HashMap<>();
    Map<String, Long> entered = new HashMap<>();
    for (Row row : evidence.quiet()) {
      if (row.isWaiting()) {
        waiting.put(row.user(), row.score());
      } else if (row.isInside()) {
        entered.put(row.user(), row.expires());
      }
    }
    compare("waiting", waiting, evidence.line().waiting(), broken);
    compare("entered", entered, evidence.line().entered(), broken);
  }

  private static void compare(
      String what, Map<String, Long> ledger, Map<String, Long> copy, Consumer<String> broken) {
    var users = new TreeSet<>(ledger.keySet());
    users.addAll(copy.keySet());
    for (String user : users) {
      if (!Objects.equals(ledger.get(user), copy.get(user))) {
        broken.accept(
            "%s of %s is %s in the ledger and %s in the copy"
                .formatted(what, user, ledger.get(user), copy.get(user)));
      }
    }
  }
}
