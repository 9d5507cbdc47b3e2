package io.naru.server;

/** How log lines are written. */
enum LogFormat {
  TEXT,
  JSON
}
