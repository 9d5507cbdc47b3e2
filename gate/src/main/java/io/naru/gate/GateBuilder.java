package io.naru.gate;

import io.naru.pass.PassVerifier;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link Gate}; all but address and queue have defaults. */
public final class GateBuilder {

  /**
   * Whoever's turn is over is refused within five seconds: this, one in which Naru answers
   * everybody alike, and two for the answer.
   */
  public static final Duration DEFAULT_POLL_EVERY = Duration.ofSeconds(2);

  private static final Pattern SITE_KEY = Pattern.compile("[!-~]{1,256}");

  private final String url;
  private final String queue;
  private @Nullable String publicUrl;
  private @Nullable String audience;
  private List<String> protect = List.of("/**");
  private Duration clockSkew = PassVerifier.DEFAULT_SKEW;
  private Duration pollEvery = DEFAULT_POLL_EVERY;
  private @Nullable Duration maxKnowledgeAge;
  private boolean bindToSession;
  private @Nullable String siteKey;
  private GateListener listener = GateListener.NONE;
  private InstantSource clock = InstantSource.system();

  GateBuilder(String url, String queue) {
    this.url = url;
    this.queue = queue;
  }

  /** Naru's {@code --public-url}, if the gate reaches it at another address. */
  public GateBuilder publicUrl(String publicUrl) {
    this.publicUrl = publicUrl;
    return this;
  }

  /** The queue's setting {@code audience}, if it has one. */
  public GateBuilder audience(String audience) {
    this.audience = audience;
    return this;
  }

  /**
   * The paths that need a pass, for every method; without this, all. {@code *} stands for any part
   * of one segment, {@code **} for any number of segments: {@code /reservations/**}.
   */
  public GateBuilder protect(String... patterns) {
    this.protect = List.of(patterns);
    return this;
  }

  public GateBuilder clockSkew(Duration clockSkew) {
    this.clockSkew = clockSkew;
    return this;
  }

  public GateBuilder pollEvery(Duration pollEvery) {
    this.pollEvery = pollEvery;
    return this;
  }

  /**
   * How old the gate's knowledge of revocations and of turns that are over may be before it refuses
   * everybody, 5 s to 1 day. Without this it never does: while Naru is away, whoever has a pass
   * gets in until it ends, also if their turn is over.
   */
  public GateBuilder maxKnowledgeAge(Duration maxKnowledgeAge) {
    this.maxKnowledgeAge = maxKnowledgeAge;
    return this;
  }

  /**
   * Naru's site key, for queues whose setting {@code completedBy} is {@code SITE}. It goes to Naru
   * with the passes that {@link Gate#complete} takes there, and to nobody else.
   */
  public GateBuilder siteKey(String siteKey) {
    this.siteKey = siteKey;
    return this;
  }

  /**
   * Whether a pass counts only for the first session (of the servlet container) that brings it, so
   * that a copy is worth nothing. Costs one call to Naru per session; while Naru is away nobody new
   * gets in. Without this, whoever has a copy of a pass gets in.
   */
  public GateBuilder bindToSession(boolean bindToSession) {
    this.bindToSession = bindToSession;
    return this;
  }

  public GateBuilder listener(GateListener listener) {
    this.listener = listener;
    return this;
  }

  public GateBuilder clock(InstantSource clock) {
    this.clock = clock;
    return this;
  }

  /**
   * The gate, at work. It opens also when Naru is away, and refuses everybody until it is back.
   *
   * @throws WrongSetting naming the setting that is wrong
   */
  public Gate open() {
    return new Gate(settings(), checkedSiteKey(), listener, clock).start();
  }

  private @Nullable String checkedSiteKey() {
    if (siteKey != null && !SITE_KEY.matcher(siteKey).matches()) {
      throw new WrongSetting(
          "siteKey", "***", "Naru's site key: up to 256 letters, digits and signs, no blanks");
    }
    return siteKey;
  }

  GateSettings settings() {
    return new GateSettings(
        url,
        publicUrl == null ? url : publicUrl,
        queue,
        audience == null ? queue : audience,
        protect,
        clockSkew,
        pollEvery,
        maxKnowledgeAge,
        bindToSession);
  }
}
