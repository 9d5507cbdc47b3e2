package io.naru.server.wait;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import io.naru.admission.Estimate;
import io.naru.line.InLane;
import io.naru.queue.Door;
import io.naru.queue.Fairness;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.server.content.Content;
import io.naru.server.content.Template;
import io.naru.server.content.WebFile;
import io.naru.server.entry.DrawInfo;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Shown;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes the pages. What comes from outside goes through a {@link Template} that escapes it. */
final class Pages {

  static final String HTML = "text/html; charset=utf-8";

  /** What browsers put around the page: the colour at its top, and in the dark that of the page. */
  private static final String LIGHT = "#0b6e75";

  private static final String DARK = "#0f1418";

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
  private static final Template FAIR =
      new Template("<p class=\"quiet\"><a id=\"fair\" href=\"{{url}}\">{{text}}</a></p>\n");
  private static final Template PARAGRAPH = new Template("<p>{{text}}</p>\n");
  private static final Template LOGO = new Template("<img id=\"logo\" src=\"{{url}}\" alt=\"\">");
  private static final Template ELSEWHERE =
      new Template("<a href=\"{{url}}\" lang=\"{{tag}}\" hreflang=\"{{tag}}\">{{name}}</a>\n");
  private static final Template HERE =
      new Template("<span lang=\"{{tag}}\" aria-current=\"true\">{{name}}</span>\n");
  private static final Template SHEET =
      new Template("<link rel=\"stylesheet\" href=\"{{url}}\">\n");
  private static final Template MODULE =
      new Template("<link rel=\"modulepreload\" href=\"{{url}}\">\n");
  private static final Template SCRIPT =
      new Template("<script type=\"module\" src=\"{{url}}\"></script>\n");

  private static final long SAMPLE_AHEAD = 1_203;
  private static final long SAMPLE_SECONDS = 600;

  /** The path of a page that is only looked at. */
  private static final String NOWHERE = "";

  private final Assets assets;
  private final Outlook outlook;
  private final Template frame = new Template(WebFile.text("frame.html"));
  private final Template wait = new Template(WebFile.text("wait.html"));
  private final Template place = new Template(WebFile.text("place.html"));
  private final Template fair = new Template(WebFile.text("fair.html"));
  private final Template notice = new Template(WebFile.text("notice.html"));

  Pages(Assets assets, Outlook outlook) {
    this.assets = assets;
    this.outlook = outlook;
  }

  /** The page for everybody, which finds out by itself who has opened it. */
  Content waiting(View view) {
    Hall hall = view.hall();
    Map<String, String> values = new HashMap<>(view.language().strings());
    values.put("type", hall.queue().type());
    values.put("id", hall.queue().id());
    values.put("once", Boolean.toString(hall.settings().stay().once()));
    values.put("onExpiry", hall.settings().stay().onExpiry().name());
    values.put("strings", view.language().json());
    values.put("fair", fairLink(view));
    return content(view, wait.fill(values), "", assets.scripts());
  }

  /** To what explains the order, where there is more to say than first come, first served. */
  private static String fairLink(View view) {
    Hall hall = view.hall();
    return hall.settings().isLogged()
        ? FAIR.fill(
            Map.of(
                "url",
                view.way().forEverybody().to(Hall.fairPath(hall.queue())),
                "text",
                view.language().say("fair.link")))
        : "";
  }

  /** How the order comes about, in plain words; what has happened so far its script asks for. */
  Content fair(View view) {
    Hall hall = view.hall();
    Map<String, String> values = new HashMap<>(view.language().fair());
    values.put("type", hall.queue().type());
    values.put("id", hall.queue().id());
    values.put("how", how(view.language().fair(), hall.settings()));
    values.put("back", view.way().to(hall.path()));
    values.put("strings", view.language().fairJson());
    return content(view, fair.fill(values), "fair.css", assets.fairScripts());
  }

  private static String how(Map<String, String> words, Settings settings) {
    Fairness fairness = settings.fairness();
    var said = new StringBuilder();
    if (settings.times().lobbyOpensAt().isPresent()) {
      said.append(paragraph(words, "fair.lobby", 0));
      boolean isCoin = fairness.draw() == Fairness.Draw.COIN;
      said.append(paragraph(words, isCoin ? "fair.coin" : "fair.seed", 0));
    } else {
      said.append(paragraph(words, "fair.first", 0));
    }
    if (fairness.jitterMillis() > 0) {
      said.append(paragraph(words, "fair.jitter", fairness.jitterMillis()));
    }
    if (fairness.fairWindowMillis() > 0) {
      said.append(paragraph(words, "fair.window", fairness.fairWindowMillis()));
    }
    return said.append(paragraph(words, settings.isLogged() ? "fair.log" : "fair.nolog", 0))
        .toString();
  }

  private static String paragraph(Map<String, String> words, String key, int n) {
    String text = Objects.requireNonNull(words.get(key)).replace("{n}", Integer.toString(n));
    return PARAGRAPH.fill(Map.of("text", text));
  }

  /** Somebody without a place yet, for browsers without scripts. */
  Content withoutPlace(View view, Place found, Shown shown) {
    Language language = view.language();
    DrawInfo draw = DrawInfo.of(view.hall().queue(), found.line(), outlook.drawn());
    if (!shown.isInLobby() || draw == null) {
      String state = draw == null ? "settling" : "queued";
      return notice(view, state, language.say(state + ".text"), "");
    }
    if (draw.opensAt() == 0) {
      return notice(view, "drawing", language.say("drawing.text"), "");
    }
    long micros = Math.max(0, draw.opensAt() - outlook.pauses().now());
    String time = language.duration(Math.ceilDiv(micros, Micros.PER_SECOND));
    return notice(view, "lobby", language.say("lobby.later").replace("{time}", time), "");
  }

  /** Where somebody stands, for browsers without scripts. */
  Content place(View view, Place found) {
    QueueId queue = view.hall().queue();
    LineState line = found.line();
    PausedBy paused = outlook.pauses().by(queue, line);
    Shown shown = outlook.shown(found);
    InLane lane = InLane.of(line, shown.score(), shown.ahead());
    Estimate wait = outlook.wait(queue, lane.aheadOfAll(), line, paused);
    Map<String, String> values = inLine(view.language(), shown.ahead(), lane, line, paused, wait);
    if (paused == null && outlook.lookout().isBack(found.entry().key())) {
      values.put("state", view.language().say("state.back"));
    }
    return content(view, place.fill(values));
  }

  private Map<String, String> inLine(
      Language language,
      long ahead,
      InLane lane,
      LineState line,
      @Nullable PausedBy paused,
      @Nullable Estimate wait) {
    Map<String, String> values = new HashMap<>(language.strings());
    values.put("place", language.number(ahead + 1));
    values.put("ahead", language.ahead(ahead));
    values.put("behind", language.behind(Math.max(0, lane.waiting() - ahead - 1)));
    values.put("lane", language.lane(lane));
    values.put(
        "estimate",
        wait == null
            ? language.say(paused == null ? "estimate.unknown" : "estimate.paused")
            : language.estimate(wait.lowSeconds(), wait.highSeconds()));
    values.put("state", language.say(sentence(outlook.pauses().stateOf(line), paused)));
    values.put("reason", paused == PausedBy.OPERATOR ? line.state().reason() : "");
    String time = language.duration(line.settings().stay().passTtlSeconds());
    values.put(
        "turn", language.say("turn.length").replace("{time}", time) + " " + away(language, line));
    return values;
  }

  /** What becomes of the place of somebody who closes the page. */
  private static String away(Language language, LineState line) {
    Door door = line.settings().door();
    return door.looks()
        ? language
            .say("turn.absent")
            .replace("{time}", language.duration(door.absenceGraceSeconds()))
        : language.say("turn.closed");
  }

  private static String sentence(State state, @Nullable PausedBy paused) {
    return switch (paused) {
      case OPERATOR -> "state.paused";
      case STORE -> "state.store";
      case SCHEDULE -> "state.schedule";
      case DRAW -> "state.draw";
      case STOCK -> "state.stock";
      case null -> state.entryOpen() ? "state.waiting" : "state.closed";
    };
  }

  /** The page of somebody who does not exist, in a queue that looks like any: for previews. */
  Content sample(Language language) {
    var line = new LineState(0, 2 * SAMPLE_AHEAD, 0, State.OPEN, Settings.DEFAULT);
    var hall = new Hall(new QueueId("SAMPLE", "1"), line.settings(), line.state());
    var view = new View(hall, new Way("", language, false), NOWHERE);
    var wait = new Estimate(SAMPLE_SECONDS, SAMPLE_SECONDS);
    InLane lane = InLane.of(line, 0, SAMPLE_AHEAD);
    return content(view, place.fill(inLine(language, SAMPLE_AHEAD, lane, line, null, wait)));
  }

  /**
   * What there is to say instead of a place.
   *
   * @param state as in {@code wait.js}
   * @param text in the language of the view
   * @param action what can be done about it: {@link #form}, {@link #link}, or empty
   */
  Content notice(View view, String state, String text, String action) {
    Map<String, String> values = new HashMap<>(view.language().strings());
    values.put("state", state);
    values.put("notice.title", view.language().say(state + ".title"));
    values.put("notice.text", text);
    values.put("action", action);
    values.put("reason", state.equals("closed") ? view.hall().state().reason() : "");
    return content(view, notice.fill(values));
  }

  /**
   * When people may enter.
   *
   * @param opensAt in microseconds
   * @param action as of {@link #notice}
   */
  Content early(View view, long opensAt, String action) {
    long micros = Math.max(0, opensAt - outlook.pauses().now());
    String time = view.language().duration(Math.ceilDiv(micros, Micros.PER_SECOND));
    String text = view.language().say("early.later").replace("{time}", time);
    return notice(view, "early", text, action);
  }

  /** What the operator says at the end, and where one can go on. */
  Content over(View view) {
    var look = view.hall().settings().look();
    String text = look.endText().in(view.language().tag());
    return notice(
        view,
        "over",
        text.isEmpty() ? view.language().say("over.text") : text,
        look.endUrl().isEmpty() ? "" : link(look.endUrl(), view.language().say("over.link")));
  }

  /** A button that enters. */
  static String form(String path, String text) {
    return FORM.fill(Map.of("path", path, "button", text));
  }

  static String link(String url, String text) {
    return LINK.fill(Map.of("url", url, "text", text));
  }

  private Content content(View view, String main) {
    return content(view, main, "", List.of());
  }

  /**
   * @param style a further sheet; empty for none
   * @param scripts the first of them begins, the others are what it needs
   */
  private Content content(View view, String main, String style, List<String> scripts) {
    Language language = view.language();
    Map<String, String> values = new HashMap<>(language.strings());
    var look = view.hall().settings().look();
    values.put("title", view.title());
    values.put("lang", language.tag());
    values.put("light", look.color().isEmpty() ? LIGHT : brand(look.color()).light());
    values.put("dark", DARK);
    values.put("assets", assets.folder());
    values.put("head", head(look.color(), style, scripts));
    if (view.hall().settings().times().lobbyOpensAt().isPresent()) {
      values.put("footer.text", language.say("footer.draw"));
    }
    values.put("logo", look.logoUrl().isEmpty() ? "" : LOGO.fill(Map.of("url", look.logoUrl())));
    values.put("message", look.message().in(language.tag()));
    values.put("main", main);
    values.put("languages", languages(view));
    return new Content(HTML, frame.fill(values).getBytes(UTF_8));
  }

  private static String languages(View view) {
    if (view.path().equals(NOWHERE)) {
      return "";
    }
    return Language.ALL.stream()
        .map(
            language ->
                (language.equals(view.language()) ? HERE : ELSEWHERE)
                    .fill(
                        Map.of(
                            "url", view.way().in(language).to(view.path()),
                            "tag", language.tag(),
                            "name", language.say("language.name"))))
        .collect(joining());
  }

  private static Brand brand(String color) {
    return Brand.of(color.toLowerCase(Locale.ROOT));
  }

  private String head(String color, String style, List<String> scripts) {
    var head = new StringBuilder();
    if (!style.isEmpty()) {
      head.append(SHEET.fill(url(style)));
    }
    if (!color.isEmpty()) {
      head.append(SHEET.fill(url(brand(color).file())));
    }
    if (!scripts.isEmpty()) {
      for (String script : scripts.subList(1, scripts.size())) {
        head.append(MODULE.fill(url(script)));
      }
      head.append(SCRIPT.fill(url(scripts.getFirst())));
    }
    return head.toString();
  }

  private Map<String, String> url(String file) {
    return Map.of("url", assets.folder() + "/" + file);
  }
}
