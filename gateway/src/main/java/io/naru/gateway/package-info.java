/**
 * The gateway: {@link io.naru.gateway.Gateway} stands in front of a site that knows nothing of
 * Naru, lets people with a pass through and sends the others to the waiting page.
 */
@NullMarked
package io.naru.gateway;

import org.jspecify.annotations.NullMarked;
