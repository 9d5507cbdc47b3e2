package io.naru.e2e.browser;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.microsoft.playwright.Browser;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** That a page which is wrong is found to be: otherwise zero violations would mean nothing. */
class RealBrowserTest {

  @RegisterExtension static final RealBrowser BROWSER = new RealBrowser();

  private static TestSite site;

  @BeforeAll
  static void open() throws IOException {
    site = new TestSite();
  }

  @AfterAll
  static void close() {
    site.close();
  }

  @Test
  void policyViolated_isNoticed() {
    var visit = BROWSER.visit();
    var headers = Map.of("Content-Security-Policy", "default-src 'none'; script-src 'self'");
    visit.open(site.page("/inline", "<p style='color:red'>red</p>", headers));
    visit.context().waitForCondition(() -> visit.hasComplaints());

    assertThat(visit.takeComplaints())
        .anySatisfy(complaint -> assertThat(complaint).startsWith("policy violated: style-src"));
  }

  @Test
  void uncaughtError_isNoticed() {
    var visit = BROWSER.visit();
    visit.open(site.page("/error", "<script>setTimeout(() => { throw Error('oh'); })</script>"));

    visit.context().waitForCondition(() -> visit.hasComplaints());

    assertThat(visit.takeComplaints()).singleElement().asString().contains("oh");
  }

  @Test
  void visitThatCannotBeClosed_theOthersAre_andItIsTold() {
    Browser browser = requireNonNull(BROWSER.visit().context().browser());
    var broken = new Visit(browser.newContext());
    var whole = new Visit(browser.newContext());
    broken.context().close();

    assertThatThrownBy(() -> RealBrowser.end(List.of(broken, whole), visit -> {}))
        .hasMessageContaining("closed");

    assertThat(browser.contexts()).doesNotContain(whole.context());
  }

  @Test
  void inaccessiblePage_hasViolations() {
    var page =
        BROWSER
            .visit()
            .open(site.page("/grey", "<html><body><img src='data:,'><p style='color:#ccc'>pale"));

    assertThat(Axe.violations(page))
        .anySatisfy(violation -> assertThat(violation).startsWith("image-alt"))
        .anySatisfy(violation -> assertThat(violation).startsWith("color-contrast"))
        .anySatisfy(violation -> assertThat(violation).startsWith("html-has-lang"));
  }
}
