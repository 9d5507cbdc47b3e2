package io.naru.gate;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.pass.Pass;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import io.naru.pass.Verification.Verified;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets a pass count only for the first session that brings it. Naru keeps a text per pass, and says
 * yes to that text only; the session keeps its text, and the pass it was said yes to, so the
 * question is asked once per session. Both are attributes, which a session keeps when a login
 * changes its id.
 *
 * <p>The text of a session that is there already follows from its id. So requests of one session
 * that arrive together, also on several servers, ask with the same text and all get in, without
 * waiting for each other. Who has no session yet gets one with the yes, and not before: refused
 * requests must not fill the memory with sessions.
 */
final class SessionBinding {

  private static final String TEXT = "io.naru.gate.session";
  private static final String BOUND = "io.naru.gate.bound.";
  private static final int MAX_REMEMBERED = 10_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Gate gate;
  private final String bound;

  /**
   * Texts whose question was not answered, by pass. Naru may have kept them all the same, and would
   * then say no to any other; since nobody got in, the next one who brings the pass may use it.
   */
  private final Map<String, String> unanswered = remembering();

  /**
   * Passes that are somebody's already. Who brings one of them without a session cannot be that
   * somebody, and Naru need not be asked: a copied pass, sent again and again, costs nothing.
   */
  private final Set<String> taken = Collections.newSetFromMap(remembering());

  private static <V> Map<String, V> remembering() {
    return Collections.synchronizedMap(
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MAX_REMEMBERED;
          }
        });
  }

  SessionBinding(Gate gate) {
    this.gate = gate;
    this.bound = BOUND + gate.settings().queue();
  }

  /** What becomes of a good pass that came with this request. */
  Verification bind(HttpServletRequest request, String token, Verified verified) {
    Pass pass = verified.pass();
    try {
      HttpSession session = request.getSession(false);
      if (session != null && pass.id().equals(session.getAttribute(bound))) {
        return verified;
      }
      String kept = unanswered.remove(pass.id());
      if (session == null && kept == null && taken.contains(pass.id())) {
        return gate.refuse(Reason.OTHER_SESSION, pass);
      }
      String text = kept != null ? kept : textOf(session);
      Answer answer = gate.redeem(token, text);
      if (answer != Answer.UNREACHABLE) {
        taken.add(pass.id());
      }
      if (answer == Answer.DONE) {
        HttpSession now = request.getSession();
        now.setAttribute(TEXT, text);
        now.setAttribute(bound, pass.id());
        return verified;
      }
      if (answer == Answer.UNREACHABLE && (session == null || kept != null)) {
        unanswered.put(pass.id(), text);
      }
      return gate.refuse(answer == Answer.REFUSED ? Reason.OTHER_SESSION : Reason.NOT_BOUND, pass);
    } catch (IllegalStateException e) {
      // The session has ended while we looked at it.
      return gate.refuse(Reason.NOT_BOUND, pass);
    }
  }

  private static String textOf(@Nullable HttpSession session) {
    if (session == null) {
      byte[] random = new byte[24];
      RANDOM.nextBytes(random);
      return encode(random);
    }
    if (session.getAttribute(TEXT) instanceof String text) {
      return text;
    }
    // Not the id itself, which is a secret between the visitor and the site.
    String text = encode(sha256("naru-session " + session.getId()));
    session.setAttribute(TEXT, text);
    return text;
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
