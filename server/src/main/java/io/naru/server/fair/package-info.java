/**
 * Draws, from closing the lobby to the line: what they need of somebody outside the decision, and
 * what everybody may know of them. The door is {@link io.naru.server.fair.DrawKeeper}.
 */
@NullMarked
package io.naru.server.fair;

import org.jspecify.annotations.NullMarked;
