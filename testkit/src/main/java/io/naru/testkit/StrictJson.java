package io.naru.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** Reads JSON as strictly as a client may: one value, no field twice, nothing behind it. */
public final class StrictJson {

  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private StrictJson() {}

  /** An object's fields; whole numbers are {@code Integer} or {@code Long}, as they fit. */
  public static Map<String, @Nullable Object> object(String text) {
    if (read(text) instanceof Map<?, ?> fields) {
      @SuppressWarnings("unchecked")
      var object = (Map<String, @Nullable Object>) fields;
      return object;
    }
    throw new IllegalStateException("not a JSON object: " + text);
  }

  public static @Nullable Object read(String text) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == null) {
        throw new IllegalStateException("no JSON at all");
      }
      Object value = value(parser);
      if (parser.nextToken() != null) {
        throw new IllegalStateException("something is behind the JSON: " + text);
      }
      return value;
    } catch (JacksonException e) {
      throw new IllegalStateException("not JSON: " + text, e);
    }
  }

  private static @Nullable Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> fields(parser);
      case START_ARRAY -> elements(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private static Map<String, @Nullable Object> fields(JsonParser parser) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      fields.put(name, value(parser));
    }
    return fields;
  }

  private static List<@Nullable Object> elements(JsonParser parser) {
    List<@Nullable Object> elements = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      elements.add(value(parser));
    }
    return elements;
  }
}
