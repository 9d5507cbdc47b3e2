package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.StrictJson;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server answered, from either client. What calls itself JSON is.
 *
 * @param headers by lower-case name
 */
record Answer(int status, Map<String, List<String>> headers, String body) {

  Answer {
    List<String> type = headers.get("content-type");
    if (type != null && type.getFirst().endsWith("json")) {
      StrictJson.read(body);
    }
  }

  @Nullable String header(String name) {
    List<String> values = headers.get(name);
    return values == null ? null : String.join(", ", values);
  }

  /** The body's fields; whole numbers are {@code Integer} or {@code Long}, as they fit. */
  Map<String, @Nullable Object> json() {
    return StrictJson.object(body);
  }

  /** An entry, or a queue, without what depends on when one asks. */
  static Map<String, @Nullable Object> told(Map<String, @Nullable Object> entry) {
    Map<String, @Nullable Object> told = new HashMap<>(entry);
    told.remove("wait");
    told.remove("at");
    return told;
  }

  @Nullable Object field(String name) {
    return json().get(name);
  }

  String text(String name) {
    return field(name) instanceof String text ? text : "no text in " + name + " of " + this;
  }

  long number(String name) {
    return field(name) instanceof Number number ? number.longValue() : Long.MIN_VALUE;
  }

  Map<String, @Nullable Object> object(String name) {
    assertThat(field(name)).as("%s of %s", name, this).isInstanceOf(Map.class);
    @SuppressWarnings("unchecked")
    var fields = (Map<String, @Nullable Object>) field(name);
    return fields == null ? Map.of() : fields;
  }

  /** That this is a refusal as the contract wants every refusal to be. */
  Answer isProblem(int expectedStatus, String code) {
    assertThat(status).as("status of %s", this).isEqualTo(expectedStatus);
    assertThat(header("content-type")).as("type of %s", this).isEqualTo("application/problem+json");
    assertThat(header("cache-control")).as("caching of %s", this).isEqualTo("no-store");
    assertThat(text("code")).as("code of %s", this).isEqualTo(code);
    assertThat(json())
        .containsEntry("type", "urn:naru:problem:" + code)
        .containsEntry("status", expectedStatus);
    assertThat(text("requestId")).isNotBlank().isEqualTo(header("x-request-id"));
    assertThat(text("title")).isNotBlank();
    assertThat(text("detail")).isNotBlank();
    // What the server is made of is nobody's business.
    assertThat(body).doesNotContain("Exception", "io.naru", "io.vertx", "java.", "\tat ");
    return this;
  }

  /** The same, about one value: named, with what would be allowed. */
  Answer isInvalid(String field) {
    isProblem(400, "invalid-value");
    assertThat(text("field")).as("field of %s", this).isEqualTo(field);
    assertThat(text("allowed")).as("allowed of %s", this).isNotBlank();
    assertThat(text("detail")).startsWith(field + " ").contains(text("allowed"));
    return this;
  }

  Answer is(int expectedStatus) {
    assertThat(status).as("status of %s", this).isEqualTo(expectedStatus);
    assertThat(header("content-type")).as("type of %s", this).isEqualTo("application/json");
    return this;
  }
}
