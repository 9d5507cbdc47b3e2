/**
 * Queues and the entries in them, and {@link io.naru.queue.Queues}: the port for all that may
 * change.
 */
@NullMarked
package io.naru.queue;

import org.jspecify.annotations.NullMarked;
