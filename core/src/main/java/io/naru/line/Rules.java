package io.naru.line;

import io.naru.queue.Settings;

/**
 * What the operator decided about a queue, as far as a copy of its line needs it.
 *
 * @param active whether people may enter and are let in
 */
public record Rules(Settings settings, boolean active) {}
