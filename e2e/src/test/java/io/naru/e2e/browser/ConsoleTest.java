package io.naru.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.sun.net.httpserver.HttpServer;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The evening of a sale with the console alone: nothing that an operator does here needs another
 * tool. Every screen is shown to axe; whatever violates the page's policy fails the test.
 */
class ConsoleTest {

  /** Markup in a title must be seen, not obeyed. */
  private static final String TITLE = "<img src=x onerror=alert(1)> Spring Live";

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();
  @TempDir private static Path data;

  private static Room room;

  @BeforeAll
  static void open() {
    room = new Room(data, "--webhook-allow", "127.0.0.0/8");
  }

  @AfterAll
  static void close() {
    room.close();
  }

  private static String console() {
    return "http://127.0.0.1:" + room.port() + "/console";
  }

  private static Page signIn(Visit visit, String key) {
    Page page = visit.open(console());
    page.locator("#key").fill(key);
    page.locator("#sign-in").click();
    assertThat(page.locator("h1")).hasText("Queues");
    return page;
  }

  @ParameterizedTest
  @CsvSource({"desktop, 1280, 900, LIGHT", "phone, 390, 844, DARK"})
  void sale_withTheConsoleAlone(String device, int width, int height, ColorScheme scheme)
      throws IOException {
    String id = "sale-" + device;
    String name = "CONCERT/" + id;
    Visit visit = BROWSER.visit(o -> o.setViewportSize(width, height).setColorScheme(scheme));
    Page page = visit.open(console());
    accessible(page, "sign-in");
    page.locator("#key").fill("not a key at all");
    page.locator("#sign-in").click();
    assertThat(page.locator(".error").last()).containsText("not a key");
    page.locator("#key").fill(Room.KEY);
    page.locator("#sign-in").click();
    accessible(page, "list");

    makeQueue(page, id);
    assertThat(page.locator("h1")).containsText(name);
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "INACTIVE");
    assertThat(page.locator("h1")).containsText("<img src=x");
    page.locator("#act-activate").click();
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "OPEN");

    enter(name, 40);
    assertThat(figure(page, "inside")).hasText("5");
    assertThat(figure(page, "waiting")).hasText("35");
    assertThat(page.locator(".bound")).hasText("bound by capacity");
    assertThat(page.locator("[data-total=joined]")).hasText("40");
    assertThat(page.locator(".charts svg").first()).isVisible();
    accessible(page, "live");
    Visit.screenshot(page, "console-" + device);

    lowerTheRate(page, name);
    publish(page, name);
    pauseAndGoOn(page, name);
    lookUp(page);
    assertThat(page.locator("#audit")).containsText("paused admission");
    Visit.screenshot(page, "console-below-" + device);
    editBesideAnother(page, name);
    dress(page, name);
    end(page, name);
    statistics(page, name);

    assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(width);
  }

  private static void accessible(Page page, String what) {
    assertThat(Axe.violations(page)).as(what).isEmpty();
  }

  private static Locator figure(Page page, String name) {
    return page.locator("[data-figure=" + name + "] strong");
  }

  private static void makeQueue(Page page, String id) {
    page.locator("#new-queue").click();
    page.locator("input[name=type]").fill("CONCERT");
    page.locator("input[name=id]").fill(id);
    page.locator("input[name=title]").fill(TITLE);
    page.locator("input[name=capacity]").fill("5");
    page.locator("input[name=rate]").fill("4");
    page.locator("input[name=minutes]").fill("10");
    assertThat(page.locator("#in-words")).containsText("At most 5 people are inside at once.");
    assertThat(page.locator("#in-words")).containsText("capacity bounds the line");
    accessible(page, "wizard");
    Visit.screenshot(page, "console-wizard");
    button(page, "Make the queue").click();
  }

  private static Locator button(Page page, String label) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(label).setExact(true));
  }

  private static void enter(String name, int people) {
    try (var connection = new HttpConnection(room.port())) {
      for (int i = 1; i <= people; i++) {
        Reply reply =
            connection.send("POST", "/queue/" + name + "/enter", "", "User-Id: person-" + i);
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What it would do is said before it is done. */
  private static void lowerTheRate(Page page, String name) {
    Locator settings = page.locator("#settings");
    settings.locator("[name=entryBatchSize]").fill("1");
    settings.locator("[name=maxCapacity]").fill("4");
    assertThat(settings.locator(".plan")).containsText("At most 1 a second go in instead of 4.");
    assertThat(settings.locator(".plan")).containsText("nobody goes in until fewer than 4 are");
    accessible(page, "what it would change");
    settings.locator("[name=maxCapacity]").fill("6");
    button(page, "Apply").click();
    assertThat(settings.locator(".plan")).isEmpty();
    assertThat(figure(page, "inside")).hasText("6");
    assertThat(queue(name).number("entryBatchSize")).isEqualTo(1);
    assertThat(page.locator("#audit")).containsText("changed settings");
  }

  private static Reply queue(String name) {
    return room.admin("GET", "/admin/queues/" + name, "");
  }

  private static void publish(Page page, String name) {
    Locator message = page.locator("#message");
    message.locator("[data-language=ko]").click();
    message.locator("textarea").fill("곧 다시 시작합니다.");
    message.locator("[data-language=en]").click();
    message.locator("textarea").fill("We go on soon.");
    button(page, "Publish").click();
    assertThat(message.locator(".spoken")).containsText("곧 다시 시작합니다.");
    assertThat(message.locator(".spoken")).containsText("We go on soon.");
    assertThat(queue(name).body()).contains("\"ko\":\"곧 다시 시작합니다.\"");
  }

  private static void pauseAndGoOn(Page page, String name) {
    page.locator("#act-pause").click();
    page.locator("dialog [name=reason]").fill("The shop takes a breath");
    accessible(page, "pausing");
    page.locator("dialog button[type=submit]").click();
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "PAUSED");
    assertThat(page.locator(".states")).containsText("The shop takes a breath");
    assertThat(page.locator(".bound")).hasText("admission is paused");
    assertThat(queue(name).body()).contains("\"state\":\"PAUSED\"");
    page.locator("#act-resume").click();
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "OPEN");
  }

  private static void lookUp(Page page) {
    Locator people = page.locator("#people");
    people.locator("[name=find]").fill("nobody-of-that-name");
    people.locator("[name=find]").press("Enter");
    assertThat(people.locator(".error").last()).containsText("Nobody of that name");
    people.locator("[name=find]").fill("person-20");
    people.locator("[name=find]").press("Enter");
    assertThat(people.locator(".user")).hasText("person-20");
    assertThat(people.locator(".explain [data-code=behind]")).containsText("13");
    assertThat(people.locator(".explain [data-code=bound-by-capacity]")).isVisible();
    accessible(page, "a person");
    button(page, "Remove").click();
    page.locator("dialog button[type=submit]").click();
    assertThat(people.locator(".entry h3").first()).hasText("Left");
  }

  /** Whoever comes second is told, and loses nothing that they typed. */
  private static void editBesideAnother(Page page, String name) {
    Locator settings = page.locator("#settings");
    settings.locator("[name=entryBatchSize]").fill("2");
    Reply other = room.admin("PUT", "/admin/queues/" + name, "{\"passTtlSeconds\":120}");
    assertThat(other.status()).isEqualTo(200);
    assertThat(settings.locator(".conflict")).containsText("Somebody else has changed");
    assertThat(settings.locator(".conflict")).containsText("120");
    assertThat(settings.locator("[name=entryBatchSize]")).hasValue("2");
    accessible(page, "a conflict");
    assertThat(put(page, button(page, "Apply"))).isEqualTo(412);
    assertThat(settings.locator(".conflict")).containsText("Somebody else has changed");
    assertThat(queue(name).number("entryBatchSize")).as("nothing overwritten").isEqualTo(1);
    settings.locator(".conflict button").click();
    assertThat(put(page, button(page, "Apply"))).isEqualTo(200);
    assertThat(queue(name).number("entryBatchSize")).isEqualTo(2);
    assertThat(queue(name).number("passTtlSeconds")).isEqualTo(120);
  }

  /**
   * Words are settings too: in every form that has some, nobody overwrites what they have not seen.
   */
  @Test
  void words_besideAnother_areNotOverwritten() {
    room.queue("words");
    String name = "SHOW/words";
    Page page = signIn(BROWSER.visit(), Room.KEY);
    link(page, name).click();
    Locator message = page.locator("#message");
    message.locator("[data-language=en]").click();
    message.locator("textarea").fill("We go on soon.");
    besides(name, "{\"message\":{\"en\":\"Their words.\",\"ko\":\"다른 사람의 말\"}}");
    assertThat(message.locator(".conflict")).containsText("Their words.");
    assertThat(message.locator("textarea")).hasValue("We go on soon.");
    accessible(page, "a message beside another");
    assertThat(put(page, button(page, "Publish"))).isEqualTo(412);
    assertThat(message.locator(".conflict")).containsText("Their words.");
    message.locator(".conflict button").click();
    assertThat(put(page, button(page, "Publish"))).isEqualTo(200);
    assertThat(queue(name).body()).contains("We go on soon.", "다른 사람의 말");

    link(page, "Look of the page").click();
    page.locator("[name=logoUrl]").fill("https://shop.example/logo.png");
    besides(name, "{\"color\":\"#b3005e\"}");
    assertThat(put(page, button(page, "Save"))).isEqualTo(412);
    Locator look = page.locator("form.card");
    assertThat(look.locator(".conflict")).containsText("#b3005e");
    accessible(page, "a look beside another");
    assertThat(put(page, button(page, "Save"))).as("saved again").isEqualTo(412);
    look.locator(".conflict button").click();
    assertThat(page.locator("[name=color]")).hasValue("#b3005e");
    assertThat(put(page, button(page, "Save"))).isEqualTo(200);
    assertThat(queue(name).body()).contains("#b3005e", "https://shop.example/logo.png");

    link(page, "Live").click();
    page.locator("#act-end").click();
    Locator dialog = page.locator("dialog");
    dialog.locator("textarea").fill("Sold out.");
    besides(name, "{\"endText\":\"Thank you all.\",\"endUrl\":\"https://shop.example/over\"}");
    assertThat(dialog.locator(".conflict")).containsText("Thank you all.");
    dialog.locator("[name=typed]").fill(name);
    Locator yes = dialog.locator("button[type=submit]");
    assertThat(put(page, yes)).isEqualTo(412);
    assertThat(queue(name).body()).contains("Thank you all.").contains("\"state\":\"OPEN\"");
    dialog.locator(".conflict button").click();
    assertThat(put(page, yes)).isEqualTo(200);
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "ENDED");
    assertThat(queue(name).body()).contains("Sold out.", "https://shop.example/over");
  }

  /** What another operator does meanwhile. */
  private static void besides(String name, String changes) {
    Reply other = room.admin("PUT", "/admin/queues/" + name, changes);
    assertThat(other.status()).as(other.body()).isEqualTo(200);
  }

  /** What a change of the queue is answered that this button asks for. */
  private static int put(Page page, Locator button) {
    return page.waitForResponse(
            answer -> answer.request().method().equals("PUT"), () -> button.click())
        .status();
  }

  private static void dress(Page page, String name) {
    link(page, "Look of the page").click();
    var preview = page.frameLocator("iframe");
    assertThat(preview.locator("#title")).hasText(TITLE);
    assertThat(preview.locator("#message")).hasText("We go on soon.");
    page.locator("[name=color]").fill("#b3005e");
    assertThat(preview.locator("#brand")).hasAttribute("href", Pattern.compile("b3005e"));
    page.locator("#visitor").selectOption("ko");
    assertThat(preview.locator("#message")).hasText("곧 다시 시작합니다.");
    accessible(page, "look");
    Visit.screenshot(page, "console-look");
    button(page, "Save").click();
    assertThat(page.locator("form.card")).containsText("Saved");
    assertThat(queue(name).body()).contains("#b3005e");
    link(page, "Live").click();
  }

  private static Locator link(Page page, String text) {
    return page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(text).setExact(true));
  }

  private static void end(Page page, String name) {
    page.locator("#act-end").click();
    Locator dialog = page.locator("dialog");
    Locator yes = dialog.locator("button[type=submit]");
    assertThat(yes).isDisabled();
    dialog.locator("textarea").fill("Sold out. Thank you.");
    dialog.locator("[name=typed]").fill("CONCERT/another");
    assertThat(yes).isDisabled();
    accessible(page, "ending");
    dialog.locator("[name=typed]").fill(name);
    yes.click();
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "ENDED");
    assertThat(figure(page, "waiting")).hasText("0");
    assertThat(queue(name).body()).contains("Sold out. Thank you.");
  }

  private static void statistics(Page page, String name) throws IOException {
    link(page, "Statistics").click();
    assertThat(page.locator("[data-statistic='total.joined']")).hasText("40");
    assertThat(page.locator("#percentiles")).containsText("Wait in line");
    accessible(page, "statistics");
    Visit.screenshot(page, "console-statistics");
    Download csv = page.waitForDownload(() -> page.locator("#csv").click());
    assertThat(csv.suggestedFilename()).isEqualTo(name.replace('/', '-') + ".csv");
    assertThat(Files.readString(csv.path())).contains("joined");
  }

  @Test
  void keys_areMadeShownOnceAndRevoked_andRolesAreRespected() {
    room.queue("roles");
    Page admin = signIn(BROWSER.visit(), Room.KEY);
    link(admin, "Access keys").click();
    admin.locator("input[name=name]").fill("<b>desk</b>");
    button(admin, "Make the key").click();
    assertThat(admin.locator(".error").first()).containsText("letters, digits");
    admin.locator("input[name=name]").fill("desk 2");
    admin.locator("input[name=queues]").fill("SHOW/roles");
    button(admin, "Make the key").click();
    String key = admin.locator("#new-key").inputValue();
    assertThat(key).startsWith("naru_");
    accessible(admin, "a new key");
    admin.locator("dialog button[type=submit]").click();
    assertThat(admin.locator("#keys")).containsText("desk 2");
    assertThat(admin.locator("dialog")).hasCount(0);
    assertThat(admin.content()).doesNotContain(key);
    accessible(admin, "access keys");
    link(admin, "Audit").click();
    assertThat(admin.locator("table")).containsText("made an access key");
    accessible(admin, "audit");

    Page viewer = signIn(BROWSER.visit(), key);
    assertThat(viewer.locator("#new-queue")).hasCount(0);
    assertThat(viewer.locator("tbody tr")).hasCount(1);
    link(viewer, "SHOW/roles").click();
    assertThat(figure(viewer, "inside")).hasText("1");
    assertThat(viewer.locator("#acts, #settings button, #message button")).hasCount(0);
    assertThat(viewer.locator("#settings [name=maxCapacity]")).isDisabled();
    accessible(viewer, "as a viewer");

    link(admin, "Access keys").click();
    admin.locator("#keys button").click();
    admin.locator("dialog button[type=submit]").click();
    assertThat(admin.locator("#keys")).containsText("revoked");
    assertThat(viewer.locator("#key")).isVisible();
    assertThat(viewer.locator(".error").last()).containsText("Your session is over");
  }

  @Test
  void webhook_isMadeTriedAndLookedAfter() throws IOException {
    var told = new ConcurrentLinkedQueue<String>();
    HttpServer shop = receiver(told);
    Page page = signIn(BROWSER.visit(), Room.KEY);
    link(page, "Webhooks").click();
    assertThat(page.locator("main")).containsText("Nobody outside is told anything yet.");
    page.locator("input[name=url]").fill("ftp://shop.example/hooks");
    button(page, "Make the webhook").click();
    assertThat(page.locator("input[name=url]")).hasAttribute("aria-invalid", "true");
    accessible(page, "an address that is refused");
    page.locator("input[name=url]")
        .fill("http://127.0.0.1:" + shop.getAddress().getPort() + "/hooks");
    page.locator("input[name=name]").fill("the shop");
    page.locator("input[name=events]").fill("paused, completed");
    button(page, "Make the webhook").click();
    String secret = page.locator("#new-secret").inputValue();
    assertThat(secret).startsWith("whsec_");
    accessible(page, "a new secret");
    page.locator("dialog button[type=submit]").click();
    assertThat(page.locator("#webhooks")).containsText("completed, paused");
    assertThat(page.locator("dialog")).hasCount(0);
    assertThat(page.content()).doesNotContain(secret);
    accessible(page, "webhooks");

    button(page, "Try the shop").click();
    page.locator("dialog button[type=submit]").click();
    assertThat(page.locator("h1")).hasText("the shop");
    await().until(() -> told.stream().anyMatch(body -> body.contains("ping")));
    awaitDelivery(page, "done", "ping");
    accessible(page, "deliveries");
    shop.stop(0);
    Room.Queue queue = room.queue("told");
    queue.act("pause");
    awaitDelivery(page, "pending", "SHOW/told");

    link(page, "All webhooks").click();
    button(page, "Switch the shop off").click();
    page.locator("dialog button[type=submit]").click();
    assertThat(page.locator("#webhooks tr.over")).containsText("off");
    button(page, "Delete the shop").click();
    page.locator("dialog button[type=submit]").click();
    assertThat(page.locator("main")).containsText("Nobody outside is told anything yet.");
  }

  private static void awaitDelivery(Page page, String state, String text) {
    await().pollInSameThread().atMost(Duration.ofSeconds(30)).until(() -> sees(page, state, text));
  }

  /** What the list has of deliveries in a state, asked for anew. */
  private static boolean sees(Page page, String state, String text) {
    Locator choice = page.locator("select[name=state]");
    choice.selectOption("failed");
    page.waitForResponse(Pattern.compile("state=" + state), () -> choice.selectOption(state));
    return page.locator("#deliveries").filter(new Locator.FilterOptions().setHasText(text)).count()
        > 0;
  }

  private static HttpServer receiver(Queue<String> told) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/hooks",
        exchange -> {
          told.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  @Test
  void korean_isOneChoiceAway_andStays() {
    Page page = signIn(BROWSER.visit(), Room.KEY);
    page.locator("#language").selectOption("ko");
    assertThat(page.locator("h1")).hasText("대기열");
    page.reload();
    assertThat(page.locator("h1")).hasText("대기열");
    assertThat(page.locator("html")).hasAttribute("lang", "ko");
    accessible(page, "in Korean");
    page.locator("#sign-out").click();
    assertThat(page.locator("h1")).hasText("로그인");
    page.reload();
    assertThat(page.locator("#key")).isVisible();
  }

  /** A rate that follows the site is shown beside what it follows, and with its reason. */
  @Test
  void rate_thatFollows_isDrawnWithTheSite() {
    room.queue("follows", "\"adaptive\":{\"floorPerSecond\":1,\"ceilingPerSecond\":2}");
    String said = "\"eventType\":\"SHOW\",\"eventId\":\"follows\",\"source\":\"shop\"";
    String signal = "{" + said + ",\"count\":200,\"errors\":1,\"p95Millis\":181.5}";
    await()
        .until(
            () -> {
              room.admin("POST", "/admin/queue/signal", signal);
              return room.admin("GET", "/admin/queues/SHOW/follows/rate", "")
                  .body()
                  .contains("\"p95Millis\":181.5,\"errorPercent\":0.5");
            });
    Page page = signIn(BROWSER.visit(), Room.KEY);
    link(page, "SHOW/follows").click();
    assertThat(page.locator(".charts svg")).hasCount(4);
    assertThat(page.locator(".charts figcaption").nth(2)).containsText("95 of 100 answers");
    assertThat(page.locator(".charts figcaption").nth(3)).containsText("the site");
    assertThat(page.locator(".charts svg").nth(2))
        .hasAttribute("aria-label", Pattern.compile("answers 18[12]"));
    room.admin("POST", "/admin/queue/signal", signal);
    assertThat(page.locator("#follows")).containsText("95 of 100 answers within 182 ms");
    accessible(page, "a rate that follows");
  }

  /** What is wrong with a part of a setting is said at that part. */
  @Test
  void settings_wrongInAPart_isSaidThere() {
    room.queue("parts");
    Page page = signIn(BROWSER.visit(), Room.KEY);
    link(page, "SHOW/parts").click();
    Locator settings = page.locator("#settings");
    settings.locator("summary").click();
    settings.locator("[name='doors.on']").check();
    settings.locator("[name='doors.proofSeconds']").fill("5");
    assertThat(put(page, button(page, "Apply"))).isEqualTo(400);
    assertThat(settings.locator("[name='doors.proofSeconds']"))
        .hasAttribute("aria-invalid", "true");
    assertThat(settings.locator("[name='doors.proofSeconds']")).isFocused();
  }

  /** What nobody can do is not said to be open. */
  @Test
  void beforeItOpens_theConsoleSaysSo() {
    room.queue("early");
    besides("SHOW/early", "{\"opensAt\":\"2099-01-01T00:00:00Z\"}");
    Page page = signIn(BROWSER.visit(), Room.KEY);
    link(page, "SHOW/early").click();
    assertThat(page.locator(".states .state")).hasText("Not open yet");
    assertThat(page.locator(".states")).containsText("entry opens at");
    assertThat(page.locator("#act-close")).isVisible();
  }

  /** Who looks at all queues at once reads of each what its own screen says, in both languages. */
  @Test
  void list_saysInWordsHowEachQueueStands() {
    room.queue("stand-open");
    room.queue("stand-paused").act("pause", "\"reason\":\"Rain on the stage\"");
    room.queue("stand-closed").act("close");
    room.queue("stand-ended").act("end");
    room.queue("stand-off").act("deactivate");
    room.queue("stand-early").set("\"opensAt\":\"2099-01-01T00:00:00Z\"");
    room.queue("stand-late").set("\"closesAt\":\"2026-01-01T00:00:00Z\"");
    room.queue("stand-begins").set("\"notBefore\":\"2099-01-01T00:00:00Z\"");
    String lobby =
        "{\"eventType\":\"SHOW\",\"eventId\":\"stand-lobby\","
            + "\"lobbyOpensAt\":\"2026-01-01T00:00:00Z\",\"opensAt\":\"2099-01-01T00:00:00Z\"}";
    assertThat(room.admin("POST", "/admin/queue/activate", lobby).status()).isEqualTo(201);
    room.queue("stand-sold").set("\"stock\":{}");
    stock("stand-sold", 0, 0);
    room.queue("stand-paying").set("\"stock\":{}");
    stock("stand-paying", 0, 3);
    Page page = signIn(BROWSER.visit(), Room.KEY);
    page.locator("#filter").fill("stand-");
    assertThat(page.locator("tbody tr")).hasCount(11);
    accessible(page, "states");
    Visit.screenshot(page, "console-list");

    assertStands(page, "stand-open", "Open", "since ");
    assertStands(page, "stand-paused", "Paused", "Rain on the stage");
    assertStands(page, "stand-closed", "Entry closed", "");
    assertStands(page, "stand-ended", "Ended", "since ");
    assertStands(page, "stand-off", "Not open", "since ");
    assertStands(page, "stand-early", "Not open yet", "entry opens at Jan 1, 2099");
    assertStands(page, "stand-late", "Entry closed", "since Jan 1, 2026");
    assertStands(page, "stand-begins", "Open", "nobody goes in before Jan 1, 2099");
    assertStands(page, "stand-lobby", "Lobby", "order drawn at Jan 1, 2099");
    assertStands(page, "stand-sold", "Sold out", "");
    assertStands(page, "stand-paying", "None left", "3 held, not paid for yet");

    for (String id : List.of("stand-lobby", "stand-paying", "stand-paused")) {
      String word = standing(page, id).locator(".state").textContent();
      String more = standing(page, id).locator(".quiet").textContent();
      link(page, "SHOW/" + id).click();
      assertThat(page.locator(".states .state")).hasText(word);
      assertThat(page.locator(".states .quiet")).hasText(more);
      page.goBack();
      page.locator("#filter").fill("stand-");
    }
    page.locator("#language").selectOption("ko");
    page.locator("#filter").fill("stand-");
    assertStands(page, "stand-early", "오픈 전", "2099년 1월 1일");
    assertStands(page, "stand-lobby", "사전 대기실", "순번 추첨");
    assertStands(page, "stand-sold", "매진", "");
    assertStands(page, "stand-paused", "입장 일시 중지", "Rain on the stage");
  }

  private static Locator standing(Page page, String id) {
    return page.locator("tr", new Page.LocatorOptions().setHas(link(page, "SHOW/" + id)))
        .locator(".standing");
  }

  private static void assertStands(Page page, String id, String word, String more) {
    assertThat(standing(page, id).locator(".state")).hasText(word);
    assertThat(standing(page, id)).containsText(more);
  }

  private static void stock(String id, int remaining, int held) {
    String pool = "{\"name\":\"A\",\"remaining\":%d,\"held\":%d}".formatted(remaining, held);
    String stock = "\"version\":1,\"pools\":[" + pool + "]";
    String body = "{\"eventType\":\"SHOW\",\"eventId\":\"" + id + "\"," + stock + "}";
    assertThat(room.admin("POST", "/admin/queue/stock", body).status()).isEqualTo(200);
  }

  @Test
  void rateThatFollowsAndStock_areForms() {
    room.queue("forms");
    Page page = signIn(BROWSER.visit(), Room.KEY);
    page.locator("a[href='#/queues/SHOW/forms']").click();
    Locator settings = page.locator("#settings");
    settings.locator("summary").click();
    settings.locator("[name='adaptive.on']").check();
    settings.locator("[name='adaptive.floorPerSecond']").fill("60");
    settings.locator("[name='adaptive.ceilingPerSecond']").fill("50");
    button(page, "Apply").click();
    assertThat(settings.locator("[aria-invalid]")).hasCount(1);
    settings.locator("[name='adaptive.floorPerSecond']").fill("0.5");
    settings.locator("[name='stock.on']").check();
    assertThat(put(page, button(page, "Apply"))).isEqualTo(200);
    assertThat(queue("SHOW/forms").body())
        .contains("\"mode\":\"STEADY\"", "\"floorPerSecond\":0.5");

    Locator stock = page.locator("#push-stock");
    stock.locator("[name=pool]").fill("A");
    stock.locator("[name=remaining]").fill("12");
    stock.locator("[name=held]").fill("3");
    page.locator("#act-stock").click();
    assertThat(page.locator("#stock")).containsText("stock: 12 left, 3 held");
    stock.locator("[name=remaining]").fill("11");
    page.locator("#act-stock").click();
    assertThat(page.locator("#stock")).containsText("stock: 11 left, 3 held");
    assertThat(queue("SHOW/forms").body()).contains("\"stockFigures\":{\"version\":2,");
    accessible(page, "forms");
  }

  /** A few an hour are not nobody. */
  @Test
  void rate_ofOneAnHour_isNotShownAsNothing() {
    room.queue("slow");
    Page page = signIn(BROWSER.visit(), Room.KEY);
    link(page, "SHOW/slow").click();
    assertThat(page.locator("[data-figure=in]")).containsText("allowed 0.00028");
    link(page, "Queues").click();
    page.locator("#new-queue").click();
    page.locator("input[name=rate]").fill("0.01");
    assertThat(page.locator("#in-words"))
        .containsText("1 may go in every 1 min 40 s: 0.01 a second.");
  }

  /** As behind a proxy while its server starts again: all is well afterwards, by itself. */
  @Test
  void stream_refused_isTriedAgainOnceThereAreAnswers() {
    room.queue("refused");
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = signIn(visit, Room.KEY);
    var proxy = new Proxy(page, "SHOW/refused");
    link(page, "SHOW/refused").click();
    assertThat(page.locator(".health")).containsText("The server cannot be reached right now.");

    proxy.isAway = false;

    assertThat(page.locator(".health")).isEmpty();
    assertThat(figure(page, "inside")).hasText("1");
    proxy.isStreamRefused = false;
    page.clock().fastForward(25_000);
    assertThat(page.locator(".health")).containsText("all well");
    assertThat(page.locator(".bound")).isVisible();
  }

  @Test
  void stream_refused_isAskedForOnce_andNotAtAllWhenNobodyLooks() {
    room.queue("unseen");
    Visit visit = BROWSER.visit();
    visit.context().clock().install();
    Page page = signIn(visit, Room.KEY);
    var proxy = new Proxy(page, "SHOW/unseen");
    link(page, "SHOW/unseen").click();
    assertThat(page.locator(".health")).containsText("cannot be reached");
    for (int i = 0; i < 4; i++) {
      proxy.awaitAsked(() -> look(page, true));
    }

    int before = proxy.asked;
    proxy.awaitAsked(() -> page.clock().runFor(3_100));
    assertThat(proxy.asked - before).as("asked in 3 s, by one who came back 4 times").isLessThan(4);

    look(page, false);
    int unseen = proxy.asked;
    page.clock().runFor(10_000);
    page.waitForTimeout(100);
    assertThat(proxy.asked).as("asked for nobody").isEqualTo(unseen);
  }

  /** Somebody turns to the tab, or away from it. */
  private static void look(Page page, boolean isSeen) {
    page.evaluate(
        """
        hidden => {
          Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }
        """,
        !isSeen);
  }

  /** Between the screen of a queue, once that is there, and the server. */
  private static final class Proxy {
    private final Page page;
    private final String path;
    private boolean isAway = true;
    private boolean isStreamRefused = true;
    private int asked;

    Proxy(Page page, String name) {
      this.page = page;
      this.path = "**/admin/queues/" + name;
      page.route(path, route -> answer(route, isAway && ++asked > 1, 502));
      page.route(path + "/live", route -> answer(route, isStreamRefused, 503));
    }

    private static void answer(Route route, boolean isRefused, int status) {
      if (isRefused) {
        route.fulfill(new Route.FulfillOptions().setStatus(status));
      } else {
        route.resume();
      }
    }

    void awaitAsked(Runnable act) {
      page.waitForResponse(path, act);
    }
  }

  /** From the list to a paused queue without a mouse. */
  @Test
  void keyboard_isEnough() {
    room.queue("keyboard");
    Page page = signIn(BROWSER.visit(), Room.KEY);
    page.locator("#filter").focus();
    page.keyboard().type("keyboard");
    assertThat(page.locator("tbody tr")).hasCount(1);
    tabTo(page, "a[href='#/queues/SHOW/keyboard']");
    page.keyboard().press("Enter");
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "OPEN");
    tabTo(page, "#act-pause");
    page.keyboard().press("Enter");
    assertThat(page.locator("dialog [name=reason]")).isFocused();
    page.keyboard().press("Enter");
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "PAUSED");
    assertThat(page.locator("#act-resume")).isFocused();
    page.keyboard().press("Enter");
    assertThat(page.locator(".states .state")).hasAttribute("data-state", "OPEN");
  }

  private static void tabTo(Page page, String selector) {
    for (int i = 0; i < 60; i++) {
      page.keyboard().press("Tab");
      Object isThere = page.evaluate("s => document.activeElement?.matches(s) ?? false", selector);
      if (Boolean.TRUE.equals(isThere)) {
        return;
      }
    }
    throw new AssertionError(
        "no way to %s by Tab, only to %s"
            .formatted(selector, page.evaluate("document.activeElement.outerHTML")));
  }
}
