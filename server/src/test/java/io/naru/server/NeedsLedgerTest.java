package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Edited;
import io.naru.queue.Queues;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How an operator hears that a setting needs a ledger. */
class NeedsLedgerTest {

  @TempDir private Path data;

  @Test
  void activateAndPut_settingThatNeedsALedger_isAProblemThatNamesIt() {
    var wrapping =
        new Wrapping(NeedsLedgerTest::refusing, UnaryOperator.identity(), UnaryOperator.identity());
    try (var server = TestServer.start(TestServer.onSqlite(data), wrapping)) {
      assertRefused(server.activate("TIMEDEAL/1", "\"maxCapacity\":1"));
      assertRefused(server.admin("PUT", "/admin/queues/TIMEDEAL/1", "{\"maxCapacity\":1}"));
    }
  }

  private static void assertRefused(Answer answer) {
    answer.isProblem(422, "needs-ledger");
    assertThat(answer.text("field")).isEqualTo("maxCapacity");
    assertThat(answer.text("allowed")).isEqualTo("its default");
    assertThat(answer.text("detail")).contains("maxCapacity needs a ledger", "--ledger");
  }

  private static Queues refusing(Queues queues) {
    return (Queues)
        Proxy.newProxyInstance(
            Queues.class.getClassLoader(),
            new Class<?>[] {Queues.class},
            (_, method, arguments) -> {
              if (method.getName().equals("edit")) {
                return CompletableFuture.completedFuture(new Edited.NeedsLedger("maxCapacity"));
              }
              try {
                return method.invoke(queues, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
