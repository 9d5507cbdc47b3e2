package io.naru.load.wire;

import static io.naru.load.wire.Bytes.indexOf;
import static io.naru.load.wire.Bytes.number;
import static io.naru.load.wire.Bytes.text;
import static java.nio.charset.StandardCharsets.US_ASCII;

/** What a visitor needs of the message read last, whichever way it came. */
final class Message {

  private static final byte[] POSITION = "\"position\":".getBytes(US_ASCII);
  private static final byte[] CHANGE = "\"change\":".getBytes(US_ASCII);
  private static final byte[] PASS = "\"pass\":\"".getBytes(US_ASCII);
  private static final byte[] IS_ENTERED = "\"status\":\"ENTERED\"".getBytes(US_ASCII);

  private boolean isEntered;
  private String pass = "";
  private int position;
  private long change;

  void read(byte[] json, int length) {
    position = (int) number(json, length, POSITION);
    change = number(json, length, CHANGE);
    isEntered = indexOf(json, length, IS_ENTERED) >= 0;
    pass = isEntered ? text(json, length, PASS) : "";
  }

  void tell(String event, StreamParser.Events events) {
    // Some servers have no event of its own for being let in.
    if (isEntered) {
      events.entered(pass);
    } else if (event.equals("queue-status")) {
      events.status(position, change);
    } else if (!event.equals("queue-board")) {
      events.ended(event);
    }
  }
}
