package io.naru.queue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Settings as one text, which ledgers and copies keep and nobody between looks into: a JSON object.
 * What is missing in it has its default. What is not known here was set by a later version; it is
 * kept as it is, and means nothing until that version is back.
 *
 * <p>The same text is read with every place that is asked for, so the last ones are remembered.
 */
final class SettingsText {

  private static final int REMEMBERED = 1_024;

  /** By hash; two texts that share a slot put each other out, which costs time and nothing else. */
  private static final AtomicReferenceArray<@Nullable Read> LAST =
      new AtomicReferenceArray<>(REMEMBERED);

  private record Read(String text, Settings settings) {}

  private SettingsText() {}

  static String write(Settings settings) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(settings.asMap());
    all.putAll(settings.others());
    return Json.write(all);
  }

  static Settings read(String text) {
    int slot = Math.floorMod(text.hashCode(), REMEMBERED);
    Read last = LAST.get(slot);
    if (last != null && last.text.equals(text)) {
      return last.settings;
    }
    var settings = Settings.DEFAULT.merged(Json.readObject(text));
    LAST.set(slot, new Read(text, settings));
    return settings;
  }
}
