package io.naru.queue;

import io.naru.admission.Pacing;

/**
 * What is the same for everybody in a queue when a place is read.
 *
 * @param change the number of the state the place belongs to
 * @param waiting how many are waiting in all
 * @param active whether people are let in; if not, they keep their places
 * @param targetUrl where the admitted go, empty if not set
 * @param audience whom passes are for, empty if not set
 */
public record LineState(
    long change, long waiting, boolean active, Pacing pacing, String targetUrl, String audience) {

  public LineState {
    // What an earlier version stored as it was written is sent as it must be.
    targetUrl = WebAddress.encoded(targetUrl);
  }
}
