package io.naru.e2e.crash;

/**
 * A queue as paths, bodies and keys name it; each run has its own.
 *
 * @param hasLanes whether its visitors stand in two lanes
 * @param hasPresence whether it goes by who is there
 * @param hasLog whether what decides its order is published
 * @param hasStock whether it goes by stock, and some come back after a payment that failed
 */
record QueueName(
    String type,
    String id,
    boolean hasLanes,
    boolean hasPresence,
    boolean hasLog,
    boolean hasStock,
    Pacing pacing) {

  QueueName(String type, String id, boolean hasLanes, boolean hasPresence, boolean hasLog) {
    this(type, id, hasLanes, hasPresence, hasLog, false, Pacing.STEPS);
  }

  QueueName(String type, String id, boolean hasLanes, boolean hasPresence) {
    this(type, id, hasLanes, hasPresence, false);
  }

  private static final String LANES =
      ",\"lanes\":[{\"name\":\"vip\",\"share\":70},{\"name\":\"normal\",\"share\":30}]";

  /** Longer than any clock is set by: nobody's turn is over for that. */
  private static final String LONG_STAY = ",\"passTtlSeconds\":86400";

  /** The settings beside those of its pace. */
  String settings() {
    return "\"newPlacesPerMinute\":0,\"absenceGraceSeconds\":"
        + (hasPresence ? 600 : 0)
        + (hasLanes ? LANES : "")
        + (hasLog ? ",\"log\":true" : "")
        + (pacing == Pacing.STEPS ? "" : ",\"pacing\":\"" + pacing + "\"")
        // Nobody's retry is to end on its own while the end of a run is being looked at.
        + (hasStock ? ",\"stock\":{},\"retrySeconds\":3600" : ",\"stock\":null")
        + (id.startsWith("F13") ? LONG_STAY : "");
  }

  /** The same where it does not matter who is there, nor what there is. */
  QueueName forAnybody() {
    return new QueueName(type, id, hasLanes, false, hasLog, false, pacing);
  }

  /** Where a visitor stands, always the same one, as the proxy says it. */
  String laneHeader(String user) {
    return "User-Lane: " + (hasLanes && user.hashCode() % 3 == 0 ? "vip" : "normal");
  }

  String path() {
    return "/queue/" + type + "/" + id;
  }

  String adminPath() {
    return "/admin/queues/" + type + "/" + id;
  }

  String fields() {
    return "\"eventType\":\"%s\",\"eventId\":\"%s\"".formatted(type, id);
  }

  String key(String name) {
    return "queue:{%s:%s}:%s".formatted(type, id, name);
  }
}
