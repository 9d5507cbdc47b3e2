/** What everybody in a queue is told alike: its state, its texts, how many wait. */
@NullMarked
package io.naru.server.board;

import org.jspecify.annotations.NullMarked;
