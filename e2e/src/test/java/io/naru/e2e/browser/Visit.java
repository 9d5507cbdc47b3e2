package io.naru.e2e.browser;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Tracing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One person's browser: pages that share cookies and storage, and what they complained about. */
final class Visit {

  /** For what happens by itself: a stream that comes back, a page that refreshes. */
  static final double PATIENCE_MILLIS = 20_000;

  private static final Path SCREENSHOTS = Path.of("target", "screenshots");

  /** Chromium also prints violations, but not each of them in words that can be relied on. */
  private static final String REPORT_VIOLATIONS =
      """
      document.addEventListener('securitypolicyviolation', event =>
        window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
      """;

  private final BrowserContext context;
  private final List<String> complaints = new ArrayList<>();
  private boolean isTraced = true;

  Visit(BrowserContext context) {
    this.context = context;
    context.setDefaultTimeout(PATIENCE_MILLIS);
    context.exposeBinding(
        "reportViolation",
        (source, args) ->
            complaints.add("policy violated: " + args[0] + " at " + source.frame().url()));
    context.addInitScript(REPORT_VIOLATIONS);
    context.onConsoleMessage(this::note);
    context.onWebError(error -> complaints.add("uncaught: " + error.error()));
    context.tracing().start(new Tracing.StartOptions().setSnapshots(true));
  }

  private void note(ConsoleMessage message) {
    // A request that fails is what the tests of outages are about, and the page's to cope with.
    boolean isComplaint =
        message.type().equals("error") && !message.text().startsWith("Failed to load resource");
    if (isComplaint) {
      complaints.add("console: " + message.text());
    }
  }

  BrowserContext context() {
    return context;
  }

  /** The same without evidence of what happens, which makes every step slower. */
  Visit untraced() {
    context.tracing().stop();
    isTraced = false;
    return this;
  }

  Page open(String url) {
    Page page = context.newPage();
    page.navigate(url);
    return page;
  }

  boolean hasComplaints() {
    return !complaints.isEmpty();
  }

  /** Violations of the security policy, uncaught errors and console errors since the last call. */
  List<String> takeComplaints() {
    List<String> taken = List.copyOf(complaints);
    complaints.clear();
    return taken;
  }

  static void screenshot(Page page, String name) {
    page.screenshot(new Page.ScreenshotOptions().setPath(SCREENSHOTS.resolve(name + ".png")));
  }

  /**
   * What the pages look like, and all that happened before: {@code trace.playwright.dev} shows it.
   */
  void keepEvidence(String test) {
    for (Page page : context.pages()) {
      screenshot(page, "failed/" + test + "-" + context.pages().indexOf(page));
    }
    if (!isTraced) {
      return;
    }
    Path trace = SCREENSHOTS.resolve("failed").resolve(test + "-trace.zip");
    context.tracing().stop(new Tracing.StopOptions().setPath(trace));
    isTraced = false;
  }

  /** A page may still be asking: a test's answer to that would fail whatever is called next. */
  void unroute() {
    context.pages().forEach(Page::unrouteAll);
    context.unrouteAll();
  }

  void close() {
    try {
      if (isTraced) {
        context.tracing().stop(); // or its files stay behind
      }
    } finally {
      context.close();
    }
  }
}
