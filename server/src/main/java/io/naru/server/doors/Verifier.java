package io.naru.server.doors;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Somebody outside who says whether a visitor is a person. */
public interface Verifier {

  /** What it says. */
  enum Verdict {
    GOOD,
    BAD,
    /** It could not be asked, or said nothing that makes sense. */
    DOWN,
    /** Too many are being asked about at once. */
    BUSY
  }

  /**
   * What the page needs of it.
   *
   * @param siteKey public, what it knows this site by
   * @param script address of the script that shows it
   * @param origins whose scripts and frames it consists of
   */
  record Shown(String siteKey, String script, List<String> origins) {}

  Shown shown();

  /**
   * @param response what its script gave the visitor's browser
   */
  CompletionStage<Verdict> verify(String response);
}
