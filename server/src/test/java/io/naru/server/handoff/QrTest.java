package io.naru.server.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.zxing.common.BitMatrix;
import com.google.zxing.qrcode.decoder.Decoder;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class QrTest {

  @Test
  void svg_readBack_isTheText() throws Exception {
    String link = "https://wait.example/wait/TIMEDEAL/123#handoff=" + "Aa0_-".repeat(50);

    String svg = Qr.svg(link);

    assertThat(new Decoder().decode(dots(svg)).getText()).isEqualTo(link);
  }

  /** What is black in the picture, without the light around it. */
  private static BitMatrix dots(String svg) {
    MatchResult box = Pattern.compile("0 0 (\\d+) (\\d+)").matcher(svg).results().findFirst().get();
    int size = Integer.parseInt(box.group(1)) - 8;
    var dots = new BitMatrix(size);
    Pattern.compile("M(\\d+) (\\d+)h1v1h-1z")
        .matcher(svg)
        .results()
        .forEach(
            dot ->
                dots.set(Integer.parseInt(dot.group(1)) - 4, Integer.parseInt(dot.group(2)) - 4));
    return dots;
  }
}
