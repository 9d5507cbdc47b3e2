package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
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
        window.estimates = [];
        let last = Infinity;
        const naru = new Naru('SHOW', id, { follow: 'board' });
        naru.addEventListener('status', ({ detail }) => {
          window.rises += detail.position > last ? 1 : 0;
          last = detail.position;
          put('place', detail.position);
          window.estimates.push(detail.estimatedWaitSeconds ?? 0);
        });
        naru.addEventListener('entered', () => put('event', 'entered'));
        naru.addEventListener('ended', ({ detail }) => put('event', detail.code));
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

  /** Whether an old board says of the last one on a newer one that they are not in line. */
  private static final String IS_GONE =
      """
      async ([old, now]) => {
        const { isGone } = await import('/naru-board.js');
        const { change, lanes } = JSON.parse(now);
        return isGone(JSON.parse(old), { change, ticket: lanes[0].next - 1 });
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
      List<String> asked = askedBy(page);
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

  /** Its boards tell a rate of 0, as an earlier server told slow ones: nothing follows of that. */
  @Test
  void queueDeleted_isToldToWhoLivesOnTheBoard() {
    Queue queue = room.queue("board-deleted");
    queue.enterCrowd(2);
    Page page = BROWSER.visit().open("http://127.0.0.1:" + room.port() + "/naru.js");
    changeBoards(
        page,
        board ->
            board
                .replaceFirst("\"askWithin\":\\d+", "\"askWithin\":0")
                .replaceFirst("\"ratePerSecond\":[^,]+", "\"ratePerSecond\":0"));
    page.evaluate(FOLLOW, queue.id());
    for (int i = 0; i < 2; i++) {
      page.waitForResponse("**/board", () -> {});
    }
    assertThat(page.locator("#place")).hasText("3");
    assertThat(page.evaluate("estimates.every(Number.isFinite)")).isEqualTo(true);

    queue.delete();

    assertThat(page.locator("#event")).hasText("S801");
  }

  /** Of minutes in which servers cannot count tickets. */
  @Test
  void boardsThatSayNothing_oneAsksOnce_andLivesOnTheBoardAgain() {
    Queue queue = room.queue("board-mute");
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.open("http://127.0.0.1:" + room.port() + "/naru.js");
    List<String> asked = askedBy(page);
    changeBoards(page, board -> board.replaceFirst(",\"change\":.*", "}"));
    page.evaluate("Math.random = () => 0.1");
    page.evaluate(FOLLOW, queue.id());
    assertThat(page.locator("#place")).hasText("1");

    hurryUntil(page, 5_000, () -> asked.stream().anyMatch(url -> url.contains("status")));
    int askedAt = asked.size();
    // Far from running out of patience again, however slow this machine is.
    hurryUntil(page, 1_000, () -> asked.size() >= askedAt + 2);

    assertThat(asked.subList(askedAt, asked.size())).allMatch(url -> url.endsWith("/board"));
    assertThat(asked).noneMatch(url -> url.contains("subscribe"));
  }

  /** All of them hear that at the same moment, and none has come any nearer. */
  @Test
  void lanesEdited_oneAsksOnce_andLivesOnTheBoardAgain() {
    Queue queue = room.queue("board-lanes");
    queue.enterCrowd(3);
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.open("http://127.0.0.1:" + room.port() + "/naru.js");
    List<String> asked = askedBy(page);
    changeBoards(page, board -> board.replaceFirst("\"askWithin\":\\d+", "\"askWithin\":0"));
    page.evaluate(FOLLOW, queue.id());
    assertThat(page.locator("#place")).hasText("4");

    queue.set("\"lanes\":[{\"name\":\"vip\",\"share\":70},{\"name\":\"normal\",\"share\":30}]");
    hurryUntil(page, 1_000, () -> asked.stream().anyMatch(url -> url.contains("status")));
    queue.admit(2);
    hurryUntil(page, 1_000, () -> page.locator("#place").textContent().equals("2"));

    assertThat(asked).filteredOn(url -> url.contains("status")).hasSize(1);
    assertThat(asked).noneMatch(url -> url.contains("subscribe"));
  }

  /** The status says otherwise, which is believed. */
  @Test
  void boardThatSaysOneIsGone_oneAsks_andLivesOnTheBoardAgain() {
    Queue queue = room.queue("board-wrong");
    queue.enterCrowd(3);
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.open("http://127.0.0.1:" + room.port() + "/naru.js");
    List<String> asked = askedBy(page);
    changeBoards(
        page,
        board -> {
          boolean isWrong = asked.stream().noneMatch(url -> url.contains("status"));
          return board
              .replaceFirst("\"askWithin\":\\d+", "\"askWithin\":0")
              .replaceFirst("\"front\":\\d+", isWrong ? "\"front\":9000" : "$0");
        });
    page.evaluate(FOLLOW, queue.id());
    assertThat(page.locator("#place")).hasText("4");

    hurryUntil(page, 1_000, () -> asked.stream().anyMatch(url -> url.contains("status")));
    queue.admit(2);
    hurryUntil(page, 1_000, () -> page.locator("#place").textContent().equals("2"));

    assertThat(asked).filteredOn(url -> url.contains("status")).hasSize(1);
    assertThat(asked).noneMatch(url -> url.contains("subscribe"));
  }

  /** As after a Redis that alone decides was replaced by a copy of it that is far behind. */
  @Test
  void boardsAreOlderForGood_oneAsks_andThePlaceMovesAgain() {
    Queue queue = room.queue("board-behind");
    queue.enterCrowd(3);
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.open("http://127.0.0.1:" + room.port() + "/naru.js");
    List<String> asked = askedBy(page);
    var isBehind = new AtomicBoolean();
    UnaryOperator<String> behind =
        text -> isBehind.get() ? text.replaceFirst("\"change\":\\d+", "\"change\":1") : text;
    change(
        page,
        "**/board",
        board -> behind.apply(board.replaceFirst("\"askWithin\":\\d+", "\"askWithin\":0")));
    change(page, "**/status?*", behind);
    page.evaluate("Math.random = () => 0.1");
    page.evaluate(FOLLOW, queue.id());
    assertThat(page.locator("#place")).hasText("4");

    isBehind.set(true);
    queue.admit(2);
    hurryUntil(page, 1_000, () -> page.locator("#place").textContent().equals("2"));
    queue.admit(1);
    hurryUntil(page, 1_000, () -> page.locator("#place").textContent().equals("1"));

    assertThat(asked).filteredOn(url -> url.contains("status")).hasSize(1);
    assertThat(page.evaluate("rises")).isEqualTo(0);
  }

  private static List<String> askedBy(Page page) {
    List<String> asked = new ArrayList<>();
    page.onRequest(request -> asked.add(request.url().replaceAll(".*/queue/", "")));
    return asked;
  }

  /**
   * As from the edge of a CDN that has kept some for too long, in turns with those of now: of
   * before the visitor came, of a place that is better by now, and of an evening that was over
   * before the queue was opened again.
   */
  @Test
  void olderBoards_sayNothing() {
    Queue queue = room.queue("board-older");
    queue.enterCrowd(3);
    String before = boardOf(queue, 3);
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = visit.open("http://127.0.0.1:" + room.port() + "/naru.js");
    List<String> asked = askedBy(page);
    var old = new ArrayDeque<String>();
    var looks = new AtomicInteger();
    changeBoards(
        page,
        now -> {
          boolean isOld = looks.getAndIncrement() % 2 == 1 && !old.isEmpty();
          return (isOld ? old.remove() : now).replaceFirst("\"askWithin\":\\d+", "\"askWithin\":0");
        });
    page.evaluate(FOLLOW, queue.id());
    assertThat(page.locator("#place")).hasText("4");
    String come = boardOf(queue, 4);
    queue.admit(2);
    assertThat(page.locator("#place")).hasText("2");

    old.addAll(List.of(before, come, before.replace("\"OPEN\"", "\"ENDED\"")));
    while (!old.isEmpty()) {
      page.waitForResponse("**/board", () -> page.clock().fastForward(1_500));
    }
    queue.admit(1);

    assertThat(page.locator("#place")).hasText("1");
    assertThat(page.evaluate("rises")).isEqualTo(0);
    assertThat(page.locator("#event")).isEmpty();
    assertThat(asked).noneMatch(url -> url.contains("subscribe") || url.contains("status"));
    assertThat(page.evaluate(IS_GONE, List.of(before, come)))
        .as("nor to whoever looks at the board alone")
        .isEqualTo(false);
  }

  private static String boardOf(Queue queue, int waiting) {
    return await()
        .until(
            () -> room.send("GET", queue.path() + "/board", "").body(),
            board -> board.contains("\"waiting\":" + waiting + ",\"change\""));
  }

  private static void changeBoards(Page page, UnaryOperator<String> change) {
    change(page, "**/board", change);
  }

  private static void change(Page page, String url, UnaryOperator<String> change) {
    page.route(
        url,
        route -> {
          var answer = route.fetch();
          String text = change.apply(answer.text());
          route.fulfill(new Route.FulfillOptions().setResponse(answer).setBody(text));
        });
  }

  /** Lets the page's time go on by so much ten times a second. */
  private static void hurryUntil(Page page, long millis, Callable<Boolean> isDone) {
    await()
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(100))
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              page.clock().fastForward(millis);
              return isDone.call();
            });
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
