/** The waiting page, its files, and the way through a queue without JavaScript. */
@NullMarked
package io.naru.server.wait;

import org.jspecify.annotations.NullMarked;
