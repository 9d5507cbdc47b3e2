package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.gateway.Gateway;
import io.naru.gateway.Rule;
import io.naru.gateway.RuleSet;
import io.naru.net.Networks;
import io.naru.server.http.Cors;
import io.naru.server.identity.SiteSigner;
import io.naru.server.identity.SiteTokens;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.identity.UserHeader;
import io.naru.server.limits.AddressLimits;
import io.naru.server.stream.Streams;
import io.naru.testkit.EventStream;
import io.naru.testkit.EventStream.Event;
import io.naru.testkit.PlainSite;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attacks on Naru that come through a gateway: it must not take away what Naru refuses by, nor
 * stand for all its visitors. Those on the gateway itself are in its own module.
 */
class GatewayAttacksTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String SETTINGS =
      "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600,\"newPlacesPerMinute\":0";
  private static final int STREAMS_PER_ADDRESS = 60;

  private static int queues;

  @TempDir private static Path data;
  private static TestServer server;
  private static PlainSite site;
  private static Gateway gateway;
  private static Client visitor;

  private final String queue = "SALE/g" + queues++;
  private final String enter = "/queue/" + queue + "/enter";

  @BeforeAll
  static void start() throws Exception {
    var tokens =
        new SiteTokens.Config(
            SiteSigner.ISSUER,
            SiteSigner.AUDIENCE,
            null,
            SiteSigner.SECRET,
            "shop-session",
            "sub",
            "tier");
    server =
        TestServer.start(
            data,
            new Naru.Visitors(
                TrustedProxies.parse("127.0.0.0/8,::1"),
                tokens,
                new UserHeader("User-Id"),
                null,
                Cors.NONE,
                new Streams.Limits(1_000, STREAMS_PER_ADDRESS),
                AddressLimits.Newcomers.DEFAULT));
    site = PlainSite.open();
    var rule =
        new Rule(List.of("/checkout/**"), "SALE/g0", null, List.of(), Rule.COMPLETE_HEADER, null);
    gateway =
        Gateway.start(
            new Gateway.Settings(
                "127.0.0.1",
                0,
                URI.create("http://127.0.0.1:" + server.port()),
                null,
                null,
                new RuleSet(site.uri(), List.of(rule)),
                null,
                null,
                "shop-session",
                false,
                List.of(),
                null,
                Networks.SAME_MACHINE,
                Gateway.Limits.DEFAULT,
                Gateway.Watching.NONE));
    visitor = new Client(gateway.port());
  }

  @AfterAll
  static void stop() {
    visitor.close();
    gateway.close();
    site.close();
    server.close();
  }

  @BeforeEach
  void open() {
    server.activate(queue, SETTINGS).is(201);
    server.enter(queue, "first").is(201);
    await().until(() -> server.status(queue, "first").text("status").equals("ENTERED"));
  }

  private String stream(String token) {
    return "/queue/" + queue + "/subscribe/" + token;
  }

  /** Attack 3. */
  @Test
  void attack3_oneVisitorInFiftyTabs_hasOnePlace_andTheNewestStreams() throws Exception {
    Answer first = visitor.post(enter).is(201);
    String token = first.text("entryToken");
    String cookie = requireNonNull(first.header("set-cookie")).split(";", 2)[0];
    List<CompletableFuture<Answer>> tabs = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      tabs.add(visitor.postAsync(enter, "Cookie", cookie));
    }
    for (CompletableFuture<Answer> tab : tabs) {
      assertThat(tab.get().isProblem(409, "S802").object("entry"))
          .containsEntry("entryToken", token);
    }
    assertThat(server.figures(queue)).containsEntry("joined", 2);

    List<EventStream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        streams.add(EventStream.open(gateway.port(), stream(token)));
        assertThat(streams.getLast().status()).isEqualTo(200);
      }
      for (EventStream older : streams.subList(0, 48)) {
        assertThat(farewell(older).data()).isEqualTo("{\"reason\":\"replaced\"}");
        assertThat(older.ends(PATIENCE)).isTrue();
      }
      for (EventStream newer : streams.subList(48, 50)) {
        assertThat(requireNonNull(newer.next(PATIENCE)).name()).isEqualTo("queue-status");
      }
    } finally {
      streams.forEach(EventStream::close);
    }
  }

  private static Event farewell(EventStream stream) throws InterruptedException {
    Event event = requireNonNull(stream.next(PATIENCE));
    while (!event.name().equals("reconnect")) {
      event = requireNonNull(stream.next(PATIENCE));
    }
    return event;
  }

  /** Attack 4: neither by a field, nor by a token that the site did not make for here. */
  @Test
  void attack4_fieldsAndTokensThatDoNotCount_areRefused() throws IOException {
    for (String field : List.of("score", "lane", "status")) {
      say("Content-Type: application/json\n", "{\"%s\":1}".formatted(field).getBytes(UTF_8))
          .isInvalid(field);
    }
    SiteSigner ann = SiteSigner.ann(Instant.now());
    for (String token :
        List.of(
            ann.unsigned("none"),
            SiteSigner.ann(Instant.now()).shared("another-secret-of-thirty-two-bytes"),
            SiteSigner.ann(Instant.now())
                .claim("iss", "https://evil.example")
                .shared(SiteSigner.SECRET),
            SiteSigner.ann(Instant.now()).claim("aud", "another").shared(SiteSigner.SECRET),
            SiteSigner.ann(Instant.now()).claim("queue", "SALE/other").shared(SiteSigner.SECRET),
            "x.y.z")) {
      visitor
          .post(enter, "Authorization", "Bearer " + token)
          .isProblem(401, "identity-not-trusted");
      visitor
          .post(enter, "Cookie", "a=b; shop-session=" + token)
          .isProblem(401, "identity-not-trusted");
    }
    assertThat(server.figures(queue)).containsEntry("joined", 1);
    String good = SiteSigner.ann(Instant.now()).shared(SiteSigner.SECRET);
    visitor.post(enter, "Authorization", "Bearer " + good).is(201);
    assertThat(server.status(queue, "ann").is(200).number("position")).isEqualTo(1);
  }

  /** Attack 12: each address has its own streams, and no other is in its way. */
  @Test
  void attack12_streamsOfOneAddress_areFew_andOthersHaveTheirs() {
    List<EventStream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < STREAMS_PER_ADDRESS; i++) {
        streams.add(watch("2001:db8:1:2::" + Integer.toHexString(i)));
        assertThat(streams.getLast().status()).isEqualTo(200);
      }
      EventStream oneMore = watch("2001:db8:1:2:ffff::1");
      streams.add(oneMore);
      assertThat(oneMore.status()).isEqualTo(503);
      assertThat(Integer.parseInt(oneMore.header("retry-after"))).isBetween(3, 8);
      streams.add(watch("2001:db8:1:3::1"));
      assertThat(streams.getLast().status()).isEqualTo(200);
    } finally {
      streams.forEach(EventStream::close);
    }
  }

  private EventStream watch(String address) {
    String token = visitor.post(enter, "X-Forwarded-For", address).is(201).text("entryToken");
    return EventStream.open(gateway.port(), stream(token), "X-Forwarded-For", address);
  }

  private Answer say(String headers, byte[] body) throws IOException {
    String head = "POST %s HTTP/1.1\nHost: shop\n".formatted(enter) + headers;
    try (var http = new RawHttp(gateway.port())) {
      http.send(head + "Content-Length: " + body.length + "\n\n").send(body);
      return http.answer();
    }
  }

  /** Attack 13. */
  @ParameterizedTest
  @MethodSource("io.naru.server.HostileInputTest#bombs")
  void attack13_jsonBombs_are400(String json, Charset charset) throws IOException {
    say("Content-Type: application/json\n", json.getBytes(charset))
        .isProblem(400, "malformed-json");
  }

  @Test
  void attack13_bodiesThatAreTooLarge_orNotJson_areRefused() throws IOException {
    byte[] large = "{\"a\":1%s}".formatted(" ".repeat(16_384)).getBytes(UTF_8);
    say("Content-Type: application/json\n", large).isProblem(413, "body-too-large");
    try (var http = new RawHttp(gateway.port())) {
      http.send(
          "POST %s HTTP/1.1\nHost: shop\nContent-Type: application/json\nTransfer-Encoding: chunked\n\n"
              .formatted(enter));
      for (int i = 0; i < 20; i++) {
        http.send("400\n" + " ".repeat(1_024) + "\n");
      }
      http.send("0\n\n");
      http.answer().isProblem(413, "body-too-large");
    }
    for (String headers :
        List.of(
            "Content-Type: application/json\nContent-Encoding: gzip\n",
            "Content-Type: text/plain\n",
            "Content-Type: application/x-www-form-urlencoded\n")) {
      say(headers, "{}".getBytes(UTF_8)).isProblem(415, "unsupported-media-type");
    }
  }

  /** Attack 17: the way back leads nowhere else. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "//evil.example",
        "%2F%2Fevil.example",
        "/%5Cevil.example",
        "https://evil.example",
        "https://shop@evil.example",
        "javascript:alert(1)",
        "%2F%09%2Fevil.example"
      })
  void attack17_wayBackToElsewhere_is400(String back) throws IOException {
    for (String path : List.of("/wait/" + queue, "/wait/" + queue + "/place")) {
      String target = path + "?return=" + back;
      try (var http = new RawHttp(gateway.port())) {
        http.send("GET " + target + " HTTP/1.1\nHost: shop\nAccept: text/html\n\n");
        Answer answer = http.answer();
        assertThat(answer.status()).as(target).isEqualTo(400);
        assertThat(answer.header("location")).isNull();
      }
    }
  }
}
