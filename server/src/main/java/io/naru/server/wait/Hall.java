package io.naru.server.wait;

import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.server.content.Content;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** A queue as its visitors see it, with the pages that were made of it. */
final class Hall {

  private final QueueId queue;
  private final Settings settings;
  private final State state;
  private final Map<Way, Content> pages;

  Hall(QueueId queue, Settings settings, State state) {
    this(queue, settings, state, new ConcurrentHashMap<>());
  }

  private Hall(QueueId queue, Settings settings, State state, Map<Way, Content> pages) {
    this.queue = queue;
    this.settings = settings;
    this.state = state;
    this.pages = pages;
  }

  /** The same hall in another state, of which the page for everybody says nothing. */
  Hall in(State other) {
    return other.equals(state) ? this : new Hall(queue, settings, other, pages);
  }

  QueueId queue() {
    return queue;
  }

  Settings settings() {
    return settings;
  }

  State state() {
    return state;
  }

  String path() {
    return path(queue);
  }

  static String path(QueueId queue) {
    return "/wait/" + queue;
  }

  String title(Language language) {
    String title = settings.look().title().in(language.tag());
    return title.isEmpty() ? language.say("page.title") : title;
  }

  static String fairPath(QueueId queue) {
    return path(queue) + "/fair";
  }

  static String placePath(QueueId queue) {
    return path(queue) + "/place";
  }

  /**
   * The page for everybody in this language; made once.
   *
   * @param way as everybody comes; its links carry on a language that was chosen
   */
  Content page(Way way, Supplier<Content> make) {
    return pages.computeIfAbsent(way, _ -> make.get());
  }
}
