package io.naru.gate.spring;

import io.naru.gate.Gate;
import io.naru.gate.GateBuilder;
import io.naru.gate.GateListener;
import io.naru.gate.WrongSetting;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the application says about its gate. A name that is none of these stops the application: a
 * misspelt one would leave something unguarded.
 *
 * @param enabled Whether the gate is there at all. Without it nothing is guarded.
 * @param url Where the application reaches Naru, such as https://naru.example.
 * @param queue The queue whose passes count, such as TIMEDEAL/123.
 * @param protect Paths that need a pass, for every method; * within a segment, ** for any number of
 *     segments.
 * @param publicUrl Naru's --public-url, if visitors reach Naru at another address than the
 *     application does. The value of 'url' if left out.
 * @param audience The queue's setting of that name. The queue's name if left out.
 * @param clockSkew How far the clocks of Naru and the application may be apart.
 * @param pollEvery How often Naru is asked what is revoked and whose turn is over.
 * @param maxKnowledgeAge How old the last answer of Naru may be before everybody is refused. Any
 *     age if left out.
 * @param bindToSession Whether a pass counts only for the first session that brings it, at the cost
 *     of one call to Naru per session.
 * @param siteKey Naru's site key, for queues in which the site alone may complete.
 * @param signalKey An access key of the role 'signal'. With it Naru is told once a second how the
 *     application answers, so that a queue can follow it.
 * @param source What this application is called among those that tell of the same queue. Made up if
 *     left out.
 */
@ConfigurationProperties(prefix = NaruGateProperties.PREFIX, ignoreUnknownFields = false)
public record NaruGateProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String url,
    @Nullable String queue,
    @DefaultValue("/**") List<String> protect,
    @Nullable String publicUrl,
    @Nullable String audience,
    @DefaultValue("5s") Duration clockSkew,
    @DefaultValue("2s") Duration pollEvery,
    @Nullable Duration maxKnowledgeAge,
    @DefaultValue("false") boolean bindToSession,
    @Nullable String siteKey,
    @Nullable String signalKey,
    @Nullable String source) {

  static final String PREFIX = "naru.gate";

  /** The gate that is meant, at work. */
  Gate open(GateListener listener) {
    GateBuilder gate =
        Gate.builder(
                required("url", url, "the address of Naru, such as https://naru.example"),
                required("queue", queue, "the name of a queue, such as TIMEDEAL/123"))
            .protect(protect.toArray(String[]::new))
            .clockSkew(clockSkew)
            .pollEvery(pollEvery)
            .bindToSession(bindToSession)
            .listener(listener);
    if (publicUrl != null) {
      gate.publicUrl(publicUrl);
    }
    if (audience != null) {
      gate.audience(audience);
    }
    if (maxKnowledgeAge != null) {
      gate.maxKnowledgeAge(maxKnowledgeAge);
    }
    if (siteKey != null) {
      gate.siteKey(siteKey);
    }
    if (signalKey != null) {
      gate.signalKey(signalKey);
    }
    if (source != null) {
      gate.source(source);
    }
    try {
      return gate.open();
    } catch (WrongSetting wrong) {
      throw new WrongProperty(wrong);
    }
  }

  private static String required(String name, @Nullable String value, String allowed) {
    if (value == null || value.isBlank()) {
      throw new WrongProperty(name, value, allowed);
    }
    return value;
  }
}
