package io.naru.queue;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What visitors see of a queue, and where they go from it. No rule asks for any of it.
 *
 * @param title what the queue is called in front of visitors
 * @param targetUrl where the admitted go, or empty; kept as it is sent, in ASCII
 * @param color of the brand, on the waiting page; {@code #rrggbb} or empty
 * @param logoUrl of the brand's picture on the waiting page, or empty
 * @param message what the operator tells those who wait, or empty
 * @param audience whom passes are for, as the gate there is told; empty for the queue's own name
 * @param endText what is told when the queue has ended, or empty
 * @param endUrl where one can go on from there, or empty; kept as {@code targetUrl} is
 */
public record Look(
    Words title,
    String targetUrl,
    String color,
    String logoUrl,
    Words message,
    String audience,
    Words endText,
    String endUrl) {

  private static final Field<Look, Words> TITLE = Field.words("title", 200, Look::title);
  private static final Field<Look, String> TARGET_URL =
      Field.address("targetUrl", "is not an address that visitors can be sent to", Look::targetUrl);
  private static final Field<Look, String> COLOR = Field.color("color", Look::color);
  private static final Field<Look, String> LOGO_URL =
      Field.address("logoUrl", "is not the address of a picture", Look::logoUrl);
  private static final Field<Look, Words> MESSAGE = Field.words("message", 500, Look::message);
  private static final Field<Look, String> AUDIENCE = Field.text("audience", 200, Look::audience);

  private static final Field<Look, Words> END_TEXT =
      Field.words("endText", 500, Look::endText).withLedger();
  private static final Field<Look, String> END_URL =
      Field.address("endUrl", "is not an address that visitors can be sent to", Look::endUrl)
          .withLedger();

  static final List<Field<Look, ?>> FIELDS =
      List.of(TITLE, TARGET_URL, COLOR, LOGO_URL, MESSAGE, AUDIENCE, END_TEXT, END_URL);

  public static final Look DEFAULT =
      new Look(Words.NONE, "", "", "", Words.NONE, "", Words.NONE, "");

  public Look {
    TITLE.check(title);
    targetUrl = TARGET_URL.check(targetUrl);
    COLOR.check(color);
    logoUrl = LOGO_URL.check(logoUrl);
    MESSAGE.check(message);
    AUDIENCE.check(audience);
    END_TEXT.check(endText);
    endUrl = END_URL.check(endUrl);
  }

  static Look of(Map<String, ? extends @Nullable Object> values) {
    return new Look(
        TITLE.read(values),
        TARGET_URL.read(values),
        COLOR.read(values),
        LOGO_URL.read(values),
        MESSAGE.read(values),
        AUDIENCE.read(values),
        END_TEXT.read(values),
        END_URL.read(values));
  }
}
