package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** {@code openapi.yaml}, and as much of JSON Schema as it uses. */
final class OpenApi {

  static final Path FILE = Path.of("..", "openapi.yaml");

  private final Map<?, ?> root;

  OpenApi() {
    var options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    try {
      root = new Yaml(new SafeConstructor(options)).load(Files.readString(FILE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Map<?, ?> root() {
    return root;
  }

  /** What is at {@code components, schemas, Entry}. */
  Map<?, ?> at(String... path) {
    Map<?, ?> node = root;
    for (String key : path) {
      node = map(node.get(key), String.join("/", path));
    }
    return node;
  }

  static Map<?, ?> map(@Nullable Object node, String what) {
    assertThat(node).as(what).isInstanceOf(Map.class);
    return node instanceof Map<?, ?> map ? map : Map.of();
  }

  static List<?> list(@Nullable Object node) {
    return node instanceof List<?> list ? list : List.of();
  }

  /** The node itself, or the one that it refers to. */
  Map<?, ?> resolve(@Nullable Object node) {
    Map<?, ?> map = map(node, "a node");
    if (map.get("$ref") instanceof String reference) {
      assertThat(reference).startsWith("#/");
      return resolve(at(reference.substring(2).split("/", -1)));
    }
    return map;
  }

  /** Every mapping in the document. */
  void everyNode(Consumer<Map<?, ?>> visitor) {
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

  /**
   * Why a value is not what a schema says; null if it is. A field that no schema names is wrong.
   */
  @Nullable String complaint(@Nullable Object schemaNode, @Nullable Object value) {
    Map<?, ?> schema = resolve(schemaNode);
    for (String choice : List.of("oneOf", "anyOf")) {
      List<?> options = list(schema.get(choice));
      if (!options.isEmpty()) {
        long fitting = options.stream().filter(o -> complaint(o, value) == null).count();
        return fitting == 1 ? null : fitting + " of the schemas fit " + value;
      }
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
      case Number number -> complaintAboutNumber(schema, number.longValue());
      case Map<?, ?> object -> complaintAboutObject(schema, object);
      case List<?> elements ->
          elements.stream()
              .map(element -> complaint(schema.get("items"), element))
              .filter(c -> c != null)
              .findFirst()
              .orElse(null);
      case null, default -> null;
    };
  }

  private static boolean isOfType(String type, @Nullable Object value) {
    return switch (type) {
      case "string" -> value instanceof String;
      case "integer" -> value instanceof Integer || value instanceof Long;
      case "boolean" -> value instanceof Boolean;
      case "object" -> value instanceof Map;
      case "array" -> value instanceof List;
      case "null" -> value == null;
      default -> throw new IllegalArgumentException("type " + type);
    };
  }

  private static @Nullable String complaintAboutText(Map<?, ?> schema, String text) {
    return schema.get("pattern") instanceof String pattern
            && !Pattern.compile(pattern).matcher(text).find()
        ? text + " does not match " + pattern
        : null;
  }

  private static @Nullable String complaintAboutNumber(Map<?, ?> schema, long number) {
    boolean low = schema.get("minimum") instanceof Number min && number < min.longValue();
    boolean high = schema.get("maximum") instanceof Number max && number > max.longValue();
    return low || high ? number + " is out of range" : null;
  }

  private @Nullable String complaintAboutObject(Map<?, ?> schema, Map<?, ?> object) {
    for (Object required : list(schema.get("required"))) {
      if (!object.containsKey(required)) {
        return required + " is missing";
      }
    }
    Set<Object> unknown = new HashSet<>(object.keySet());
    String wrong = check(schema, object, unknown);
    return wrong == null && !unknown.isEmpty() ? unknown + " is not described" : wrong;
  }

  private @Nullable String check(Map<?, ?> schema, Map<?, ?> object, Set<Object> unknown) {
    for (Object part : list(schema.get("allOf"))) {
      String wrong = check(resolve(part), object, unknown);
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
