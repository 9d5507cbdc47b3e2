/** The HTTP door: routes, bodies, JSON and problems; knows nothing of queues. */
@NullMarked
package io.naru.server.http;

import org.jspecify.annotations.NullMarked;
