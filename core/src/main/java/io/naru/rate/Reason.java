package io.naru.rate;

import java.util.Locale;

/** Why a rate is what it is. */
public enum Reason {
  /** Nothing was said about the site yet. */
  STARTED("nothing has been said about the site yet"),
  /** All is well. */
  RAISED("the site is well"),
  /** All is well, but what is allowed is not used. */
  UNUSED("the site is well, and fewer are inside than may be"),
  /** Neither well nor slow. */
  HELD("the site is neither quick nor slow"),
  /** Not slow yet, but on the way. */
  EASED("the site gets slower"),
  /** The site is slow, or fails. */
  CUT("the site is slow or fails"),
  /** It is slow, and a cut is under way. */
  WAITING("the site is slow, and the last cut still works"),
  /** Nobody has said anything lately. */
  SILENT("nothing was said about the site for 5 s"),
  /** Nobody has said anything for long. */
  LOST("nothing was said about the site for 30 s");

  private final String text;

  Reason(String text) {
    this.text = text;
  }

  /** For people, in English. */
  public String text() {
    return text;
  }

  /** As JSON and stores say it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Reason of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
