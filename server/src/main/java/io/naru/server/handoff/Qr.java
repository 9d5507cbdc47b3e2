package io.naru.server.handoff;

import com.google.zxing.WriterException;
import com.google.zxing.qrcode.decoder.ErrorCorrectionLevel;
import com.google.zxing.qrcode.encoder.ByteMatrix;
import com.google.zxing.qrcode.encoder.Encoder;

/** A text as a picture that the camera of a telephone reads. */
final class Qr {

  /** Light around it, without which cameras do not find it. */
  private static final int QUIET = 4;

  private Qr() {}

  /** As an SVG that needs no style and no script; black on white in any theme. */
  static String svg(String text) {
    ByteMatrix dots = dots(text);
    int size = dots.getWidth() + 2 * QUIET;
    StringBuilder path = new StringBuilder();
    for (int y = 0; y < dots.getHeight(); y++) {
      for (int x = 0; x < dots.getWidth(); x++) {
        if (dots.get(x, y) == 1) {
          path.append('M').append(x + QUIET).append(' ').append(y + QUIET).append("h1v1h-1z");
        }
      }
    }
    return """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$s %1$s" shape-rendering="crispEdges">\
        <path fill="#fff" d="M0 0h%1$sv%1$sH0z"/><path d="%2$s"/></svg>"""
        .formatted(size, path);
  }

  private static ByteMatrix dots(String text) {
    try {
      return Encoder.encode(text, ErrorCorrectionLevel.L).getMatrix();
    } catch (WriterException e) {
      throw new IllegalArgumentException("too long for a picture: " + text.length(), e);
    }
  }
}
