package io.naru.gate;

import io.naru.pass.PassVerifier;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link Gate}; all but address and queue have defaults. */
public final class GateBuilder {

  /**
   * Whoever's turn is over is refused within five seconds: this, one in which Naru answers
   * everybody alike, and two for the answer.
   */
  public static final Duration DEFAULT_POLL_EVERY = Duration.ofSeconds(2);

  private static final Pattern KEY = Pattern.compile("[!-~]{1,256}");

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
  private @Nullable String signalKey;
  private @Nullable String source;
  private boolean neverWaits;
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
   * An access key of the role {@code signal}. With it the gate tells Naru once a second how quickly
   * the application answers and how often it fails, which a queue that is {@code adaptive} follows.
   */
  public GateBuilder signalKey(String signalKey) {
    this.signalKey = signalKey;
    return this;
  }

  /**
   * What this application is called among those that tell of the same queue: 1..64 letters, digits
   * and {@code . _ -}, another one in each process. Without this it is made up.
   */
  public GateBuilder source(String source) {
    this.source = source;
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

  /**
   * For event loops: {@link Gate#check} asks Naru for a key that it does not know aside, and
   * refuses until it is there. Without this one call in half a minute may wait for that, two
   * seconds at most.
   */
  public GateBuilder neverWaits() {
    this.neverWaits = true;
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
    var keys =
        new Gate.Keys(
            checked("siteKey", siteKey, "Naru's site key"),
            checked("signalKey", signalKey, "an access key of the role signal"));
    return new Gate(settings(), keys, listener, clock, neverWaits).start();
  }

  private static @Nullable String checked(String name, @Nullable String key, String what) {
    if (key != null && !KEY.matcher(key).matches()) {
      throw new WrongSetting(
          name, "***", what + ": up to 256 letters, digits and signs, no blanks");
    }
    return key;
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
        bindToSession,
        source == null ? "gate-" + UUID.randomUUID().toString().substring(0, 8) : source);
  }
}
