package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import io.naru.e2e.browser.Room.Queue;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What an operator does at one server is seen on the pages that are open at another. Nobody there
 * is asked again within 30 s of its own accord, so what comes before that was pushed or looked for.
 */
class OperatorTest {

  private static final String HOSTILE = "<img src=x onerror='document.title=1'><b>";

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  private static PostgresServer postgres;
  private static RedisServer redis;
  private static Room desk;
  private static Room other;

  /** How a page hears of it. */
  enum News {
    STREAMED("live"),
    POLLED("polling");

    private final String connection;

    News(String connection) {
      this.connection = connection;
    }

    Page open(Queue queue) {
      Visit visit = BROWSER.visit();
      if (this == POLLED) {
        visit.context().route("**/subscribe/**", Route::abort);
      }
      return visit.open(queue.page(other.port()));
    }
  }

  @BeforeAll
  static void open() {
    postgres = PostgresServer.start();
    redis = RedisServer.start(RedisBinary.embedded());
    String ledger = postgres.fresh();
    desk = room("desk", ledger);
    other = room("other", ledger);
  }

  private static Room room(String name, String ledger) {
    return new Room(
        data.resolve(name),
        "--redis=" + redis.uri(),
        "--ledger=" + ledger,
        "--ledger-user=" + postgres.user(),
        "--ledger-password=" + postgres.password());
  }

  @AfterAll
  static void close() {
    other.close();
    desk.close();
    redis.close();
    postgres.close();
  }

  @ParameterizedTest
  @EnumSource
  void acts_areSeenOnOpenPagesElsewhere(News news) {
    Queue queue = desk.queue("acts-" + news, "\"title\":\"Spring Live\",\"passTtlSeconds\":90");
    queue.enterCrowd(4);
    Page page = news.open(queue);
    assertThat(page.locator("#wait")).hasAttribute("data-connection", news.connection);
    assertThat(page.locator("#place")).hasText("5");
    assertThat(page.locator("#turn")).containsText("you will have 90 seconds");

    queue.act("pause", "\"reason\":\"Rain on the stage " + HOSTILE + "\"");
    assertThat(page.locator("#state")).hasText(Pattern.compile("The line is paused.*"));
    assertThat(page.locator("#reason")).hasText("Rain on the stage " + HOSTILE);
    assertThat(page.locator("#estimate")).hasText("paused");
    assertThat(page.locator("#clock")).isEmpty();
    assertThat(Axe.violations(page)).isEmpty();

    queue.act("resume");
    assertThat(page.locator("#state")).hasText(Pattern.compile("You will go in automatically.*"));
    assertThat(page.locator("#reason")).isEmpty();

    queue.set(
        "\"title\":{\"en\":\"Spring %1$s\",\"ko\":\"봄\"},\"message\":{\"ko\":\"곧\",\"en\":\"Soon %1$s\"}"
            .formatted(HOSTILE));
    assertThat(page.locator("#message")).hasText("Soon " + HOSTILE);
    assertThat(page.locator("#title")).hasText("Spring " + HOSTILE);
    assertThat(page).hasTitle("5 · Spring " + HOSTILE);

    queue.act("close");
    assertThat(page.locator("#state")).hasText(Pattern.compile("Nobody can join this line.*"));
    Page newcomer = news.open(queue);
    assertThat(newcomer.locator("#notice-title")).hasText("The line is not open");

    queue.act("open");
    assertThat(page.locator("#state")).hasText(Pattern.compile("You will go in automatically.*"));
    assertThat(newcomer.locator("#place")).hasText("6");
    // A page that polls asks for its place seldom, this far from the front, but when there is news.
    queue.set("\"message\":\"\"");
    assertThat(page.locator("#behind")).hasText("1 person behind you");

    queue.fillHouse();
    queue.makeRoom(5);
    assertThat(page.locator("#notice-title")).hasText("It is your turn");
    assertThat(page.locator("#left")).hasText(Pattern.compile("1:[0-3]\\d"));

    queue.set(
        "\"endText\":{\"en\":\"Sold out "
            + HOSTILE
            + "\"},\"endUrl\":\"https://shop.example/a?b\"");
    queue.act("end");
    assertThat(newcomer.locator("#notice-title")).hasText("This line has ended");
    assertThat(newcomer.locator("#notice-text")).hasText("Sold out " + HOSTILE);
    assertThat(newcomer.locator("#go")).hasAttribute("href", "https://shop.example/a?b");
    assertThat(Axe.violations(newcomer)).isEmpty();
    // The turn runs out by itself.
    assertThat(page.locator("#notice-title")).hasText("It is your turn");
    assertThat(page.locator("img")).hasCount(0);
    Page late = news.open(queue);
    assertThat(late.locator("#notice-text")).hasText("Sold out " + HOSTILE);
  }

  @ParameterizedTest
  @EnumSource
  void deleted_isSaidToThoseWhoWaited(News news) {
    Queue queue = desk.queue("deleted-" + news);
    queue.fillHouse();
    Page page = news.open(queue);
    assertThat(page.locator("#place")).hasText("1");

    queue.delete();

    assertThat(page.locator("#notice-title")).hasText("This line no longer exists");
    assertThat(page.locator("#again")).isHidden();
  }

  @Test
  void times_areCountedDownToAndKeptOnAnotherServer() {
    Queue queue = desk.queue("times");
    queue.set("\"opensAt\":\"%s\"".formatted(Instant.now().plusSeconds(3_000)));
    Page page = News.STREAMED.open(queue);
    assertThat(page.locator("#notice-title")).hasText("Not open yet");
    assertThat(page.locator("#left-label")).hasText("Opens in");
    assertThat(page.locator("#left")).hasText(Pattern.compile("4\\d:\\d\\d"));
    assertThat(Axe.violations(page)).isEmpty();
    queue.set("\"opensAt\":\"%s\"".formatted(Instant.now().plusSeconds(2)));

    assertThat(page.locator("#place")).hasText("1");

    queue.set("\"endsAt\":\"%s\"".formatted(Instant.now().plusSeconds(2)));
    assertThat(page.locator("#turn")).containsText("The line ends at");
    assertThat(page.locator("#notice-title")).hasText("This line has ended");
  }

  @Test
  void notBegun_saysSoInsteadOfAWait() {
    Queue queue = desk.queue("schedule");
    Page page = News.STREAMED.open(queue);
    assertThat(page.locator("#place")).hasText("1");

    queue.set("\"notBefore\":\"2099-01-01T00:00:00Z\"");

    assertThat(page.locator("#state")).hasText(Pattern.compile("Nobody is let in yet.*"));
    assertThat(page.locator("#estimate")).hasText(Pattern.compile("paused|more than a day"));
    assertThat(page.locator("#clock")).hasText(Pattern.compile("Begins in \\d+:\\d\\d:\\d\\d"));
  }
}
