package io.naru.webhook;

import io.naru.queue.QueueId;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened, as it is told.
 *
 * @param id {@code webhook-id}: the same however often and to whomever it is told
 * @param kind in a word
 * @param queue null if it is about none
 * @param body what is sent, byte by byte the same with every try
 */
public record Message(String id, String kind, @Nullable QueueId queue, String body) {}
