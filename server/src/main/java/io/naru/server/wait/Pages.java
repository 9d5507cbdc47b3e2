package io.naru.server.wait;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.server.content.Content;
import io.naru.server.content.Template;
import io.naru.server.content.WebFile;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Makes the pages. What comes from outside goes through a {@link Template} that escapes it. */
final class Pages {

  static final String HTML = "text/html; charset=utf-8";

  private static final Template FORM =
      new Template(
          """
          <form id="enter-form" class="actions" method="post" action="{{path}}">
          <button type="submit" class="primary">{{button}}</button>
          </form>
          """);
  private static final Template LINK =
      new Template(
          "<p class=\"actions\"><a id=\"go\" class=\"primary\" href=\"{{url}}\">{{text}}</a></p>\n");
  private static final Template LOGO = new Template("<img id=\"logo\" src=\"{{url}}\" alt=\"\">");
  private static final Template MESSAGE =
      new Template("<p id=\"message\" class=\"message\">{{message}}</p>\n");
  private static final Template SHEET =
      new Template("<link rel=\"stylesheet\" href=\"{{url}}\">\n");
  private static final Template MODULE =
      new Template("<link rel=\"modulepreload\" href=\"{{url}}\">\n");
  private static final Template SCRIPT =
      new Template("<script type=\"module\" src=\"{{url}}\"></script>\n");

  private static final long SAMPLE_AHEAD = 1_203;
  private static final long SAMPLE_SECONDS = 600;

  private final Assets assets;
  private final Template frame = new Template(WebFile.text("frame.html"));
  private final Template wait = new Template(WebFile.text("wait.html"));
  private final Template place = new Template(WebFile.text("place.html"));
  private final Template notice = new Template(WebFile.text("notice.html"));

  Pages(Assets assets) {
    this.assets = assets;
  }

  /** The page for everybody, which finds out by itself who has opened it. */
  Content waiting(Hall hall, Language language) {
    Map<String, String> values = values(hall, language);
    values.put("type", hall.queue().type());
    values.put("id", hall.queue().id());
    values.put("once", Boolean.toString(hall.settings().stay().once()));
    values.put("onExpiry", hall.settings().stay().onExpiry().name());
    values.put("strings", language.json());
    return content(hall, language, wait.fill(values), true);
  }

  /** Where somebody stands, for browsers without scripts. */
  Content place(Hall hall, Language language, Place found) {
    Map<String, String> values = values(hall, language);
    values.put("place", language.number(found.position()));
    values.put("ahead", language.ahead(found.ahead()));
    boolean active = !found.line().state().admissionPaused();
    values.put(
        "estimate",
        active
            ? language.estimate(found.estimatedWaitSeconds())
            : language.say("estimate.unknown"));
    values.put("state", language.say(active ? "refresh.text" : "state.paused"));
    return content(hall, language, place.fill(values), false);
  }

  /** The page of somebody who does not exist, in a queue that looks like any: for previews. */
  Content sample(Language language) {
    Hall hall = new Hall(new QueueId("SAMPLE", "1"), Settings.DEFAULT);
    Map<String, String> values = values(hall, language);
    values.put("place", language.number(SAMPLE_AHEAD + 1));
    values.put("ahead", language.ahead(SAMPLE_AHEAD));
    values.put("estimate", language.estimate(SAMPLE_SECONDS));
    values.put("state", language.say("state.waiting"));
    return content(hall, language, place.fill(values), false);
  }

  /**
   * What there is to say instead of a place.
   *
   * @param state as in {@code wait.js}
   * @param text the key of the text
   * @param action what can be done about it: {@link #form}, {@link #link}, or empty
   */
  Content notice(Hall hall, Language language, String state, String text, String action) {
    Map<String, String> values = values(hall, language);
    values.put("state", state);
    values.put("notice.title", language.say(state + ".title"));
    values.put("notice.text", language.say(text));
    values.put("action", action);
    return content(hall, language, notice.fill(values), false);
  }

  /** A button that enters. */
  static String form(String path, String text) {
    return FORM.fill(Map.of("path", path, "button", text));
  }

  static String link(String url, String text) {
    return LINK.fill(Map.of("url", url, "text", text));
  }

  private Content content(Hall hall, Language language, String main, boolean isLive) {
    Map<String, String> values = values(hall, language);
    var settings = hall.settings();
    values.put("lang", language.tag());
    values.put("assets", assets.folder());
    values.put("head", head(settings.look().color(), isLive));
    values.put(
        "logo",
        settings.look().logoUrl().isEmpty()
            ? ""
            : LOGO.fill(Map.of("url", settings.look().logoUrl())));
    String message = settings.look().message().in(language.tag());
    values.put("message", message.isEmpty() ? "" : MESSAGE.fill(Map.of("message", message)));
    values.put("main", main);
    return new Content(HTML, frame.fill(values).getBytes(UTF_8));
  }

  private static Map<String, String> values(Hall hall, Language language) {
    Map<String, String> values = new HashMap<>(language.strings());
    values.put("title", hall.title(language));
    return values;
  }

  private String head(String color, boolean isLive) {
    var head = new StringBuilder();
    if (!color.isEmpty()) {
      head.append(SHEET.fill(url(Brand.of(color.toLowerCase(Locale.ROOT)).file())));
    }
    if (isLive) {
      for (String script : assets.scripts().subList(1, assets.scripts().size())) {
        head.append(MODULE.fill(url(script)));
      }
      head.append(SCRIPT.fill(url(assets.scripts().getFirst())));
    }
    return head.toString();
  }

  private Map<String, String> url(String file) {
    return Map.of("url", assets.folder() + "/" + file);
  }
}
