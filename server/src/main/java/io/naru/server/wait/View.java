package io.naru.server.wait;

/**
 * A hall, as somebody sees it on one of its pages.
 *
 * @param path of the page
 */
record View(Hall hall, Way way, String path) {

  Language language() {
    return way.language();
  }

  String title() {
    return hall.title(language());
  }
}
