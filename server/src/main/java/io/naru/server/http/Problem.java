package io.naru.server.http;

import io.naru.access.Role;
import io.naru.queue.InvalidValue;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A refusal, as {@code application/problem+json}.
 *
 * @param code stable, for programs
 * @param detail for people: what is wrong and what to do
 * @param retryAfterSeconds 0 if waiting alone does not help
 */
public record Problem(
    int status,
    String code,
    String title,
    String detail,
    @Nullable String field,
    @Nullable String allowed,
    long retryAfterSeconds) {

  public static Problem of(int status, String code, String title, String detail) {
    return new Problem(status, code, title, detail, null, null, 0);
  }

  public static Problem invalid(InvalidValue e) {
    return new Problem(
        400, "invalid-value", "Invalid value", e.getMessage(), e.field(), e.allowed(), 0);
  }

  /**
   * @param what a setting, or what was asked for
   * @param allowed what goes without a ledger
   */
  public static Problem needsLedger(String what, String allowed) {
    return new Problem(
        422,
        "needs-ledger",
        "Needs a ledger",
        what + " needs a ledger: Redis alone cannot keep to it; start with a ledger (--ledger)",
        what,
        allowed,
        0);
  }

  /**
   * What Redis alone does not keep.
   *
   * @param what in words, several: {@code access keys}
   */
  public static Problem withoutLedger(String what) {
    return of(
        422,
        "needs-ledger",
        "Needs a ledger",
        what + " need a ledger: Redis alone does not keep them; start with a ledger (--ledger)");
  }

  public static Problem roleNeeded(String what, Role least) {
    return of(
        403,
        "role-needed",
        "Role needed",
        what
            + " needs a key with the role "
            + least.word()
            + (least == Role.ADMIN ? "" : " or more"));
  }

  public static Problem badRequest(String detail) {
    return of(400, "bad-request", "Bad request", detail);
  }

  Problem detail(String other) {
    return new Problem(status, code, title, other, field, allowed, retryAfterSeconds);
  }

  public Problem retryAfter(long seconds) {
    return new Problem(status, code, title, detail, field, allowed, seconds);
  }

  /**
   * @param requestId of the request that this answers
   */
  public Buffer json(String requestId) {
    return json(requestId, _ -> {});
  }

  /** With members of its own, as the place that a 409 is about. */
  public Buffer json(String requestId, Json.Fields more) {
    return Json.object(
        json -> {
          json.writeStringProperty("type", "urn:naru:problem:" + code);
          json.writeStringProperty("title", title);
          json.writeNumberProperty("status", status);
          json.writeStringProperty("code", code);
          json.writeStringProperty("detail", detail);
          json.writeStringProperty("requestId", requestId);
          if (field != null) {
            json.writeStringProperty("field", field);
          }
          if (allowed != null) {
            json.writeStringProperty("allowed", allowed);
          }
          more.write(json);
        });
  }

  /** A problem found while a request is read, thrown to where it is answered. */
  public static final class Found extends RuntimeException {
    private final transient Problem problem;

    public Found(Problem problem) {
      // Expected on a bad request, so it costs no stack trace.
      super(problem.detail, null, false, false);
      this.problem = problem;
    }

    public Problem problem() {
      return problem;
    }
  }
}
