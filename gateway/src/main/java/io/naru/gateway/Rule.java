package io.naru.gateway;

import io.naru.gate.GateSettings;
import io.naru.gate.PathRules;
import io.naru.gate.WrongSetting;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which paths need a pass of which queue, as somebody wrote it down.
 *
 * @param protect patterns, as {@link io.naru.gate.GateBuilder#protect}
 * @param queue such as {@code TIMEDEAL/123}
 * @param audience the queue's setting of that name; null for none
 * @param complete patterns of the paths whose good answer ends a turn; may be empty
 * @param completeHeader in which the site's answer says that a turn is over
 * @param origin the site behind, if it is another one than for the rest; null if not
 */
public record Rule(
    List<String> protect,
    String queue,
    @Nullable String audience,
    List<String> complete,
    String completeHeader,
    @Nullable URI origin) {

  public static final String COMPLETE_HEADER = "Naru-Complete";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,63}");

  public Rule {
    protect = List.copyOf(protect);
    complete = List.copyOf(complete);
    if (!NAME.matcher(completeHeader).matches()) {
      throw new IllegalArgumentException(
          "complete-header must be the name of a header, is '%s'".formatted(completeHeader));
    }
    if (origin != null) {
      checkOrigin("origin", origin);
    }
    GateSettings.checkQueue(queue);
    PathRules.check(protect);
    if (!complete.isEmpty()) {
      checkComplete(complete);
    }
  }

  private static void checkComplete(List<String> patterns) {
    try {
      PathRules.check(patterns);
    } catch (WrongSetting e) {
      throw new IllegalArgumentException(
          "complete must be %s, is '%s'".formatted(e.allowed(), e.value()), e);
    }
  }

  /**
   * @param name what it is called where it was given
   */
  static void checkOrigin(String name, URI origin) {
    boolean isSite =
        ("http".equals(origin.getScheme()) || "https".equals(origin.getScheme()))
            && origin.getHost() != null
            && origin.getRawUserInfo() == null
            && (origin.getRawPath().isEmpty() || origin.getRawPath().equals("/"))
            && origin.getRawQuery() == null
            && origin.getRawFragment() == null;
    if (!isSite) {
      throw new IllegalArgumentException(
          name + " must be scheme, host and perhaps port, as http://10.0.0.7:8080");
    }
  }
}
