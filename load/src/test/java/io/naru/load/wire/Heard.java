package io.naru.load.wire;

import java.util.ArrayList;
import java.util.List;

/** What a server said, in words. */
final class Heard implements StreamParser.Events {

  final List<String> events = new ArrayList<>();

  @Override
  public void status(int position, long change) {
    events.add("status %d at %d".formatted(position, change));
  }

  @Override
  public void entered(String pass) {
    events.add("entered" + pass);
  }

  @Override
  public void ended(String event) {
    events.add("ended " + event);
  }

  @Override
  public void refused(String head) {
    events.add("refused " + head.lines().findFirst().orElseThrow());
  }
}
