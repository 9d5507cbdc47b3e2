package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
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
  private static final int CROWD = 1_300;

  private static final int ASK_WITHIN = 1_000;

  private static final String FOLLOW =
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
      """;

  /** The places of these tickets, by the board and the tiles that are needed. */
  private static final String PLACES =
      """
      async ({ url, tickets, waiting }) => {
        const { placeOn } = await import('/naru-board.js');
        let board;
        do {
          board = await (await fetch(url, { cache: 'no-store' })).json();
        } while (board.waiting !== waiting);
        // A tile may be a second older than the board: then it says so by its count.
        const read = async ({ lane, from, end, address }) => {
          const count = address.split('/').at(-1);
          let tile;
          for (let tries = 0; String(tile?.count) !== count && tries < 100; tries++) {
            await new Promise((resolve) => setTimeout(resolve, tries && 100));
            tile = await (await fetch(`${url}/${address}`, { cache: 'no-store' })).json();
          }
          const gone = atob(tile.gone.replaceAll('-', '+').replaceAll('_', '/'));
          return { lane: lane.id, from, end, bits: Uint8Array.from(gone, (c) => c.charCodeAt(0)) };
        };
        const tiles = {};
        const places = [];
        for (const ticket of tickets) {
          let place = placeOn(board, { ticket }, null);
          if (!place.isExact) {
            tiles[place.address] ??= await read(place);
            place = placeOn(board, { ticket }, tiles[place.address]);
          }
          places.push(place.isExact ? place.ahead : -1);
        }
        return places;
      }
      """;

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

  /**
   * Some leave from anywhere, and some go in: everybody's sum is the server's, and somebody who
   * lives on the board asks for nothing else until their turn is near.
   */
  @Test
  void everybodysPlaceByTheBoard_isTheServers_andOneLivesOnItUntilNear() throws IOException {
    Queue queue = room.queue("board", "\"maxCapacity\":100000");
    try (var connection = new HttpConnection(room.port())) {
      NavigableMap<Integer, String> waiting = enter(connection, queue);
      Page page = BROWSER.visit().open("http://127.0.0.1:" + room.port() + "/naru.js");
      List<String> asked = new ArrayList<>();
      page.onRequest(request -> asked.add(request.url().replaceAll(".*/queue/", "")));
      page.evaluate(FOLLOW, queue.id());
      assertThat(page.locator("#place")).hasText("" + (CROWD + 1));

      long seed = new Random().nextLong();
      var random = new Random(seed);
      while (waiting.size() > ASK_WITHIN) {
        assertThat(asked).noneMatch(url -> url.contains("subscribe") || url.contains("status"));
        move(connection, queue, waiting, random);
        assertThat(page.evaluate(PLACES, asked(queue, waiting)))
            .as("places with the seed %d", seed)
            .isEqualTo(IntStream.range(0, waiting.size()).boxed().toList());
      }
      assertThat(page.locator("#place")).hasText("" + (waiting.size() + 1));
      queue.admit(waiting.size() + 1);
      assertThat(page.locator("#event")).hasText("entered");
      assertThat(page.evaluate("rises")).isEqualTo(0);
      assertThat(asked).anyMatch(url -> url.contains("subscribe"));
    }
  }

  /** Who waits of a crowd, by ticket. */
  private static NavigableMap<Integer, String> enter(HttpConnection connection, Queue queue)
      throws IOException {
    var tokens = new TreeMap<Integer, String>();
    for (int i = 0; i < CROWD; i++) {
      Reply reply = connection.send("POST", queue.path() + "/enter", "", "User-Id: one-" + i);
      tokens.put((int) reply.number("ticket"), reply.field("entryToken"));
    }
    return tokens;
  }

  private static void move(
      HttpConnection connection, Queue queue, Map<Integer, String> waiting, Random random)
      throws IOException {
    List<Integer> tickets = new ArrayList<>(waiting.keySet());
    for (int i = 0; i < 60; i++) {
      // Some next to each other, some anywhere, now and then the last.
      int at = random.nextInt(4) == 0 ? tickets.size() - 1 : random.nextInt(tickets.size());
      for (int run = random.nextInt(3); run >= 0 && at < tickets.size(); run--) {
        String token = requireNonNull(waiting.remove(tickets.get(at)));
        tickets.subList(at, at + 1).clear();
        Reply reply =
            connection.send("POST", queue.path() + "/leave", "", "Authorization: Bearer " + token);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
      }
    }
    int admitted = 1 + random.nextInt(40);
    queue.admit(admitted);
    tickets.stream().limit(admitted).forEach(waiting::remove);
  }

  /** The one who follows is in line as well. */
  private static Map<String, Object> asked(Queue queue, Map<Integer, String> waiting) {
    return Map.of(
        "url", queue.path() + "/board",
        "tickets", List.copyOf(waiting.keySet()),
        "waiting", waiting.size() + 1);
  }
}
