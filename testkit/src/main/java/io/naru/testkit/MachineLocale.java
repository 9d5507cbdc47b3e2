package io.naru.testkit;

import java.util.Locale;

/**
 * Another locale for this JVM, until it is closed. In some, {@code %d} writes digits that no
 * program reads: {@code fa-IR}, {@code ar-EG}, {@code bn-BD}.
 */
public final class MachineLocale implements AutoCloseable {

  private final Locale before = Locale.getDefault();

  public MachineLocale(String tag) {
    Locale.setDefault(Locale.forLanguageTag(tag));
  }

  @Override
  public void close() {
    Locale.setDefault(before);
  }
}
