package io.naru.server.stream;

import io.vertx.core.buffer.Buffer;

/** Where the messages of one stream go. All of it happens on the event loop of its connection. */
interface Outlet {

  /** What a reader may leave untaken before no more is sent, in bytes. */
  int MAX_UNSENT = 4_096;

  /** In which words. */
  Frames frames();

  /**
   * @param whenGone told when the connection is gone, perhaps more than once
   */
  void begin(Runnable whenGone);

  /** Whether its reader does not take what was sent. */
  boolean isFull();

  void send(Buffer... messages);

  /** Keeps a connection alive that has nothing to say. */
  void stillHere();

  /** The last messages, after which the connection ends; false if it is gone already. */
  boolean end(Buffer... messages);

  /** Ends it without waiting for its reader. */
  void cut();

  /** What the request that began it is called. */
  String requestId();
}
