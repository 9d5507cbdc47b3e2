package io.naru.gate;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.pass.Pass;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import io.naru.pass.Verification.Refused;
import io.naru.pass.Verification.Verified;
import io.naru.pass.WayBack;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests for protected paths through only with a valid pass, and sends people to the waiting
 * page otherwise. Put it before everything that answers, for all paths ({@code /*}): which of them
 * are protected is the gate's setting. Map it for {@link #DISPATCHES}: a page that needs no pass
 * may forward to one that does.
 *
 * <p>The pass comes as {@code Authorization: Bearer} or as a cookie {@code naru-pass} or {@code
 * __Host-naru-pass}, and never in the address, which is logged, sent on and bookmarked.
 */
public final class GateFilter implements Filter {

  /** The request attribute that has the verified {@link Pass}. */
  public static final String PASS = "io.naru.pass";

  /** The request attribute that has the pass as it came, for {@link Gate#complete}. */
  public static final String TOKEN = "io.naru.pass.token";

  public static final String COOKIE = Pass.COOKIE;

  /**
   * The kinds of dispatch that this filter is for. Who was let in stays in, also when the pass
   * expires before the answer is complete; who was not is looked at again for each new path.
   */
  public static final Set<DispatcherType> DISPATCHES =
      Collections.unmodifiableSet(
          EnumSet.of(
              DispatcherType.REQUEST,
              DispatcherType.FORWARD,
              DispatcherType.ASYNC,
              DispatcherType.ERROR));

  private static final String LET_IN = "io.naru.gate.letIn.";
  private static final int MAX_CANDIDATES = 4;

  private final Gate gate;
  private final String letIn;
  private final @Nullable SessionBinding binding;

  public GateFilter(Gate gate) {
    this.gate = gate;
    this.letIn = LET_IN + gate.settings().queue();
    this.binding = gate.settings().bindToSession() ? new SessionBinding(gate) : null;
  }

  /** The pass that this request was let in with; null where none was needed. */
  public static @Nullable Pass passOf(ServletRequest request) {
    return request.getAttribute(PASS) instanceof Pass pass ? pass : null;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)) {
      throw new ServletException("the gate guards HTTP only");
    }
    if (!isProtected(http) || wasLetIn(http)) {
      chain.doFilter(request, response);
      return;
    }
    long start = System.nanoTime();
    if (gate.judged(judge(http), start) instanceof Verified) {
      serve(http, answer, chain);
    } else {
      refuse(http, answer);
    }
  }

  private void serve(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!gate.isTelling()) {
      chain.doFilter(request, response);
      return;
    }
    var serving = new Serving(gate, response);
    boolean isThrown = true;
    try {
      chain.doFilter(request, response);
      isThrown = false;
    } finally {
      if (request.isAsyncStarted()) {
        request.getAsyncContext().addListener(serving);
      } else {
        serving.end(isThrown);
      }
    }
  }

  /** By this very gate: an application may have several, for several queues. */
  private boolean wasLetIn(HttpServletRequest request) {
    return request.getDispatcherType() != DispatcherType.REQUEST
        && request.getAttribute(letIn) == gate;
  }

  private Verification judge(HttpServletRequest request) {
    Verification verification = new Refused(Reason.MISSING, null);
    for (String token : candidates(request)) {
      verification = gate.verify(token);
      if (binding != null && verification instanceof Verified verified) {
        verification = binding.bind(request, token, verified);
      }
      if (verification instanceof Verified verified) {
        request.setAttribute(PASS, verified.pass());
        request.setAttribute(TOKEN, token);
        request.setAttribute(letIn, gate);
        return verified;
      }
      if (verification instanceof Refused refused && refused.reason() == Reason.NOT_BOUND) {
        // Waiting for Naru once is enough.
        return refused;
      }
    }
    return verification;
  }

  /** As it came, and as the container understood it: either is enough. */
  private boolean isProtected(HttpServletRequest request) {
    String uri = request.getRequestURI();
    String context = request.getContextPath();
    if (uri == null || !uri.startsWith(context)) {
      return true;
    }
    String understood =
        request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
    String path = uri.substring(context.length());
    return gate.paths().protects(path.isEmpty() ? "/" : path)
        || gate.paths().protectsDecoded(understood.isEmpty() ? "/" : understood);
  }

  /** More than one, since a site may use the Authorization header for logins of its own. */
  private static List<String> candidates(HttpServletRequest request) {
    var tokens = new ArrayList<String>();
    for (String value : Collections.list(request.getHeaders("Authorization"))) {
      if (value.regionMatches(true, 0, "Bearer ", 0, 7)) {
        tokens.add(value.substring(7).strip());
      }
    }
    Cookie[] cookies = request.getCookies();
    // First the one that nobody but this very host can have set.
    for (String name : List.of(Pass.HOST_COOKIE, COOKIE)) {
      for (Cookie cookie : cookies == null ? new Cookie[0] : cookies) {
        if (cookie.getName().equals(name)) {
          tokens.add(cookie.getValue());
        }
      }
    }
    return tokens.subList(0, Math.min(tokens.size(), MAX_CANDIDATES));
  }

  private void refuse(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (request.getDispatcherType() == DispatcherType.ERROR) {
      // Refused before it came to us: its status stays, and the page about it is not for them.
      return;
    }
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Referrer-Policy", "no-referrer");
    if (isBrowser(request)) {
      response.setStatus(HttpServletResponse.SC_SEE_OTHER);
      response.setHeader("Location", gate.settings().waitingPage() + wayBack(request));
      return;
    }
    response.setStatus(HttpServletResponse.SC_FORBIDDEN);
    response.setContentType("application/problem+json");
    // The same for every reason: what exactly was wrong is for our log, not for who tries things.
    byte[] body =
        """
        {"type":"urn:naru:problem:S806","title":"No valid pass","status":403,"code":"S806",\
        "detail":"This needs a valid pass of the queue %s, as Authorization: Bearer or as cookie %s. \
        Get one at %s. The log of the gate says why a pass was refused."}"""
            .formatted(gate.settings().queue(), COOKIE, gate.settings().waitingPage())
            .getBytes(UTF_8);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  private static boolean isBrowser(HttpServletRequest request) {
    String accept = request.getHeader("Accept");
    return request.getMethod().equals("GET") && accept != null && accept.contains("text/html");
  }

  /** Where they wanted to go, as a path: the waiting page must not send anybody elsewhere. */
  private static String wayBack(HttpServletRequest request) {
    String query = asked(request, "query_string", request.getQueryString());
    String path =
        asked(request, "request_uri", request.getRequestURI()) + (query == null ? "" : "?" + query);
    return WayBack.isSafe(path) ? WayBack.query(path) : "";
  }

  /** What the visitor asked for, where the application has led the request elsewhere since. */
  private static @Nullable String asked(
      HttpServletRequest request, String what, @Nullable String now) {
    String prefix =
        switch (request.getDispatcherType()) {
          case FORWARD -> "jakarta.servlet.forward.";
          case ASYNC -> "jakarta.servlet.async.";
          default -> null;
        };
    return prefix == null ? now : (String) request.getAttribute(prefix + what);
  }
}
