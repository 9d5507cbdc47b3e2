package io.naru.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ServiceWorkerPolicy;
import io.naru.testkit.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real Chromium for a test class, registered in a static field. Each test opens visits in it,
 * which know nothing of each other; after the test all of them are closed, and whatever a page
 * complained about (its security policy, an uncaught error) fails the test even if nobody looked.
 */
final class RealBrowser implements ExecutionCondition, BeforeAllCallback, AfterEachCallback {

  private static final Program CHROMIUM =
      new Program("NARU_BROWSER", Chromium.find(System.getenv()), Chromium.HOW);

  /**
   * What nobody here looks at: each window would make two pages for the suggestions of its address
   * bar, in a process of their own. The last of these switches is the one that counts, so those
   * that Playwright 1.62 switches off come first.
   */
  private static final String OFF =
      "--disable-features="
          + String.join(
              ",",
              "AvoidUnnecessaryBeforeUnloadCheckSync",
              "BoundaryEventDispatchTracksNodeRemoval",
              "DestroyProfileOnBrowserClose",
              "DialMediaRouteProvider",
              "GlobalMediaControls",
              "HttpsUpgrades",
              "LensOverlay",
              "MediaRouter",
              "PaintHolding",
              "ThirdPartyStoragePartitioning",
              "BlockOriginHeaderModificationOnRedirect",
              "Translate",
              "AutoDeElevate",
              "OptimizationHints",
              "WebUIOmniboxPopup",
              "WebUIOmniboxAimPopup",
              "WebUIOmniboxFullPopup");

  private final List<Visit> visits = new ArrayList<>();
  private @Nullable Running running;

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return CHROMIUM.evaluateExecutionCondition(context);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    running =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.GLOBAL)
            .computeIfAbsent(Running.class, key -> Running.start(), Running.class);
  }

  /** The browser itself. Starting one takes seconds, so all classes share it. */
  private record Running(Playwright playwright, Browser browser) implements AutoCloseable {

    static Running start() {
      PlaywrightAssertions.setDefaultAssertionTimeout(Visit.PATIENCE_MILLIS);
      // Its own download would be another browser than the one this machine has.
      var driver = Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
      var playwright = Playwright.create(new Playwright.CreateOptions().setEnv(driver));
      var options =
          new BrowserType.LaunchOptions()
              .setExecutablePath(CHROMIUM.path())
              .setArgs(List.of(OFF))
              // Chromium refuses its sandbox to root, which tests in containers are.
              .setChromiumSandbox(!System.getProperty("user.name").equals("root"));
      return new Running(playwright, playwright.chromium().launch(options));
    }

    @Override
    public void close() {
      playwright.close();
    }
  }

  /**
   * A person with a browser profile of their own: desktop, English, light, without service workers,
   * unless said otherwise.
   */
  Visit visit() {
    return visit(options -> options);
  }

  Visit visit(UnaryOperator<Browser.NewContextOptions> profile) {
    if (running == null) {
      throw new IllegalStateException("no test is running");
    }
    var options =
        new Browser.NewContextOptions()
            .setViewportSize(1280, 800)
            .setLocale("en-US")
            // What a page with a service worker asks for, no route of a test can keep from it.
            .setServiceWorkers(ServiceWorkerPolicy.BLOCK);
    var visit = new Visit(running.browser.newContext(profile.apply(options)));
    visits.add(visit);
    return visit;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    boolean hasFailed = context.getExecutionException().isPresent();
    String test = context.getRequiredTestMethod().getName();
    List<Visit> over = List.copyOf(visits);
    visits.clear(); // one that cannot be closed must not fail the tests after it
    end(over, visit -> look(visit, hasFailed, test));
  }

  private static void look(Visit visit, boolean hasFailed, String test) {
    if (hasFailed) {
      visit.keepEvidence(test);
    } else {
      assertThat(visit.takeComplaints()).as("complaints of the page").isEmpty();
    }
  }

  /** Looks at all of them and closes all of them, whatever fails in between, which is told then. */
  static void end(List<Visit> visits, Consumer<Visit> look) {
    Stream<Consumer<Visit>> steps = Stream.of(look, Visit::unroute, Visit::close);
    assertAll(steps.flatMap(step -> visits.stream().map(visit -> () -> step.accept(visit))));
  }
}
