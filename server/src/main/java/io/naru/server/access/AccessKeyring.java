package io.naru.server.access;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys;
import io.naru.access.AccessKeys.Added;
import io.naru.access.AccessKeys.Kept;
import io.naru.access.Reach;
import io.naru.access.Role;
import io.naru.queue.Actor;
import io.naru.queue.Micros;
import io.naru.queue.QueueUnavailable;
import io.naru.server.keys.Beat;
import io.naru.server.keys.SecretFiles;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access keys as this server knows them, the admin key first. Whether a key is one costs no
 * question to the store; {@link #refresh}, {@link #add}, {@link #revoke} and {@link #list} ask it,
 * which all servers share, and block.
 */
public final class AccessKeyring implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AccessKeyring.class);

  /** What is revoked on one server is to be refused everywhere before two seconds are over. */
  private static final Duration BEAT = Duration.ofSeconds(1);

  private static final long MINUTE = 60 * Micros.PER_SECOND;

  private static final String PREFIX = "naru_";

  private final @Nullable AccessKeys store;
  private final Kept admin;
  private final InstantSource clock;
  private final Beat beat = new Beat("naru-access", BEAT, this::refresh);
  private volatile List<Kept> known;
  private boolean isSilent;

  /** When keys were last used, and when that was last noted, by id. */
  private final Map<String, Long> used = new ConcurrentHashMap<>();

  private final Map<String, Long> noted = new HashMap<>();

  /**
   * A key that was just made.
   *
   * @param secret the key itself, which is shown once and not kept
   */
  public record Made(Added added, AccessKey key, String secret) {}

  /**
   * @param store null where there are no keys but the admin key
   * @throws QueueUnavailable if the store cannot be asked
   */
  public AccessKeyring(@Nullable AccessKeys store, String adminKey, InstantSource clock) {
    this.store = store;
    this.clock = clock;
    var operator =
        new AccessKey(Role.ADMIN.word(), Role.ADMIN.word(), Role.ADMIN, Reach.ALL, 0, "", 0, 0, 0);
    admin = new Kept(operator, digest(adminKey));
    known = read();
  }

  private List<Kept> read() {
    return store == null ? List.of() : List.copyOf(store.kept());
  }

  /** Begins to follow what other servers do. */
  public void start() {
    if (store != null) {
      beat.start();
    }
  }

  @Override
  public void close() {
    beat.close();
  }

  /** Whether other keys than the admin key can be kept. */
  boolean isKept() {
    return store != null;
  }

  /** The key that this is; null if it is none, or one that opens nothing any more. */
  @Nullable Kept find(String secret) {
    byte[] given = bytes(digest(secret));
    Kept found = isEqual(admin, given) ? admin : null;
    // All of them, so that it takes the same time whichever it is.
    for (Kept kept : known) {
      found = isEqual(kept, given) ? kept : found;
    }
    return found != null && found.key().isGood(now()) ? found : null;
  }

  private static boolean isEqual(Kept kept, byte[] digest) {
    return MessageDigest.isEqual(bytes(kept.digest()), digest);
  }

  private static byte[] bytes(String digest) {
    return digest.getBytes(StandardCharsets.US_ASCII);
  }

  /** The key with this id; null if there is none, or it opens nothing any more. */
  @Nullable Kept withId(String id) {
    if (id.equals(admin.key().id())) {
      return admin;
    }
    return known.stream()
        .filter(kept -> kept.key().id().equals(id) && kept.key().isGood(now()))
        .findFirst()
        .orElse(null);
  }

  /** Remembers that somebody came with this key; it is written down later. */
  void used(AccessKey key) {
    if (!key.equals(admin.key())) {
      used.put(key.id(), now());
    }
  }

  Made add(String name, Role role, Reach reach, long expiresAt, Actor by) {
    long now = now();
    String secret = PREFIX + SecretFiles.random();
    var key = new AccessKey(id(now), name, role, reach, now, by.who(), expiresAt, 0, 0);
    boolean isTaken = name.equals(admin.key().name());
    Added added = isTaken ? Added.NAME_TAKEN : kept().add(new Kept(key, digest(secret)), by);
    if (added == Added.DONE) {
      learn();
    }
    return new Made(added, key, secret);
  }

  /** In the order in which they are made. */
  private static String id(long now) {
    int random = ThreadLocalRandom.current().nextInt(1 << 16);
    return String.format(Locale.ROOT, "%013x%04x", now, random);
  }

  /** Empty if there is no such key. */
  Optional<AccessKey> revoke(String id, Actor by) {
    Optional<AccessKey> revoked = kept().revoke(id, now(), by);
    learn();
    return revoked;
  }

  List<AccessKey> list(@Nullable String after, int limit) {
    return kept().list(after, limit);
  }

  private AccessKeys kept() {
    if (store == null) {
      throw new IllegalStateException("there are no keys here but the admin key");
    }
    return store;
  }

  /** Learns what other servers did, and notes who was here. Outlives any failure. */
  public void refresh() {
    try {
      learn();
      noteUses();
      if (isSilent) {
        log.info("the access keys are read again");
      }
      isSilent = false;
    } catch (RuntimeException e) {
      if (!isSilent && !beat.isClosed()) {
        // A store that is away says so in a line; anything else is to be looked into.
        @Nullable Throwable unforeseen = e instanceof QueueUnavailable ? null : e;
        log.warn(
            "the access keys cannot be read, what is known of them goes on: {}",
            e.getMessage(),
            unforeseen);
        isSilent = true;
      }
    }
  }

  private synchronized void learn() {
    known = read();
  }

  /** At most once a minute for each key. */
  private synchronized void noteUses() {
    Map<String, Long> due = new HashMap<>();
    used.forEach(
        (id, at) -> {
          if (at - noted.getOrDefault(id, 0L) >= MINUTE) {
            due.put(id, at);
          }
        });
    if (!due.isEmpty()) {
      kept().used(due);
      noted.putAll(due);
      used.keySet().retainAll(known.stream().map(kept -> kept.key().id()).toList());
      noted.keySet().retainAll(used.keySet());
    }
  }

  long now() {
    return Micros.now(clock);
  }

  private static String digest(String secret) {
    try {
      byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
