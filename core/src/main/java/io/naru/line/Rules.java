package io.naru.line;

import io.naru.queue.Settings;
import io.naru.queue.State;

/**
 * What the operator decided about a queue, as far as a copy of its line needs it.
 *
 * @param version which changes with any of it
 */
public record Rules(long version, State state, Settings settings) {}
