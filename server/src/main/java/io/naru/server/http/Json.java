package io.naru.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON in and out, strictly: one flat object in, no duplicates, nothing behind it, everything
 * small.
 */
public final class Json {

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(8)
                  .maxNameLength(64)
                  .maxNumberLength(40)
                  .maxStringLength(4_096)
                  .build())
          .build();

  private static final MathContext RATE_DIGITS = new MathContext(5);

  private Json() {}

  /** Writes into an open object. */
  @FunctionalInterface
  public interface Fields {
    void write(JsonGenerator json);
  }

  public static Buffer object(Fields fields) {
    var out = new ByteArrayOutputStream(512);
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    }
    return Buffer.buffer(out.toByteArray());
  }

  /**
   * Reads an object of single values: text, whole numbers ({@code Long}, or {@code BigInteger}
   * beyond), other numbers ({@code Double}), booleans, null. A value may also be an object of such,
   * as texts by language are, or a list of either.
   */
  public static Map<String, @Nullable Object> read(Buffer body) {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), utf8(body))) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw malformed("the body must be one JSON object");
      }
      Map<String, @Nullable Object> fields = fields(json, Json::valueOrMore);
      if (json.nextToken() != null) {
        throw malformed("there is something behind the JSON object");
      }
      return fields;
    } catch (StreamConstraintsException e) {
      throw malformed("the JSON is too deep, or a name, number or text in it too long");
    } catch (JacksonException e) {
      throw malformed("the body is not valid JSON, or names a field twice");
    }
  }

  /** The same of what operators send: of any depth and length that a body may have. */
  static Map<String, @Nullable Object> readLong(Buffer body) {
    try {
      return io.naru.queue.Json.readObject(utf8(body));
    } catch (IllegalArgumentException e) {
      throw malformed("the body is " + e.getMessage());
    }
  }

  private interface Value {
    @Nullable Object read(String name, JsonParser json);
  }

  /** The rest of an object that was begun. */
  private static Map<String, @Nullable Object> fields(JsonParser json, Value value) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      fields.put(name, value.read(name, json));
    }
    return fields;
  }

  private static @Nullable Object valueOrMore(String name, JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> within(name, json);
      case START_ARRAY -> list(name, json);
      default -> value(name, json);
    };
  }

  /** The rest of an object within another one; what is wrong in it is named by its own path. */
  private static Map<String, @Nullable Object> within(String name, JsonParser json) {
    return fields(json, (inner, value) -> value(name + "." + inner, value));
  }

  /** Left to itself, the parser also guesses UTF-16 and forgives what is not quite UTF-8. */
  private static String utf8(Buffer body) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(body.getBytes())).toString();
    } catch (CharacterCodingException e) {
      throw malformed("the body is not valid UTF-8");
    }
  }

  private static List<@Nullable Object> list(String name, JsonParser json) {
    List<@Nullable Object> list = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      String at = name + "[" + list.size() + "]";
      list.add(json.currentToken() == JsonToken.START_OBJECT ? within(at, json) : value(at, json));
    }
    return list;
  }

  private static @Nullable Object value(String name, JsonParser json) {
    return switch (json.currentToken()) {
      case VALUE_STRING -> json.getString();
      case VALUE_NUMBER_INT ->
          json.getNumberValue() instanceof Integer i ? i.longValue() : json.getNumberValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new InvalidValue(name, "a single value", "is an object or a list");
    };
  }

  /** A time as JSON has it; 0 is null. */
  public static void time(JsonGenerator json, String field, long micros) {
    if (micros == 0) {
      json.writeNullProperty(field);
    } else {
      json.writeStringProperty(field, Micros.iso(micros));
    }
  }

  /**
   * So many a second, to five digits wherever these are: one person an hour is a rate as well. In
   * plain figures, which people and patterns read more easily than exponents.
   */
  public static String rate(double perSecond) {
    return new BigDecimal(perSecond, RATE_DIGITS).stripTrailingZeros().toPlainString();
  }

  public static void rate(JsonGenerator json, String field, double perSecond) {
    json.writeName(field);
    json.writeNumber(rate(perSecond));
  }

  private static Problem.Found malformed(String detail) {
    return new Problem.Found(Problem.of(400, "malformed-json", "Malformed JSON", detail));
  }
}
