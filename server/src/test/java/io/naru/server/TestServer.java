package io.naru.server;

import io.naru.journal.Feed;
import io.naru.kafka.KafkaConfig;
import io.naru.ledger.Ledger;
import io.naru.server.admission.Scheduler;
import io.naru.server.http.Cors;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.identity.UserHeader;
import io.naru.server.keys.SigningKeys;
import io.naru.server.limits.AddressLimits;
import io.naru.server.stream.Streams;
import io.naru.server.webhooks.WebhookRules;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A server in this process on free ports, and the calls that tests make all the time. */
final class TestServer implements AutoCloseable {

  static final String KEY = "the-key-of-the-tests";
  static final String SITE_KEY = "the-site-key-of-the-tests";

  /** The tests are a proxy that has made sure who its visitors are. */
  static final Naru.Visitors NAMED =
      new Naru.Visitors(
          TrustedProxies.parse("127.0.0.0/8,::1"),
          null,
          new UserHeader("User-Id"),
          null,
          Cors.NONE,
          Streams.Limits.DEFAULT,
          AddressLimits.Newcomers.DEFAULT);

  /** A Kafka that is not there, of which that is known soon. */
  static final KafkaConfig NO_KAFKA =
      new KafkaConfig(
          "127.0.0.1:1",
          "events",
          "commands",
          Map.of("default.api.timeout.ms", "1000", "request.timeout.ms", "500"));

  private final Naru naru;
  private final Client client;

  private TestServer(Naru naru) {
    this.naru = naru;
    this.client = new Client(naru.port());
  }

  /** Without a ledger. */
  static Naru.Config config(Path data, @Nullable String redis) {
    return config(data, redis, null);
  }

  static Naru.Config config(Path data, @Nullable String redis, Ledger.@Nullable Config ledger) {
    return new Naru.Config(
        0,
        "127.0.0.1",
        data,
        redis,
        ledger,
        KEY,
        SITE_KEY,
        NAMED,
        Naru.Watching.ANY_PORT,
        Scheduler.POLL,
        SigningKeys.Policy.DEFAULT);
  }

  /** As a server starts without any option. */
  static Naru.Config onSqlite(Path data) {
    String url = "jdbc:sqlite:" + data.resolve("ledger.db");
    return config(data, null, new Ledger.Config(url, null, null, false));
  }

  static TestServer onMemory(Path data) {
    return start(config(data, null));
  }

  /** On memory, for visitors who come in another way. */
  static TestServer start(Path data, Naru.Visitors visitors) {
    Naru.Config c = config(data, null);
    return start(
        new Naru.Config(
            0,
            c.bind(),
            data,
            null,
            null,
            KEY,
            SITE_KEY,
            visitors,
            c.watching(),
            c.poll(),
            c.keys()));
  }

  static TestServer start(Naru.Config config) {
    return new TestServer(Naru.start(config));
  }

  /** One that is wrong. */
  static TestServer start(Naru.Config config, Wrapping wrapping) {
    return new TestServer(Naru.start(config, InstantSource.system(), wrapping));
  }

  static TestServer start(Naru.Config config, InstantSource clock) {
    return new TestServer(Naru.start(config, clock));
  }

  static TestServer trusting(Path data, TrustedProxies proxies) {
    return start(
        data,
        new Naru.Visitors(
            proxies,
            null,
            NAMED.userHeader(),
            null,
            NAMED.origins(),
            NAMED.streams(),
            NAMED.newcomers()));
  }

  /** The same server with a Kafka behind it. */
  static Naru.Config withKafka(Naru.Config c, KafkaConfig to) {
    return new Naru.Config(
        c.port(),
        c.bind(),
        c.data(),
        c.redis(),
        c.ledger(),
        c.adminKey(),
        c.siteKey(),
        c.visitors(),
        c.watching(),
        c.poll(),
        c.keys(),
        c.coins(),
        new Naru.Outside(to, Feed.Bounds.DEFAULT, WebhookRules.DEFAULT));
  }

  /** The same server under the address that all servers of a line share. */
  static Naru.Config named(Naru.Config c, String url) {
    var all = c.visitors();
    var visitors =
        new Naru.Visitors(
            all.proxies(),
            all.site(),
            all.userHeader(),
            URI.create(url),
            all.origins(),
            all.streams(),
            all.newcomers());
    return new Naru.Config(
        c.port(),
        c.bind(),
        c.data(),
        c.redis(),
        c.ledger(),
        c.adminKey(),
        c.siteKey(),
        visitors,
        c.watching(),
        c.poll(),
        c.keys());
  }

  static TestServer withPublicUrl(Path data, String url) {
    return start(named(config(data, null), url));
  }

  void look() {
    naru.look();
  }

  int port() {
    return naru.port();
  }

  int managementPort() {
    return naru.managementPort();
  }

  Client client() {
    return client;
  }

  /**
   * @param queue as in a path: {@code SALE/1}
   */
  Answer enter(String queue, String user) {
    return client.post("/queue/" + queue + "/enter", "User-Id", user);
  }

  Answer status(String queue, String user) {
    return client.get("/queue/" + queue + "/status", "User-Id", user);
  }

  Answer statusByToken(String token) {
    return client.get("/queue/token/" + token + "/status");
  }

  Answer leave(String queue, String user) {
    return client.post("/queue/" + queue + "/leave", "User-Id", user);
  }

  Answer complete(String queue, String token) {
    return client.post("/queue/" + queue + "/complete", "Authorization", "Bearer " + token);
  }

  Answer redeem(String queue, String pass, String session) {
    return client.send(
        "POST",
        "/queue/" + queue + "/redeem",
        BodyPublishers.ofString("{\"session\":\"" + session + "\"}"),
        "Authorization",
        "Bearer " + pass,
        "Content-Type",
        "application/json");
  }

  /** The pass of somebody inside. */
  String pass(String queue, String user) {
    return status(queue, user).is(200).text("pass");
  }

  /**
   * @param settings as JSON members: {@code "maxCapacity":1}
   */
  Answer activate(String queue, String settings) {
    return admin("POST", "/admin/queue/activate", named(queue, settings));
  }

  Answer deactivate(String queue) {
    return admin("POST", "/admin/queue/deactivate", named(queue, ""));
  }

  Answer process(String queue, int count) {
    return admin("POST", "/admin/queue/process", named(queue, "\"count\":" + count));
  }

  static String named(String queue, String more) {
    int slash = queue.indexOf('/');
    return "{\"eventType\":\"%s\",\"eventId\":\"%s\"%s}"
        .formatted(
            queue.substring(0, slash),
            queue.substring(slash + 1),
            more.isEmpty() ? "" : "," + more);
  }

  /** With the admin key; an empty body is none. */
  Answer admin(String method, String path, String body, String... headers) {
    return with(KEY, method, path, body, headers);
  }

  /** The same with another key. */
  Answer with(String key, String method, String path, String body, String... headers) {
    var all = new ArrayList<>(List.of("Authorization", "Bearer " + key));
    all.addAll(List.of(headers));
    if (!body.isEmpty()) {
      all.addAll(List.of("Content-Type", "application/json"));
    }
    return client.send(
        method,
        path,
        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body),
        all.toArray(String[]::new));
  }

  Answer queue(String queue) {
    return admin("GET", "/admin/queues/" + queue, "");
  }

  Map<String, @Nullable Object> figures(String queue) {
    return queue(queue).object("figures");
  }

  @Override
  public void close() {
    client.close();
    naru.close();
  }
}
