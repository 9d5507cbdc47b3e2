package io.naru.server.wait;

import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.server.content.Content;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A queue as its visitors see it, with the pages that were made of it. */
final class Hall {

  private final QueueId queue;
  private final Settings settings;
  private final Map<Language, Content> pages = new ConcurrentHashMap<>();

  Hall(QueueId queue, Settings settings) {
    this.queue = queue;
    this.settings = settings;
  }

  QueueId queue() {
    return queue;
  }

  Settings settings() {
    return settings;
  }

  String path() {
    return path(queue);
  }

  static String path(QueueId queue) {
    return "/wait/" + queue.type() + "/" + queue.id();
  }

  String title(Language language) {
    String title = settings.look().title().in(language.tag());
    return title.isEmpty() ? language.say("page.title") : title;
  }

  /** The page for everybody; made once. */
  Content page(Language language, Function<Language, Content> make) {
    return pages.computeIfAbsent(language, make);
  }
}
