package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What a server answered, from either client.
 *
 * @param headers by lower-case name
 */
record Answer(int status, Map<String, List<String>> headers, String body) {

  private static final JsonFactory JSON = new JsonFactory();

  @Nullable String header(String name) {
    List<String> values = headers.get(name);
    return values == null ? null : String.join(", ", values);
  }

  /** The body's fields; whole numbers are {@code Integer} or {@code Long}, as they fit. */
  Map<String, @Nullable Object> json() {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), body)) {
      parser.nextToken();
      Map<String, @Nullable Object> object = object(parser);
      assertThat(parser.nextToken()).as("nothing behind the JSON of %s", this).isNull();
      return object;
    }
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

  private static Map<String, @Nullable Object> object(JsonParser parser) {
    assertThat(parser.currentToken()).isEqualTo(JsonToken.START_OBJECT);
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      fields.put(name, value(parser));
    }
    return fields;
  }

  private static @Nullable Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(parser));
        }
        yield elements;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }
}
