/**
 * Shows those who wait their place as it moves: Server-Sent Events. The door is {@link
 * io.naru.server.stream.Streams}.
 */
@NullMarked
package io.naru.server.stream;

import org.jspecify.annotations.NullMarked;
