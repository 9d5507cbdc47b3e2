package io.naru.load;

/**
 * An answer, as far as visitors read it.
 *
 * @param text with its head
 */
record Reply(int status, String text) {

  private static final String RETRY_AFTER = "\nretry-after: ";

  boolean isGood() {
    return status / 100 == 2;
  }

  /** The member of a JSON object; empty if there is none. */
  String member(String name) {
    String key = "\"" + name + "\":\"";
    int at = text.indexOf(key);
    if (at < 0) {
      return "";
    }
    int from = at + key.length();
    int end = text.indexOf('"', from);
    return end < 0 ? "" : text.substring(from, end);
  }

  /** A number, of which there is nothing but digits; 0 if there is none. */
  long number(String name) {
    String key = "\"" + name + "\":";
    int at = text.indexOf(key);
    return at < 0 ? 0 : number(at + key.length());
  }

  /** In how many seconds to ask again, says the server; 0 if it does not. */
  long retryAfter() {
    int head = text.indexOf("\r\n\r\n");
    for (int at = 0; at >= 0 && at < head; at = text.indexOf('\n', at + 1)) {
      if (text.regionMatches(true, at, RETRY_AFTER, 0, RETRY_AFTER.length())) {
        return number(at + RETRY_AFTER.length());
      }
    }
    return 0;
  }

  private long number(int from) {
    long number = 0;
    for (int i = from; i < text.length() && i < from + 18; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        break;
      }
      number = 10 * number + c - '0';
    }
    return number;
  }

  /** What went wrong, in few words that are the same for many. */
  String problem(Step step) {
    String code = member("code");
    return step.word() + " " + status + (code.isEmpty() ? "" : " " + code);
  }
}
