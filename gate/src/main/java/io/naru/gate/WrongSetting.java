package io.naru.gate;

/** A setting of a gate has a value that it cannot have; nothing was opened. */
public final class WrongSetting extends IllegalArgumentException {

  private final String setting;
  private final String value;
  private final String allowed;

  /**
   * @param setting its name, as in {@link GateBuilder}
   * @param value what it is, without secrets
   * @param allowed what it may be, as the end of the sentence <em>it must be …</em>
   */
  WrongSetting(String setting, String value, String allowed) {
    super("%s must be %s, is '%s'".formatted(setting, allowed, value));
    this.setting = setting;
    this.value = value;
    this.allowed = allowed;
  }

  public String setting() {
    return setting;
  }

  public String value() {
    return value;
  }

  public String allowed() {
    return allowed;
  }
}
