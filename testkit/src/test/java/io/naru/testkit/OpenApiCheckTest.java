package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What checks everything else must itself be able to fail. */
class OpenApiCheckTest {

  private static final String ENTRY =
      "{\"eventType\":\"LIVE\",\"eventId\":\"1\",\"status\":\"WAITING\",\"entryToken\":\"abc\","
          + "\"position\":1,\"ahead\":0,\"behind\":0,\"totalWaiting\":1,\"estimatedWaitSeconds\":1,"
          + "\"turnSeconds\":300,\"board\":1,"
          + "\"joinedAt\":\"2026-11-17T02:00:00.000000Z\",\"change\":8}";
  private static final String PROBLEM =
      "{\"type\":\"urn:naru:problem:S803\",\"title\":\"QUEUE_ENTRY_NOT_FOUND\",\"status\":404,"
          + "\"code\":\"S803\",\"detail\":\"no place\",\"requestId\":\"k3\"}";

  private static void message(String event, String data) {
    OpenApi.shipped().checkMessage(event, data);
  }

  private static void answer(String path, int status, String type, String body) {
    OpenApi.shipped().check("GET", path, status, type, body);
  }

  @Test
  void whatIsDescribed_isTaken() {
    assertThatCode(
            () -> {
              message("queue-status", ENTRY);
              message("queue-ended", PROBLEM);
              message("reconnect", "{\"reason\":\"lifetime\"}");
              answer("/queue/LIVE/1/status", 200, "application/json", ENTRY);
              answer("/queue/token/abc/status?x=1", 404, "application/problem+json", PROBLEM);
              answer("/wait/LIVE/1", 200, "text/html; charset=utf-8", "<!DOCTYPE html>");
              answer("/of/another/server", 200, "application/json", "[1,2]");
            })
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"ahead\":0|\"ahead\":/",
        "\"ahead\":0|\"ahead\":-1",
        "\"ahead\":0|\"ahead\":0,\"ahead\":0",
        "\"ahead\":0|\"ahead\":0.5",
        "\"ahead\":0|\"ahead\":\"0\"",
        "\"ahead\":0|\"ahead\":null",
        "\"ahead\":0|\"score\":0",
        "\"ahead\":0,|``",
        "\"position\":1|\"position\":0",
        "\"position\":1|\"position\":01",
        "\"WAITING\"|\"waiting\"",
        "\"change\":8}|\"change\":8",
        "\"change\":8}|\"change\":8}}",
        "\"change\":8}|\"change\":8,\"paused\":false}",
        "\"change\":8}|\"change\":8,\"extra\":1}",
        "000000Z|000Z",
        "\"LIVE\"|\"live\""
      })
  void entryThatIsWrong_isRefused(String right, String wrong) {
    String entry = ENTRY.replace(right, wrong);

    assertThatThrownBy(() -> message("queue-status", entry))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> answer("/queue/LIVE/1/status", 200, "application/json", entry))
        .isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"queue-news", "", "queue-entered"})
  void messageOfAnotherName_isRefused(String event) {
    assertThatThrownBy(() -> message(event, ENTRY)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void answerThatIsNotDescribed_isRefused() {
    assertThatThrownBy(() -> answer("/queue/LIVE/1/status", 202, "application/json", ENTRY))
        .hasMessageContaining("not described");
    assertThatThrownBy(() -> answer("/queue/LIVE/1/status", 200, "text/plain", ENTRY))
        .hasMessageContaining("application/json");
    assertThatThrownBy(
            () ->
                answer("/queue/LIVE/1/status", 500, "application/problem+json", "{\"status\":500}"))
        .hasMessageContaining("is missing");
    assertThatThrownBy(() -> answer("/of/another/server", 200, "application/json", "{\"a\":/}"))
        .hasMessageContaining("not JSON");
  }
}
