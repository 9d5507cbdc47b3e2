package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Places that browsers work out of the board. */
class BoardTest {

  /** More than a block, and more than those who must ask for themselves. */
  private static final int CROWD = 2_300;

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  private static Room room;

  @BeforeAll
  static void open() {
    room = new Room(data);
  }

  @AfterAll
  static void close() {
    room.close();
  }

  /** Who waits of a crowd, by ticket. */
  private static NavigableMap<Long, String> enter(
      HttpConnection connection, Queue queue, int people) throws IOException {
    var tokens = new TreeMap<Long, String>();
    for (int i = 0; i < people; i++) {
      Reply reply = connection.send("POST", queue.path() + "/enter", "", "User-Id: one-" + i);
      tokens.put(reply.number("ticket"), reply.field("entryToken"));
    }
    return tokens;
  }

  /** After some have left from anywhere, and some have gone in, the sum is what the server says. */
  @Test
  void everybodysPlaceByTheBoard_isTheServers() throws IOException {
    Queue queue = room.queue("sums", "\"maxCapacity\":100000");
    Page page = BROWSER.visit().open("http://127.0.0.1:" + room.port() + "/naru.js");
    try (var connection = new HttpConnection(room.port())) {
      NavigableMap<Long, String> waiting = enter(connection, queue, CROWD);
      long seed = new Random().nextLong();
      compare(connection, queue, waiting, page, seed);
    }
  }

  private static void compare(
      HttpConnection connection,
      Queue queue,
      NavigableMap<Long, String> waiting,
      Page page,
      long seed) {
    var random = new Random(seed);
    for (int round = 0; round < 4; round++) {
      List<Long> tickets = new ArrayList<>(waiting.keySet());
      for (int i = 0; i < 150; i++) {
        // Some next to each other, some anywhere, now and then the last.
        int at = random.nextInt(4) == 0 ? tickets.size() - 1 : random.nextInt(tickets.size());
        for (int run = random.nextInt(3); run >= 0 && at < tickets.size(); run--) {
          leave(connection, queue, requireNonNull(waiting.remove(tickets.remove(at))));
        }
      }
      int admitted = 1 + random.nextInt(200);
      queue.admit(admitted);
      tickets.stream().limit(admitted).forEach(waiting::remove);
      assertThat(placesIn(page, queue, List.copyOf(waiting.keySet())))
          .as("places with the seed %d", seed)
          .isEqualTo(IntStream.range(0, waiting.size()).boxed().toList());
    }
  }

  private static void leave(HttpConnection connection, Queue queue, String token) {
    try {
      Reply reply =
          connection.send("POST", queue.path() + "/leave", "", "Authorization: Bearer " + token);
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object placesIn(Page page, Queue queue, List<Long> tickets) {
    return page.evaluate(
        """
        async ({ url, tickets, waiting }) => {
          const { placeOn } = await import('/naru-board.js');
          let board;
          do {
            board = await (await fetch(url, { cache: 'no-store' })).json();
          } while (board.waiting !== waiting);
          const tiles = {};
          const places = [];
          for (const ticket of tickets) {
            let place = placeOn(board, { ticket }, null);
            if (!place.isExact) {
              tiles[place.address] ??= await (await fetch(`${url}/${place.address}`)).json().then((tile) => ({
                lane: place.lane.id, from: place.from, end: place.end,
                bits: Uint8Array.from(atob(tile.gone.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)),
              }));
              place = placeOn(board, { ticket }, tiles[place.address]);
            }
            places.push(place.isExact ? place.ahead : -1);
          }
          return places;
        }
        """,
        Map.of("url", queue.path() + "/board", "tickets", tickets, "waiting", tickets.size()));
  }

  /** Nothing but the board and tiles is asked for, until the turn is near. */
  @Test
  void follow_board_livesOnItAloneUntilNear_andGoesIn() {
    Queue queue = room.queue("followed", "\"maxCapacity\":100000");
    queue.enterCrowd(1_200);
    Visit visit = BROWSER.visit();
    Page page = visit.open("http://127.0.0.1:" + room.port() + "/naru.js");
    List<String> asked = new ArrayList<>();
    page.onRequest(request -> asked.add(request.url().replaceAll(".*/queue/", "")));
    page.evaluate(
        """
        async (id) => {
          const { Naru } = await import('/naru.js');
          document.body.innerHTML = '<p id=place><p id=event>';
          const put = (id, text) => document.getElementById(id).textContent = text;
          window.rises = 0;
          let last = Infinity;
          const naru = new Naru('SHOW', id, { follow: 'board' });
          naru.addEventListener('status', ({ detail }) => {
            window.rises += detail.position > last ? 1 : 0;
            last = detail.position;
            put('place', detail.position);
          });
          naru.addEventListener('entered', () => put('event', 'entered'));
          naru.start();
        }
        """,
        queue.id());
    assertThat(page.locator("#place")).hasText("1201");

    queue.admit(100);
    assertThat(page.locator("#place")).hasText("1101");
    assertThat(asked).noneMatch(url -> url.contains("subscribe") || url.contains("status"));

    queue.admit(200);
    assertThat(page.locator("#place")).hasText("901");
    page.waitForRequest("**/subscribe/**", () -> queue.admit(1));
    queue.admit(900);
    assertThat(page.locator("#event")).hasText("entered");
    assertThat(page.evaluate("rises")).isEqualTo(0);
  }
}
