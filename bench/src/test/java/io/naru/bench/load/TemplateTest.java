package io.naru.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class TemplateTest {

  private final Users users = new Users(42);

  @Test
  void byNewcomers_everyRequest_hasAnIdOfItsOwn() {
    var enter = Template.httpAsUser("POST", "h:1", "/queue/A/1/enter").byNewcomers(users);
    var ids = new HashSet<String>();
    for (int i = 0; i < 10_000; i++) {
      var request = text(enter);
      assertThat(request.lines())
          .satisfiesExactly(
              line -> assertThat(line).isEqualTo("POST /queue/A/1/enter HTTP/1.1"),
              line -> assertThat(line).isEqualTo("Host: h:1"),
              line -> assertThat(line).isEqualTo("Content-Length: 0"),
              line -> assertThat(line).matches("User-Id: [0-9a-f]{16}"),
              line -> assertThat(line).isEmpty());
      ids.add(request);
    }
    assertThat(ids).hasSize(10_000);
    assertThat(users.count()).isEqualTo(10_000);
  }

  @Test
  void byKnown_afterSettling_asksOnlyForThoseWhoEntered() {
    var template = Template.redis("ZRANK", "key");
    var newcomers = template.byNewcomers(users);
    var entered = new HashSet<String>();
    for (int i = 0; i < 100; i++) {
      entered.add(text(newcomers));
    }
    users.settle();
    text(newcomers);
    var known = template.byKnown(users);
    var asked = new HashSet<String>();
    for (int i = 0; i < 5_000; i++) {
      asked.add(text(known));
    }
    assertThat(asked).isEqualTo(entered);
    assertThat(asked)
        .allMatch(
            text -> text.matches("\\*3\r\n\\$5\r\nZRANK\r\n\\$3\r\nkey\r\n\\$16\r\n.{16}\r\n"));
  }

  @Test
  void mixed_tenRequests_areOneAndNine() {
    var traffic =
        new Mixed(
            Template.http("GET", "x", "/bare").always(), Template.redis("X").byNewcomers(users));
    int ones = 0;
    for (int i = 0; i < 100; i++) {
      ones += text(traffic).contains("/bare") ? 1 : 0;
    }
    assertThat(ones).isEqualTo(10);
  }

  private static String text(Traffic traffic) {
    var out = Unpooled.buffer();
    assertThat(traffic.next(out)).isTrue();
    return out.toString(US_ASCII);
  }
}
