package io.naru.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that the application leads elsewhere: who is in stays in, and nobody gets in by it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DispatchTest {

  private static final String JSON = "Accept: application/json";

  private final FakeNaru naru = new FakeNaru();
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
  private final Gate gate = naru.gate().protect("/reservations/**").clock(now::get).open();
  private Site site;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    site = new Site(gate, "", folder);
  }

  @BeforeEach
  void forget() {
    now.set(Instant.now());
    site.meanwhile = () -> {};
    site.served.clear();
  }

  @AfterAll
  void close() {
    site.close();
    gate.close();
    naru.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"forward", "async"})
  void openPage_leadingToAProtectedOne_needsAPass(String way) throws Exception {
    String target = "/about?then=" + way + ":/reservations/1";

    assertThat(site.send("GET", target, JSON)).startsWith("HTTP/1.1 403").contains("S806");
    assertThat(site.served).isEmpty();
    assertThat(site.send("GET", target, JSON, bearer())).endsWith("for user-7");
  }

  @ParameterizedTest
  @ValueSource(strings = {"forward", "async"})
  void openPage_leadingToAnotherOpenOne_needsNone(String way) throws Exception {
    assertThat(site.send("GET", "/about?then=" + way + ":/imprint", JSON)).endsWith("open");
  }

  @ParameterizedTest
  @ValueSource(strings = {"forward", "async"})
  void browser_ledToAProtectedPage_comesBackToWhatTheyAskedFor(String way) throws Exception {
    assertThat(site.send("GET", "/about?then=" + way + ":/reservations/1", "Accept: text/html"))
        .startsWith("HTTP/1.1 303")
        .contains("?return=%2Fabout%3Fthen%3D" + way + "%3A%2Freservations%2F1\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"forward:/reservations/2", "async:/reservations/2", "error"})
  void letIn_passExpiresMeanwhile_isNotRefusedHalfway(String then) throws Exception {
    site.meanwhile = () -> now.updateAndGet(t -> t.plusSeconds(3_600));

    assertThat(site.send("GET", "/reservations/1?then=" + then, JSON, bearer()))
        .endsWith("for user-7");
    assertThat(site.send("GET", "/reservations/1", JSON, bearer())).startsWith("HTTP/1.1 403");
  }

  @Test
  void errorPage_thatIsProtected_isNotForThoseOutside() throws Exception {
    assertThat(site.send("GET", "/about?then=error", JSON))
        .startsWith("HTTP/1.1 409")
        .doesNotContain("open", "S806");
    assertThat(site.send("GET", "/about?then=error", "Accept: text/html"))
        .startsWith("HTTP/1.1 409")
        .doesNotContain("Location");
    assertThat(site.served).isEmpty();
    assertThat(site.send("GET", "/reservations/1?then=error", JSON, bearer()))
        .startsWith("HTTP/1.1 409")
        .endsWith("for user-7");
  }

  @Test
  void letInByOneGate_isNotLetInByAnother(@TempDir Path folder) throws Exception {
    try (Gate other = Gate.builder(naru.url(), "TIMEDEAL/124").protect("/other/**").open();
        var two = new Site(List.of(gate, other), "", folder)) {
      assertThat(two.send("GET", "/reservations/1?then=forward:/other/1", JSON, bearer()))
          .startsWith("HTTP/1.1 403")
          .contains("TIMEDEAL/124");
      assertThat(two.served).isEmpty();
    }
  }

  private String bearer() {
    return "Authorization: Bearer " + naru.token("p1");
  }
}
