package io.naru.e2e.concert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import io.naru.testkit.ServerProcess;
import io.naru.testkit.SpringProcess;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Naru on Redis and PostgreSQL, and the shop on a database of its own beside Naru's. Both may be
 * killed and started again; Naru keeps its port, which the shop knows.
 */
final class Evening implements AutoCloseable {

  private static final Path NARU = Path.of("..", "server", "target", "naru.jar");
  private static final Path SHOP = Path.of("..", "examples", "concert", "target", "concert.jar");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String KEY = "the-key-of-the-tests";
  private static final Pattern RATE = Pattern.compile("\"ratePerSecond\":([0-9.]+)");

  private final PostgresServer postgres = PostgresServer.shared();
  private final String ledger = postgres.fresh();
  private final String sales = postgres.fresh();
  private final Path data;
  private final RedisServer redis;
  private ServerProcess naru;
  private final int port;
  private SpringProcess shop;

  /**
   * @param data for what Naru keeps on disk
   */
  Evening(Path data) {
    assertThat(NARU).as("Naru, built by ./naru test or ./mvnw verify").exists();
    assertThat(SHOP).as("the shop, built by ./naru test or ./mvnw verify").exists();
    this.data = data;
    redis = RedisServer.start(RedisBinary.embedded());
    naru = launchNaru(0);
    port = naru.port();
    shop = launchShop();
  }

  /**
   * An empty line and an empty hall, and everything running.
   *
   * @param settings of the concert's queue, as JSON fields
   */
  void begin(String settings) {
    if (!naru.isAlive()) {
      startNaru();
    }
    for (String queue : List.of("CONCERT/1", "CONCERT/2")) {
      admin("DELETE", "/admin/queues/" + queue + "?confirm=" + queue, "");
    }
    // A new one has seen none of them.
    if (!shop.isAlive()) {
      startShop();
    }
    execute(sales, "TRUNCATE completions, reservations");
    activate("1", settings);
    await("the shop's gate is open").atMost(PATIENCE).until(() -> healthOfShop() == 200);
  }

  private int healthOfShop() {
    return Http.get(shop.port(), "/actuator/health").status();
  }

  private ServerProcess launchNaru(int onPort) {
    var options = new ArrayList<>(ServerProcess.NAMED_VISITORS);
    options.addAll(
        List.of(
            "--port", "" + onPort,
            "--data", data.toString(),
            "--redis", redis.uri(),
            "--ledger", ledger,
            "--ledger-user", postgres.user(),
            "--ledger-password", postgres.password(),
            "--admin-key", KEY));
    return ServerProcess.start(
        NARU, List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), options);
  }

  private SpringProcess launchShop() {
    return SpringProcess.start(
        SHOP,
        List.of(
            "--naru.gate.url=http://127.0.0.1:" + port,
            "--naru.gate.signal-key=" + KEY,
            "--spring.datasource.url=" + sales,
            "--spring.datasource.username=" + postgres.user(),
            "--spring.datasource.password=" + postgres.password()));
  }

  void killNaru() {
    naru.kill();
  }

  void startNaru() {
    naru = launchNaru(port);
  }

  /**
   * What the shop could not tell is told with its next look, instead of up to half a minute later.
   */
  void hurryRelay() {
    execute(sales, "UPDATE completions SET due_at = 0");
  }

  void killShop() {
    shop.kill();
  }

  void startShop() {
    shop.close();
    shop = launchShop();
  }

  int naruPort() {
    return port;
  }

  int shopPort() {
    return shop.port();
  }

  Visitor visitor(String user) {
    return new Visitor(this, user, "CONCERT/1");
  }

  /** Somebody in the line of another concert. */
  Visitor elsewhere(String user) {
    activate("2", "\"maxCapacity\":10");
    return new Visitor(this, user, "CONCERT/2");
  }

  private void activate(String id, String settings) {
    String body = "{\"eventType\":\"CONCERT\",\"eventId\":\"%s\",%s}".formatted(id, settings);
    Reply reply = admin("POST", "/admin/queue/activate", body);
    assertThat(reply.status()).as(reply.body()).isEqualTo(201);
  }

  /** Changes settings of the concert's queue. */
  void change(String settings) {
    Reply reply = admin("PUT", "/admin/queues/CONCERT/1", "{" + settings + "}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  /** Says what is left, and what somebody holds. */
  void push(int version, int remaining, int held) {
    Reply reply =
        admin(
            "POST",
            "/admin/queue/stock",
            "{\"eventType\":\"CONCERT\",\"eventId\":\"1\",\"version\":%d,\"pools\":[{\"name\":\"seats\",\"remaining\":%d,\"held\":%d}]}"
                .formatted(version, remaining, held));
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  void rotateKeys() {
    Reply reply = admin("POST", "/admin/keys/rotate", "");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  void revokeKey(String kid) {
    Reply reply = admin("POST", "/admin/keys/revoke", "{\"kid\":\"" + kid + "\"}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  /** One of the queue's figures, such as {@code inside}. */
  long figure(String name) {
    return admin("GET", "/admin/queues/CONCERT/1", "").number(name);
  }

  /**
   * The rates of the concert's queue, second by second, and the one that it has now as the last.
   */
  List<Double> rates() {
    String all = admin("GET", "/admin/queues/CONCERT/1/rate", "").body();
    List<Double> rates = new ArrayList<>();
    RATE.matcher(all.substring(all.indexOf("\"history\"")))
        .results()
        .forEach(result -> rates.add(Double.parseDouble(result.group(1))));
    Matcher now = RATE.matcher(all);
    assertThat(now.find()).as(all).isTrue();
    rates.add(Double.parseDouble(now.group(1)));
    return rates;
  }

  /** Lets the shop read its sales for a moment now and then only, until that is closed. */
  Busy busySales() {
    return new Busy(postgres, sales);
  }

  private Reply admin(String method, String path, String json) {
    return Http.send(port, method, path, json, "Authorization", "Bearer " + KEY);
  }

  /** Asks the shop's database; each row's values with spaces between. */
  List<String> sales(String sql) {
    return query(sales, sql);
  }

  /**
   * Everybody who was or is in the concert's queue, each as {@code user STATUS}: Naru's last word.
   */
  List<String> entries() {
    return query(
        ledger,
        """
        SELECT user_id, status FROM queue_entries
        WHERE queue_id = (SELECT id FROM waiting_queues WHERE event_type = 'CONCERT' AND event_id = '1')
        """);
  }

  private void execute(String url, String sql) {
    try (var connection = postgres.connect(url);
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private List<String> query(String url, String sql) {
    try (var connection = postgres.connect(url);
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      var result = new ArrayList<String>();
      while (rows.next()) {
        var values = new ArrayList<String>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          values.add(rows.getString(i));
        }
        result.add(String.join(" ", values));
      }
      return result;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  @Override
  public void close() {
    shop.close();
    naru.close();
    redis.close();
  }
}
