package io.naru.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplyTest {

  private static final String BODY = "{\"status\":\"WAITING\",\"entryToken\":\"abc\"}";

  @Test
  void reply_isReadAsFarAsVisitorsDo() {
    var reply = new Reply(200, "HTTP/1.1 200 OK\r\nX: y\r\nRetry-After: 12\r\n\r\n" + BODY);

    assertThat(reply.member("entryToken")).isEqualTo("abc");
    assertThat(reply.member("status")).isEqualTo("WAITING");
    assertThat(reply.member("pass")).isEmpty();
    assertThat(reply.retryAfter()).isEqualTo(12);
  }

  @Test
  void retryAfter_isOfTheHeadAlone() {
    assertThat(new Reply(200, "HTTP/1.1 200 OK\r\n\r\n\nretry-after: 9").retryAfter()).isZero();
    assertThat(new Reply(200, "HTTP/1.1 200 OK\r\nretry-after: soon\r\n\r\n").retryAfter())
        .isZero();
  }

  @Test
  void problem_isTheSameForMany() {
    var reply = new Reply(503, "HTTP/1.1 503 x\r\n\r\n{\"code\":\"unavailable\",\"id\":\"7\"}");
    assertThat(reply.problem(Step.ENTER)).isEqualTo("enter 503 unavailable");
    assertThat(new Reply(502, "HTTP/1.1 502 x\r\n\r\n<html>").problem(Step.ASK))
        .isEqualTo("status 502");
  }
}
