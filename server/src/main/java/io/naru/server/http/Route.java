package io.naru.server.http;

import io.naru.access.Role;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of the API. The table of all routes also drives the tests that compare it with {@code
 * openapi.yaml} and try every admin route without a key.
 *
 * @param path with parameters in braces: {@code /queue/{type}/{id}/enter}
 * @param pages whose pages may make a browser call
 * @param body what the handler expects of a body
 */
public record Route(
    HttpMethod method,
    String path,
    Audience audience,
    Pages pages,
    Body body,
    Consumer<Exchange> handler) {

  /** Who may call: everybody, or operators from a role on. */
  public enum Audience {
    PUBLIC(null),
    SIGNAL(Role.SIGNAL),
    VIEWER(Role.VIEWER),
    OPERATOR(Role.OPERATOR),
    ADMIN(Role.ADMIN);

    private final @Nullable Role least;

    Audience(@Nullable Role least) {
      this.least = least;
    }
  }

  /** How a call of an operator says which queue it is about. */
  public enum About {
    PATH,
    BODY,
    /** It is about all queues that the operator may see. */
    SEEN,
    /** It is about no queue, so that a key of some queues does not open it. */
    NONE
  }

  /**
   * Whose pages may make a browser call. A browser brings the visitor's cookie along whoever makes
   * it call, so whatever looks at that says here that it does.
   */
  public enum Pages {
    /** Everybody's: the cookie is not looked at. Callers show a token or a key, or nothing. */
    ANY,
    /** Our own, and those of allowed origins: something is done, or told, for that visitor. */
    OWN,
    /** Our own alone: what is told or done is an operator's, and allowed origins are visitors'. */
    CONSOLE,
    /** Any may link here, for the visitor to see; none may load it otherwise. */
    LINKED
  }

  /** What is done with a request's body. */
  public enum Body {
    /** Not expected; what comes is read, bounded, and must be an empty JSON object. */
    NONE,
    JSON,
    /** JSON of up to a megabyte and of any depth, for operators alone. */
    LONG,
    /** JSON, or nothing. */
    PERHAPS,
    /** A form without fields, as a browser sends it; what is in it all the same is not read. */
    FORM
  }

  public boolean isForOperators() {
    return audience.least != null;
  }

  /** The least role that may call; of a route for operators. */
  public Role least() {
    return Objects.requireNonNull(audience.least, path);
  }

  public About about() {
    if (path.startsWith("/admin/queues/{type}/{id}")) {
      return About.PATH;
    }
    if (path.startsWith("/admin/queue/")) {
      return About.BODY;
    }
    return path.equals("/admin/queues") ? About.SEEN : About.NONE;
  }

  List<String> segments() {
    return List.of(path.substring(1).split("/", -1));
  }

  static boolean isParameter(String segment) {
    return segment.startsWith("{");
  }
}
