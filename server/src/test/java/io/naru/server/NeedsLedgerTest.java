package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How an operator hears that a setting needs a ledger. */
@Tag("process")
class NeedsLedgerTest {

  private static final String SETTING = "\"notBefore\":\"2099-01-01T00:00:00Z\"";

  @RegisterExtension
  private static final StoredServer REDIS = StoredServer.on(StoredServer.Store.REDIS);

  @Test
  void activateAndPut_settingThatNeedsALedger_isAProblemThatNamesIt() {
    TestServer server = REDIS.server();

    assertRefused(server.activate("TIMEDEAL/1", SETTING));
    assertRefused(server.admin("PUT", "/admin/queues/TIMEDEAL/1", "{" + SETTING + "}"));
  }

  /** The admin key and sessions need nothing kept. */
  @Test
  void accessKeysAndAudit_needALedger() {
    TestServer server = REDIS.server();
    String keys = "/admin/access-keys";

    for (Answer answer :
        List.of(
            server.admin("GET", keys, ""),
            server.admin("POST", keys, "{\"name\":\"x\",\"role\":\"viewer\"}"),
            server.admin("DELETE", keys + "/0123", ""),
            server.admin("GET", "/admin/webhooks", ""),
            server.admin("POST", "/admin/webhooks", "{\"url\":\"https://shop.example/\"}"),
            server.admin("GET", "/admin/audit", ""),
            server.admin("GET", "/admin/queues/TIMEDEAL/1/audit", ""))) {
      assertThat(answer.isProblem(422, "needs-ledger").text("detail")).contains("--ledger");
    }
    String key = "{\"key\":\"" + TestServer.KEY + "\"}";
    server
        .client()
        .send(
            "POST",
            "/console/session",
            BodyPublishers.ofString(key),
            "Content-Type",
            "application/json")
        .is(200);
  }

  @Test
  void history_isAProblem() {
    for (String call :
        new String[] {
          "statistics", "statistics?format=csv", "timeline", "people?find=ann", "people/ann"
        }) {
      Answer answer = REDIS.server().admin("GET", "/admin/queues/TIMEDEAL/1/" + call, "");

      answer.isProblem(422, "needs-ledger");
      assertThat(answer.text("detail")).contains("need a ledger", "--ledger");
    }
  }

  @Test
  void takingOutAndErasing_areAProblem() {
    String ann = "/admin/queues/TIMEDEAL/1/people/ann";
    TestServer server = REDIS.server();

    server.admin("POST", ann + "/remove", "").isProblem(422, "needs-ledger");
    server.admin("POST", ann + "/revoke", "").isProblem(422, "needs-ledger");
    server.admin("DELETE", ann, "").isProblem(422, "needs-ledger");
  }

  private static void assertRefused(Answer answer) {
    answer.isProblem(422, "needs-ledger");
    assertThat(answer.text("field")).isEqualTo("notBefore");
    assertThat(answer.text("allowed")).isEqualTo("its default");
    assertThat(answer.text("detail")).contains("notBefore needs a ledger", "--ledger");
  }
}
