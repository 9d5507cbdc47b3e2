package io.naru.gate;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.pass.Verification.Refused;
import io.naru.pass.Verification.Verified;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Attack 8: a copy of a pass is worth nothing in a second session. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SessionBindingTest {

  private static final Pattern SESSION = Pattern.compile("Set-Cookie: (JSESSIONID=\\w+)");

  private final FakeNaru naru = new FakeNaru();
  private final Gate gate = naru.gate().protect("/reservations/**").bindToSession(true).open();
  private int passes;
  private String token = "";
  private Site site;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    site = new Site(gate, "", folder);
  }

  @BeforeEach
  void anotherPass() {
    token = naru.token("p" + passes++);
    naru.asked.clear();
    site.served.clear();
  }

  @AfterEach
  void allWell() {
    naru.answersLost = false;
    naru.callStatus = 200;
    naru.together = null;
  }

  @AfterAll
  void close() {
    site.close();
    gate.close();
    naru.close();
  }

  @Test
  void secondSession_samePass_isRefused_andTheFirstGoesOn() throws Exception {
    String first = enter();

    assertThat(ask(visit())).startsWith("HTTP/1.1 403").contains("S806");
    assertThat(ask("")).startsWith("HTTP/1.1 403").contains("S806");
    assertThat(ask(first)).endsWith("for user-7");
  }

  @Test
  void firstSession_laterRequests_askNobody() throws Exception {
    String session = enter();
    assertThat(naru.redeemed()).isEqualTo(1);

    for (int i = 0; i < 5; i++) {
      assertThat(ask(session)).endsWith("for user-7");
    }
    assertThat(naru.redeemed()).isEqualTo(1);
  }

  @Test
  void copiedPass_sentAgainAndAgainWithoutASession_asksNobody() throws Exception {
    enter();
    assertThat(naru.redeemed()).isEqualTo(1);

    for (int i = 0; i < 5; i++) {
      assertThat(ask("")).startsWith("HTTP/1.1 403").contains("S806");
    }
    assertThat(naru.redeemed()).isEqualTo(1);
  }

  @Test
  void sessionThatIsThereAlready_isTheFirst() throws Exception {
    String session = visit();

    assertThat(ask(session)).endsWith("for user-7").doesNotContain("Set-Cookie");
    assertThat(ask("")).startsWith("HTTP/1.1 403");
  }

  @Test
  void session_isNotToldToNaru() throws Exception {
    String session = visit();
    ask(session);

    assertThat(String.join("\n", naru.asked))
        .contains("/redeem")
        .doesNotContain(session.substring(session.indexOf('=') + 1));
  }

  @Test
  void refused_getsNoSession() throws Exception {
    enter();
    int before = site.sessions();

    assertThat(ask("")).startsWith("HTTP/1.1 403").doesNotContain("Set-Cookie");
    assertThat(send("")).startsWith("HTTP/1.1 403").doesNotContain("Set-Cookie");
    assertThat(send("", "Authorization: Bearer rubbish")).doesNotContain("Set-Cookie");
    naru.callStatus = 503;
    token = naru.token("never");
    assertThat(ask("")).startsWith("HTTP/1.1 403").doesNotContain("Set-Cookie");
    assertThat(site.sessions()).isEqualTo(before);
    assertThat(site.served).hasSize(1);
  }

  @Test
  void naruAway_nobodyNewGetsIn_andBoundSessionsGoOn() throws Exception {
    String bound = enter();
    String boundToken = token;
    String other = visit();
    anotherPass();
    naru.goAway();
    try {
      assertThat(ask(other)).startsWith("HTTP/1.1 403").contains("S806");
      assertThat(ask("")).startsWith("HTTP/1.1 403");
      assertThat(send(bound, "Authorization: Bearer " + boundToken)).endsWith("for user-7");
    } finally {
      naru.comeBack();
    }
    assertThat(ask(other)).endsWith("for user-7");
  }

  @Test
  void answerLost_whoComesAgain_getsIn_andStaysTheOnlyOne() throws Exception {
    naru.answersLost = true;
    assertThat(ask("")).startsWith("HTTP/1.1 403");
    naru.answersLost = false;

    String session = enter();
    assertThat(ask("")).startsWith("HTTP/1.1 403");
    assertThat(ask(session)).endsWith("for user-7");
  }

  @Test
  void answerLost_sessionAskedAgain_getsIn() throws Exception {
    String session = visit();
    naru.answersLost = true;
    assertThat(ask(session)).startsWith("HTTP/1.1 403");
    naru.answersLost = false;
    session = sessionOf(site.send("GET", "/?then=login", "Cookie: " + session));

    assertThat(ask(session)).endsWith("for user-7");
  }

  @Test
  void sessionIdChangedAtLogin_goesOn() throws Exception {
    String before = enter();
    String after = sessionOf(site.send("GET", "/?then=login", "Cookie: " + before));

    assertThat(after).isNotEqualTo(before);
    assertThat(ask(after)).endsWith("for user-7");
    assertThat(naru.redeemed()).isEqualTo(1);
    assertThat(ask(before)).as("the old id").startsWith("HTTP/1.1 403");
  }

  @Test
  void sessionEnded_itsPassIsOfNoUse() throws Exception {
    String session = enter();
    site.send("GET", "/?then=logout", "Cookie: " + session);

    assertThat(ask(session)).startsWith("HTTP/1.1 403");
  }

  /** Naru answers none of them before all have come, so none may wait for another. */
  @Test
  void firstRequestsTogether_ofOneSession_allGetIn() throws Exception {
    String session = visit();
    naru.together = new CyclicBarrier(3);

    Callable<String> asking = () -> ask(session);
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      for (Future<String> answer : threads.invokeAll(nCopies(3, asking))) {
        assertThat(answer.get()).endsWith("for user-7");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Two servers that each see the session as it was before the other wrote into it. */
  @Test
  void firstRequestsTogether_onTwoServers_askWithTheSameText() {
    var verified = new Verified(naru.pass("shared"));
    token = naru.token("shared");

    for (int server = 0; server < 2; server++) {
      assertThat(new SessionBinding(gate).bind(requestOf("session-1"), token, verified))
          .isEqualTo(verified);
    }
    assertThat(new SessionBinding(gate).bind(requestOf("session-2"), token, verified))
        .isInstanceOf(Refused.class);
  }

  @Test
  void turnOver_boundSessionIsRefusedToo_andNaruIsNotAsked() throws Exception {
    String session = enter();
    assertThat(ask(session)).endsWith("for user-7");

    naru.over.add(naru.pass("p" + (passes - 1)));
    gate.trust().poll();
    naru.asked.clear();

    assertThat(ask(session)).startsWith("HTTP/1.1 403").contains("S806");
    assertThat(naru.redeemed()).isZero();
  }

  @Test
  void nextPass_inTheSameSession_isBoundAsWell() throws Exception {
    String session = enter();
    anotherPass();

    assertThat(ask(session)).endsWith("for user-7");
    assertThat(ask("")).startsWith("HTTP/1.1 403");
  }

  private String enter() throws IOException {
    String answer = ask("");
    assertThat(answer).endsWith("for user-7");
    return sessionOf(answer);
  }

  private String visit() throws IOException {
    return sessionOf(site.send("GET", "/?then=visit"));
  }

  private String ask(String session) throws IOException {
    return send(session, "Authorization: Bearer " + token);
  }

  private String send(String session, String... headers) throws IOException {
    String[] all = Arrays.copyOf(headers, headers.length + 1);
    all[headers.length] = "Cookie: a=b; " + session;
    return site.send("GET", "/reservations", all);
  }

  private static HttpServletRequest requestOf(String sessionId) {
    var attributes = new HashMap<Object, Object>();
    HttpSession session =
        stub(
            HttpSession.class,
            (method, arguments) ->
                switch (method) {
                  case "getId" -> sessionId;
                  case "getAttribute" -> attributes.get(arguments[0]);
                  case "setAttribute" -> attributes.put(arguments[0], arguments[1]);
                  default -> throw new AssertionError("nobody calls " + method);
                });
    return stub(HttpServletRequest.class, (method, arguments) -> session);
  }

  private static <T> T stub(
      Class<T> type, BiFunction<String, Object[], @Nullable Object> behaviour) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> behaviour.apply(method.getName(), arguments)));
  }

  private static String sessionOf(String answer) {
    Matcher matcher = SESSION.matcher(answer);
    assertThat(matcher.find()).as(answer).isTrue();
    return matcher.group(1);
  }
}
