package io.naru.load.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamParserTest {

  private static final String HEAD =
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

  private final Heard heard = new Heard();
  private final List<String> events = heard.events;
  private final StreamParser parser = parser();

  private StreamParser parser() {
    return new StreamParser(heard, new StreamParser.Scratch());
  }

  @Test
  void read_cutAnywhere_findsTheSameEvents() {
    var stream =
        HEAD
            + chunk("retry: 2873\n\n")
            + chunk(status(9, 4_711) + status(7, 4_712))
            + chunk(": still there\n\nevent: queue-st")
            + chunk("atus\ndata: {\"position\":5,\"change\":4713}\n\n")
            + chunk(
                "event: queue-entered\nid: entered\ndata: {\"status\":\"ENTERED\",\"pass\":\" p.q\"}\n\n")
            + "0\r\n\r\n";
    // The empty line behind the last chunk says nothing new.
    for (int cut = 0; cut < stream.length() - 2; cut++) {
      events.clear();
      var one = parser();
      read(one, stream.substring(0, cut));
      assertThat(one.isOver()).isFalse();
      read(one, stream.substring(cut));
      assertThat(events)
          .as("cut at %d", cut)
          .containsExactly(
              "status 9 at 4711", "status 7 at 4712", "status 5 at 4713", "entered p.q");
      assertThat(one.isOver()).isTrue();
    }
  }

  @Test
  void read_byteByByte_findsTheSameEvents() {
    var stream = HEAD + chunk(status(9, 1)) + chunk(status(8, 2));
    stream.chars().forEach(c -> read(parser, "" + (char) c));
    assertThat(events).containsExactly("status 9 at 1", "status 8 at 2");
  }

  @Test
  void read_noSpaceAfterColons_isTheSame() {
    read(
        parser,
        HEAD + chunk("event:queue-status\ndata:{\"status\":\"WAITING\",\"position\":3}\n\n"));
    read(parser, chunk("event:queue-status\ndata:{\"status\":\"ENTERED\",\"position\":0}\n\n"));
    assertThat(events).containsExactly("status 3 at 0", "entered");
  }

  @Test
  void read_otherEvents_endTheStream() {
    read(
        parser, HEAD + chunk("event: reconnect\nretry: 1234\ndata: {\"reason\":\"stopping\"}\n\n"));
    assertThat(events).containsExactly("ended reconnect");
  }

  @Test
  void read_refusal_isOneWhateverFollows() {
    read(parser, "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r");
    read(parser, "\n{}");
    read(parser, "more");
    assertThat(events).containsExactly("refused HTTP/1.1 503 Service Unavailable");
  }

  @Test
  void read_lineWithoutEnd_isRefused() {
    read(parser, HEAD);
    assertThatThrownBy(() -> read(parser, chunk("x".repeat(20_000))))
        .hasMessageContaining("no end after");
  }

  private static String status(int position, long change) {
    return "event: queue-status\nid: %2$d\ndata: {\"status\":\"WAITING\",\"position\":%1$d,\"ahead\":1,\"change\":%2$d}\n\n"
        .formatted(position, change);
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
  }

  private static void read(StreamParser parser, String text) {
    parser.read(Unpooled.wrappedBuffer(text.getBytes(UTF_8)));
  }
}
