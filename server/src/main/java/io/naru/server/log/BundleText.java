package io.naru.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.journal.Bundle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Records one behind the other, each with two bytes before it that say how long it is. */
final class BundleText {

  private static final int BYTE = 0xff;

  private BundleText() {}

  /** The bytes of the first so many. */
  static byte[] first(Bundle bundle, int count) {
    if (count == bundle.count()) {
      return bundle.content();
    }
    int end = 0;
    for (int i = 0; i < count; i++) {
      end += 2 + length(bundle.content(), end);
    }
    return Arrays.copyOf(bundle.content(), end);
  }

  static List<String> texts(Bundle bundle) {
    List<String> texts = new ArrayList<>(bundle.count());
    byte[] content = bundle.content();
    for (int at = 0; at < content.length; at += 2 + length(content, at)) {
      texts.add(new String(content, at + 2, length(content, at), UTF_8));
    }
    return texts;
  }

  private static int length(byte[] content, int at) {
    return (content[at] & BYTE) << 8 | (content[at + 1] & BYTE);
  }
}
