package io.naru.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.stream.Frames.Farewell;
import io.naru.testkit.MachineLocale;
import io.naru.testkit.StrictJson;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a stream says is read by programs, wherever the server stands. */
class FramesTest {

  @ParameterizedTest
  @ValueSource(strings = {"en-US", "fa-IR", "ar-EG", "bn-BD"})
  void farewell_inAnyLocale_saysWhenToComeBack(String locale) {
    try (var _ = new MachineLocale(locale)) {
      Map<String, ?> message =
          StrictJson.object(SocketFrames.INSTANCE.farewell(Farewell.STOPPING).toString());
      String event = EventFrames.INSTANCE.farewell(Farewell.STOPPING).toString();

      assertThat((Integer) message.get("retry")).isBetween(500, 5_000);
      assertThat(event)
          .matches("event: reconnect\nretry: [0-9]+\ndata: \\{\"reason\":\"stopping\"}\n\n");
    }
  }
}
