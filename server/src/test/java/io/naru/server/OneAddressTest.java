package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The address that a link to one's place has, where a proxy has page and site at one. */
class OneAddressTest {

  private static final String PATH = "/queue/TIMEDEAL/1";
  private static final String OURS = "https://queue.example";

  @TempDir private Path data;
  private TestServer server;
  private String token;

  @BeforeEach
  void enter() {
    server = TestServer.withPublicUrl(data, OURS);
    server.activate("TIMEDEAL/1", "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
    // Whoever is inside has a pass, and no place to take along.
    server.enter("TIMEDEAL/1", "inside").is(201);
    token = server.client().post(PATH + "/enter").is(201).text("entryToken");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String link(String host) throws IOException {
    String head =
        """
        POST %s/handoff HTTP/1.1
        Host: %s
        Naru-Site: https
        Authorization: Bearer %s
        Content-Type: application/json
        Content-Length: 2

        {}""";
    byte[] bytes = RawHttp.bytes(head.formatted(PATH, host, token));
    return RawHttp.say(server.port(), bytes).is(201).text("url");
  }

  @Test
  void link_isOfTheAddressThatTheBrowserHas() throws IOException {
    assertThat(link("shop.example:8443")).startsWith("https://shop.example:8443/wait/TIMEDEAL/1#");
    String longest = "a".repeat(255);
    assertThat(link(longest)).startsWith("https://" + longest + "/wait/");
  }

  /** No name is longer; in the picture of the link each character is paid for. */
  @ParameterizedTest
  @ValueSource(ints = {256, 2_000, 6_000})
  void link_hostThatIsTooLong_isOfOurOwnAddress(int length) throws IOException {
    assertThat(link("a".repeat(length))).startsWith(OURS + "/wait/TIMEDEAL/1#");
  }
}
