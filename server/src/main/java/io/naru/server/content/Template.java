package io.naru.server.content;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * HTML with gaps: {@code {{name}}} is filled escaped, {@code {{{name}}}} with HTML as it is. A gap
 * that nothing fills is a mistake of ours and fails.
 */
public final class Template {

  private static final Pattern GAP = Pattern.compile("\\{\\{(\\{?)([\\w.]+)}}}?");

  private final List<Part> parts = new ArrayList<>();

  private sealed interface Part {}

  private record Text(String text) implements Part {}

  private record Gap(String name, boolean isHtml) implements Part {}

  public Template(String source) {
    Matcher gap = GAP.matcher(source);
    int end = 0;
    while (gap.find()) {
      parts.add(new Text(source.substring(end, gap.start())));
      parts.add(new Gap(gap.group(2), !gap.group(1).isEmpty()));
      end = gap.end();
    }
    parts.add(new Text(source.substring(end)));
  }

  public String fill(Map<String, String> values) {
    var html = new StringBuilder(4_096);
    for (Part part : parts) {
      switch (part) {
        case Text(var text) -> html.append(text);
        case Gap(var name, var isHtml) -> {
          String value = values.get(name);
          if (value == null) {
            throw new IllegalStateException("nothing to fill " + name + " with");
          }
          html.append(isHtml ? value : escape(value));
        }
      }
    }
    return html.toString();
  }

  /** Safe as text and in quoted attributes. */
  static String escape(String text) {
    var escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c);
      }
    }
    return escaped.toString();
  }
}
