package io.naru.queue;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text for visitors, by language. One without a language, under {@link #ANY}, is for everybody
 * who finds none of their own; a text alone is that.
 *
 * @param texts by language, as {@code ko} or {@code pt-BR}; none of them empty
 */
public record Words(Map<String, String> texts) {

  /** The name of no language. */
  public static final String ANY = "";

  public static final Words NONE = new Words(Map.of());

  static final int MAX_LANGUAGES = 16;

  private static final Pattern LANGUAGE = Pattern.compile("([a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2})?");

  public Words {
    var kept = new TreeMap<>(texts);
    kept.values().removeIf(String::isEmpty);
    texts = Collections.unmodifiableMap(kept);
  }

  public static Words of(String text) {
    return new Words(Map.of(ANY, text));
  }

  public boolean isEmpty() {
    return texts.isEmpty();
  }

  /** What somebody reads who prefers this language; empty if there is nothing to read. */
  public String in(String language) {
    String own = texts.get(language);
    if (own == null && language.indexOf('-') > 0) {
      own = texts.get(language.substring(0, language.indexOf('-')));
    }
    if (own != null) {
      return own;
    }
    return texts.containsKey(ANY) ? Objects.requireNonNull(texts.get(ANY)) : otherwise();
  }

  /** A language that they may not read is better than nothing. */
  private String otherwise() {
    String english = texts.get("en");
    return english != null ? english : texts.values().stream().findFirst().orElse("");
  }

  /** As JSON has it: a text where no language is named, else an object. */
  Object plain() {
    return texts.isEmpty() || texts.keySet().equals(Map.of(ANY, "").keySet())
        ? texts.getOrDefault(ANY, "")
        : texts;
  }

  /** The inverse of {@link #plain}; null if it is none of that. */
  static @Nullable Words ofPlain(@Nullable Object given) {
    return switch (given) {
      case String text -> of(text);
      case Map<?, ?> map when areWords(map) -> new Words(cast(map));
      case null, default -> null;
    };
  }

  private static boolean areWords(Map<?, ?> map) {
    return map.size() <= MAX_LANGUAGES
        && map.entrySet().stream()
            .allMatch(
                each ->
                    each.getKey() instanceof String language
                        && LANGUAGE.matcher(language).matches()
                        && each.getValue() instanceof String);
  }

  @SuppressWarnings("unchecked") // Looked at before.
  private static Map<String, String> cast(Map<?, ?> words) {
    return (Map<String, String>) words;
  }

  @Override
  public String toString() {
    return plain().toString();
  }
}
