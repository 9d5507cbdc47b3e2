package io.naru.gate.spring;

import io.naru.gate.WrongSetting;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A property {@code naru.gate.*} is missing, or has a value that it cannot have. */
final class WrongProperty extends RuntimeException {

  private final String property;
  private final @Nullable String value;
  private final String allowed;

  /**
   * @param value null if it is not set at all
   */
  WrongProperty(String name, @Nullable String value, String allowed) {
    super(
        "%s.%s must be %s, is %s"
            .formatted(
                NaruGateProperties.PREFIX,
                name,
                allowed,
                value == null ? "not set" : "'" + value + "'"));
    this.property = NaruGateProperties.PREFIX + "." + name;
    this.value = value;
    this.allowed = allowed;
  }

  WrongProperty(WrongSetting wrong) {
    this(kebab(wrong.setting()), wrong.value(), wrong.allowed());
    initCause(wrong);
  }

  String property() {
    return property;
  }

  @Nullable String value() {
    return value;
  }

  String allowed() {
    return allowed;
  }

  private static String kebab(String setting) {
    return setting.replaceAll("(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }
}
