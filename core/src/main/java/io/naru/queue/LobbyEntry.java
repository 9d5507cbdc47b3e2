package io.naru.queue;

/**
 * One who is to be drawn.
 *
 * @param joined when they joined, which names their entry
 */
public record LobbyEntry(long joined, String user) {}
