package io.naru.gateway;

import io.naru.gateway.Rules.Guarded;
import io.naru.gateway.Rules.Held;
import io.naru.gateway.Rules.Judged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a request goes. */
sealed interface Way {

  /**
   * No further.
   *
   * @param isKeptOut whether that is for want of a pass
   */
  record Here(OwnAnswer answer, boolean isKeptOut) implements Way {}

  /**
   * On, to the site or to Naru.
   *
   * @param held with which pass; null where none was needed or had
   * @param completes whether a good answer ends the turn
   */
  record On(Upstream upstream, @Nullable Held held, boolean isProtected, boolean completes)
      implements Way {}

  /** What of this address is Naru's: pages of people who wait, and what these ask. */
  static boolean isNaru(String path) {
    return path.startsWith("/wait/")
        || path.startsWith("/queue/")
        || path.equals("/naru.js")
        || path.equals("/naru-board.js")
        || path.equals("/naru-proof.js")
        || path.equals("/naru.d.ts");
  }

  static Way of(Asked asked, Rules rules, Upstream naru) throws BadMessage {
    String method = asked.head().first();
    if (method.equals("CONNECT") || method.equals("TRACE")) {
      throw new BadMessage(405, "this method is not for here");
    }
    if (isNaru(asked.path())) {
      return isPlain(asked.path())
          ? new On(naru, null, false, false)
          : new Here(OwnAnswer.notHere(), false);
    }
    Judged judged = rules.judge(asked.path());
    if (!judged.isClear()) {
      throw new BadMessage(400, "the path can be read in several ways, or in none");
    }
    Guarded guarded = judged.guarded();
    if (guarded == null) {
      Held held = completed(rules, judged, asked.tokens());
      return new On(rules.origin(), held, false, held != null);
    }
    Held held = guarded.held(asked.tokens());
    if (held != null) {
      return new On(guarded.origin(), held, true, completes(guarded, judged));
    }
    return new Here(
        asked.isBrowser()
            ? OwnAnswer.toWaitingPage(guarded.queue(), asked.head().second())
            : OwnAnswer.noPass(guarded.queue(), asked.scheme() + "://" + asked.host()),
        true);
  }

  /** A turn may end on a page that needs no pass. */
  private static @Nullable Held completed(Rules rules, Judged judged, List<String> tokens) {
    if (tokens.isEmpty()) {
      return null;
    }
    for (Guarded guarded : rules.guarded()) {
      if (completes(guarded, judged)) {
        Held held = guarded.held(tokens);
        if (held != null) {
          return held;
        }
      }
    }
    return null;
  }

  private static boolean completes(Guarded guarded, Judged judged) {
    return judged.readings().stream().allMatch(guarded::completes);
  }

  /** As all paths of Naru are; others have no business there. */
  private static boolean isPlain(String path) {
    char before = ' ';
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      boolean isWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!isWord && "-_~./".indexOf(c) < 0) {
        return false;
      }
      if ((c == '.' || c == '/') && before == '/') {
        return false;
      }
      before = c;
    }
    return true;
  }
}
