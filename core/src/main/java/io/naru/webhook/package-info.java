/** Who outside is told of what happens in queues, and what has been told so far. */
@NullMarked
package io.naru.webhook;

import org.jspecify.annotations.NullMarked;
