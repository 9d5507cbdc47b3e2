/** Tells others what happens in queues: Standard Webhooks 1.0.0. */
@NullMarked
package io.naru.server.webhooks;

import org.jspecify.annotations.NullMarked;
