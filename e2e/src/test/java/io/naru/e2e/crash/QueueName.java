package io.naru.e2e.crash;

/** A queue as paths, bodies and keys name it; each run has its own. */
record QueueName(String type, String id) {

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
