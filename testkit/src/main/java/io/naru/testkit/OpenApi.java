package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * {@code openapi.yaml}, and as much of JSON Schema as it uses; a keyword that is not known here is
 * an error, so that nothing written there goes unchecked. Stricter than the standard in one point:
 * a field that no schema names is wrong.
 */
public final class OpenApi {

  /** What describes a value without limiting it. */
  private static final Set<String> REMARKS = Set.of("description", "example", "default");

  private static final Set<String> CHECKED =
      Set.of(
          "oneOf",
          "anyOf",
          "allOf",
          "const",
          "enum",
          "type",
          "format",
          "pattern",
          "minLength",
          "maxLength",
          "minimum",
          "maximum",
          "required",
          "properties",
          "maxProperties",
          "additionalProperties",
          "minItems",
          "maxItems",
          "items");

  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";
  private static final OpenApi SHIPPED = new OpenApi();

  /** Of paths with tokens in them there are any number. */
  private static final int MAX_KNOWN = 10_000;

  private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();

  private final Map<?, ?> root;

  /** What was found before: every answer of every test is looked at. */
  private final Map<String, Optional<Map<?, ?>>> operations = new ConcurrentHashMap<>();

  private final Map<String, Map<?, ?>> references = new ConcurrentHashMap<>();

  /** What streams send, by the name of the event. */
  private final Map<Object, Object> messages = new HashMap<>();

  private OpenApi() {
    var options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    var yaml = new Yaml(new SafeConstructor(options));
    try (var in = OpenApi.class.getResourceAsStream("/openapi.yaml")) {
      root = yaml.load(new InputStreamReader(Objects.requireNonNull(in), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    everyNode(
        node -> {
          if (node.get("x-messages") instanceof Map<?, ?> described) {
            messages.putAll(described);
          }
        });
  }

  /** The one that lies beside the sources. */
  public static OpenApi shipped() {
    return SHIPPED;
  }

  /** What is at {@code components, schemas, Entry}. */
  public Map<?, ?> at(String... path) {
    Map<?, ?> node = root;
    for (String key : path) {
      node = map(node.get(key), String.join("/", path));
    }
    return node;
  }

  public static Map<?, ?> map(@Nullable Object node, String what) {
    if (node instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalStateException(what + " is " + node);
  }

  public static List<?> list(@Nullable Object node) {
    return node instanceof List<?> list ? list : List.of();
  }

  /** The node itself, or the one that it refers to. */
  public Map<?, ?> resolve(@Nullable Object node) {
    Map<?, ?> map = map(node, "a node");
    if (map.get("$ref") instanceof String reference) {
      Map<?, ?> known = references.get(reference);
      if (known == null) {
        known = referred(reference);
        references.put(reference, known);
      }
      return known;
    }
    return map;
  }

  private Map<?, ?> referred(String reference) {
    if (!reference.startsWith("#/")) {
      throw new IllegalStateException("refers to another file: " + reference);
    }
    return resolve(at(reference.substring(2).split("/", -1)));
  }

  /** Every mapping in the document. */
  public void everyNode(Consumer<Map<?, ?>> visitor) {
    visit(root, visitor);
  }

  private static void visit(@Nullable Object node, Consumer<Map<?, ?>> visitor) {
    if (node instanceof Map<?, ?> map) {
      visitor.accept(map);
      map.values().forEach(child -> visit(child, visitor));
    } else if (node instanceof List<?> list) {
      list.forEach(child -> visit(child, visitor));
    }
  }

  // --- what was answered

  /**
   * Checks an answer: its JSON, and whether it is one that is described. What is asked of another
   * server, whose paths are not described here, needs only be JSON where it says so.
   *
   * @param path as it was asked for, with its query
   * @param type as its {@code Content-Type} says; null if there is none
   */
  public void check(String method, String path, int status, @Nullable String type, String body) {
    String media = type == null ? "" : type.split(";", 2)[0].strip();
    boolean isJson = media.equals(JSON) || media.equals(PROBLEM);
    Object value = isJson ? StrictJson.read(body) : null;
    operation(method, path)
        .map(operation -> complaint(operation, status, media, value))
        .ifPresent(
            wrong -> {
              throw new IllegalStateException(
                  "%s %s answered %d %s, but %s: %s"
                      .formatted(method, path, status, media, wrong, body));
            });
  }

  private Optional<Map<?, ?>> operation(String method, String path) {
    int query = path.indexOf('?');
    String plain = query < 0 ? path : path.substring(0, query);
    if (operations.size() > MAX_KNOWN) {
      operations.clear();
    }
    return operations.computeIfAbsent(method + " " + plain, _ -> found(method, plain));
  }

  private Optional<Map<?, ?>> found(String method, String path) {
    String[] asked = path.split("/", -1);
    return at("paths").entrySet().stream()
        .filter(entry -> matches(("" + entry.getKey()).split("/", -1), asked))
        // As servers read them: what is named wins over what is a parameter.
        .min(Comparator.comparingInt(entry -> parameters("" + entry.getKey())))
        .map(entry -> map(entry.getValue(), path).get(method.toLowerCase(Locale.ROOT)))
        .map(operation -> map(operation, path));
  }

  private static boolean matches(String[] template, String[] asked) {
    boolean same = template.length == asked.length;
    for (int i = 0; same && i < template.length; i++) {
      same = template[i].startsWith("{") || template[i].equals(asked[i]);
    }
    return same;
  }

  private static int parameters(String template) {
    return (int) template.chars().filter(c -> c == '{').count();
  }

  private @Nullable String complaint(
      Map<?, ?> operation, int status, String media, @Nullable Object value) {
    Object described = map(operation.get("responses"), "responses").get("" + status);
    Map<?, ?> content = described == null ? null : content(described);
    if (content == null || (!content.containsKey(media) && media.equals(PROBLEM))) {
      if (status < 400) {
        return "that is not described";
      }
      content = content(at("components", "responses", "Refused"));
    }
    if (content.isEmpty() && media.isEmpty()) {
      return null;
    }
    if (!content.containsKey(media)) {
      return "only " + content.keySet() + " is described";
    }
    Object schema = map(content.get(media), media).get("schema");
    boolean isJson = media.equals(JSON) || media.equals(PROBLEM);
    return schema == null || !isJson ? null : complaint(schema, value);
  }

  private Map<?, ?> content(@Nullable Object response) {
    return resolve(response).get("content") instanceof Map<?, ?> content ? content : Map.of();
  }

  /** Checks a message of a stream; no two streams have one of the same name. */
  public void checkMessage(String event, String data) {
    Object schema = messages.get(event);
    String wrong =
        schema == null ? "that is not described" : complaint(schema, StrictJson.read(data));
    if (wrong != null) {
      throw new IllegalStateException("%s, but %s: %s".formatted(event, wrong, data));
    }
  }

  // --- schemas

  /** Why a value is not what a schema says; null if it is. */
  public @Nullable String complaint(@Nullable Object schemaNode, @Nullable Object value) {
    Map<?, ?> schema = schema(schemaNode);
    String wrong = complaintAboutChoice(schema, value);
    if (wrong != null) {
      return wrong;
    }
    if (schema.containsKey("const") && !schema.get("const").equals(value)) {
      return value + " is not " + schema.get("const");
    }
    if (schema.containsKey("enum") && !list(schema.get("enum")).contains(value)) {
      return value + " is not one of " + schema.get("enum");
    }
    if (schema.get("type") instanceof String type && !isOfType(type, value)) {
      return value + " is not of type " + type;
    }
    return switch (value) {
      case String text -> complaintAboutText(schema, text);
      case Number number -> complaintAboutNumber(schema, number);
      case Map<?, ?> object -> complaintAboutObject(schema, object);
      case List<?> elements -> complaintAboutElements(schema, elements);
      case null, default -> null;
    };
  }

  private @Nullable String complaintAboutElements(Map<?, ?> schema, List<?> elements) {
    if (schema.get("minItems") instanceof Integer min && elements.size() < min) {
      return elements + " is shorter than " + min;
    }
    if (schema.get("maxItems") instanceof Integer max && elements.size() > max) {
      return elements + " is longer than " + max;
    }
    if (schema.containsKey("oneOf") || schema.containsKey("anyOf")) {
      // The one that fits has said all there is to say.
      return null;
    }
    return elements.stream()
        .map(element -> complaint(schema.get("items"), element))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private Map<?, ?> schema(@Nullable Object node) {
    Map<?, ?> schema = resolve(node);
    for (Object keyword : schema.keySet()) {
      if (!CHECKED.contains(keyword) && !REMARKS.contains(keyword)) {
        throw new IllegalStateException("nothing here checks " + keyword);
      }
    }
    return schema;
  }

  private @Nullable String complaintAboutChoice(Map<?, ?> schema, @Nullable Object value) {
    long one = fitting(schema.get("oneOf"), value);
    if (schema.containsKey("oneOf") && one != 1) {
      return one + " of the schemas fit " + value;
    }
    return schema.containsKey("anyOf") && fitting(schema.get("anyOf"), value) == 0
        ? "none of the schemas fits " + value
        : null;
  }

  private long fitting(@Nullable Object options, @Nullable Object value) {
    return list(options).stream().filter(option -> complaint(option, value) == null).count();
  }

  private static boolean isOfType(String type, @Nullable Object value) {
    return switch (type) {
      case "string" -> value instanceof String;
      case "integer" -> value instanceof Integer || value instanceof Long;
      case "number" -> value instanceof Number;
      case "boolean" -> value instanceof Boolean;
      case "object" -> value instanceof Map;
      case "array" -> value instanceof List;
      case "null" -> value == null;
      default -> throw new IllegalStateException("type " + type);
    };
  }

  private static @Nullable String complaintAboutText(Map<?, ?> schema, String text) {
    if (schema.get("pattern") instanceof String pattern
        && !PATTERNS.computeIfAbsent(pattern, Pattern::compile).matcher(text).find()) {
      return text + " does not match " + pattern;
    }
    int length = text.codePointCount(0, text.length());
    if (isBelow(schema, "minLength", BigDecimal.valueOf(length))
        || isAbove(schema, "maxLength", BigDecimal.valueOf(length))) {
      return text + " is too short or too long";
    }
    return schema.get("format") instanceof String format && !isOfFormat(format, text)
        ? text + " is no " + format
        : null;
  }

  private static boolean isOfFormat(String format, String text) {
    try {
      return switch (format) {
        case "date-time" -> !Instant.parse(text).equals(Instant.MAX);
        // Java's own is lenient: it takes letters of all alphabets.
        case "uri" -> new URI(text).isAbsolute() && text.chars().allMatch(c -> c > ' ' && c < 127);
        default -> throw new IllegalStateException("format " + format);
      };
    } catch (DateTimeParseException | URISyntaxException e) {
      return false;
    }
  }

  private static @Nullable String complaintAboutNumber(Map<?, ?> schema, Number value) {
    if (!schema.containsKey("minimum") && !schema.containsKey("maximum")) {
      return null;
    }
    var number = new BigDecimal(value.toString());
    return isBelow(schema, "minimum", number) || isAbove(schema, "maximum", number)
        ? number + " is out of range"
        : null;
  }

  private static boolean isBelow(Map<?, ?> schema, String limit, BigDecimal number) {
    return schema.get(limit) instanceof Number min
        && number.compareTo(new BigDecimal(min.toString())) < 0;
  }

  private static boolean isAbove(Map<?, ?> schema, String limit, BigDecimal number) {
    return schema.get(limit) instanceof Number max
        && number.compareTo(new BigDecimal(max.toString())) > 0;
  }

  /** Then the one that fits has said all there is to say. */
  private static boolean isChoice(Map<?, ?> schema) {
    return schema.containsKey("oneOf") || schema.containsKey("anyOf");
  }

  private @Nullable String complaintAboutObject(Map<?, ?> schema, Map<?, ?> object) {
    if (isChoice(schema)) {
      return null;
    }
    if (isAbove(schema, "maxProperties", BigDecimal.valueOf(object.size()))) {
      return object + " has too many fields";
    }
    Set<Object> unknown = new HashSet<>(object.keySet());
    String wrong = check(schema, object, unknown);
    if (wrong == null && schema.containsKey("additionalProperties")) {
      // Whatever the others are called.
      return unknown.stream()
          .map(name -> complaint(schema.get("additionalProperties"), object.get(name)))
          .filter(Objects::nonNull)
          .findFirst()
          .orElse(null);
    }
    return wrong == null && !unknown.isEmpty() ? unknown + " is not described" : wrong;
  }

  private @Nullable String check(Map<?, ?> schema, Map<?, ?> object, Set<Object> unknown) {
    for (Object required : list(schema.get("required"))) {
      if (!object.containsKey(required)) {
        return required + " is missing";
      }
    }
    for (Object part : list(schema.get("allOf"))) {
      String wrong = check(schema(part), object, unknown);
      if (wrong != null) {
        return wrong;
      }
    }
    if (schema.get("properties") instanceof Map<?, ?> properties) {
      for (var property : properties.entrySet()) {
        Object name = property.getKey();
        String wrong =
            object.containsKey(name) ? complaint(property.getValue(), object.get(name)) : null;
        if (wrong != null) {
          return name + ": " + wrong;
        }
        unknown.remove(name);
      }
    }
    return null;
  }
}
